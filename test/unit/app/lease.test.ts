// Work under the lease of a target, of several clones and processes (G30; 07.36), against real remotes.

import t from 'tap';
import type { Lease } from '../../../src/app/lease/hold.js';
import { withLease } from '../../../src/app/lease/lease.js';
import { breakLease, listLeases } from '../../../src/app/lease/list.js';
import { leaseRef } from '../../../src/app/lease/place.js';
import type { LeaseUnit } from '../../../src/domain/lease.js';
import { openBench } from '../../fixtures/bench-clock.js';
import type { Repo } from '../../fixtures/repository.js';
import { eventually, sandbox } from '../../fixtures/sandbox.js';

const unit = (id: string, number = 1): LeaseUnit => ({
  kind: 'job',
  id,
  occurrence: { number, decision: `op${number}` },
});
const MAIN = leaseRef('main');
const DEAD = { pid: 2 ** 22 + 1, start: '1' };
const valueOn = async (repo: Repo) => JSON.parse(await repo.remoteGit('cat-file', 'blob', MAIN));

t.test('G30: one works, the others wait and are told; token and ref stay; without a remote too', async (t) => {
  const box = await sandbox(t);
  const time = { now: Date.parse('2026-01-01T00:00:00Z') };
  for (const remote of ['origin', null]) {
    const repo = await box.repository(remote === null ? {} : { remote: 'bare' });
    const first = await openBench(t, repo, { time });
    const second = await openBench(t, remote === null ? repo : await repo.clone('second'), { time });
    const tokens: number[] = [];
    const inside: string[] = [];
    const work = (id: string) => async (lease: Lease) => {
      inside.push(`${id} in`);
      tokens.push(lease.token);
      // Until the other one was refused, and waits.
      while (id === 'aaaa' && second.said.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      inside.push(`${id} out`);
      t.equal(await lease.confirm(), null);
      return id;
    };
    const one = withLease(first, { target: 'main', remote, unit: unit('aaaa') }, work('aaaa'));
    while (inside.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const held = await withLease(second, { target: 'main', remote, unit: unit('bbbb'), wait: 0 }, work('bbbb'));
    const two = withLease(second, { target: 'main', remote, unit: unit('bbbb') }, work('bbbb'));
    t.match(held, { kind: 'held', why: 'the lease of main is held by job aaaa' }, 'not waited for');
    t.same(await Promise.all([one, two]), [
      { kind: 'worked', value: 'aaaa' },
      { kind: 'worked', value: 'bbbb' },
    ]);
    t.same(inside, ['aaaa in', 'aaaa out', 'bbbb in', 'bbbb out']);
    t.same(tokens, [1, 2]);
    t.match(second.said, [/waiting: the lease of main is held by job aaaa/]);
    const lists = await listLeases(second);
    t.match(lists.items, [{ target: 'main', remote, state: 'free', token: 2, unit: null }]);
    t.same(await first.notes.list('lease'), [], 'nothing is left of an acquisition');
    if (remote === null) t.equal(await repo.oid('refs/owl/leases/main'), '');
  }
});

t.test(
  'G30, 07.36: a dead holder of this clone, one of another clone that expires, and the slow first one',
  async (t) => {
    const box = await sandbox(t);
    const time = { now: Date.parse('2026-01-01T00:00:00Z') };
    const repo = await box.repository({ remote: 'bare' });
    const other = await repo.clone('other');
    const request = { target: 'main', remote: 'origin', wait: 0 };
    const slow = await openBench(t, repo, { time, process: DEAD });
    const heir = await openBench(t, repo, { time });
    const far = await openBench(t, other, { time });
    let release = (): void => {};
    const started = new Promise<Lease>((resolve) => {
      void withLease(slow, { ...request, unit: unit('aaaa') }, async (lease) => {
        resolve(lease);
        await new Promise<void>((done) => {
          release = done;
        });
      });
    });
    const lease = await started;
    t.match(await withLease(far, { ...request, unit: unit('bbbb') }, async () => 1), { kind: 'held' });
    time.now += 599_000;
    t.match(await withLease(far, { ...request, unit: unit('bbbb') }, async () => 1), { kind: 'held' });
    t.equal(await lease.confirm(), null, 'a renewal is another value');
    time.now += 15_000;
    t.match(await withLease(far, { ...request, unit: unit('bbbb') }, async () => 1), { kind: 'held' }, 'counted anew');
    // The same unit goes on where its process died; another one of this clone need not wait either.
    const mine = await withLease(heir, { ...request, unit: unit('aaaa') }, async (again) => [again.how, again.token]);
    t.same(mine, { kind: 'worked', value: ['mine', 1] }, '"already mine" is another answer than "acquired"');
    t.match(await lease.confirm(), { kind: 'lost' }, 'the slow one finds that it is lost');
    t.equal(lease.lost.aborted, true);
    release();
    time.now += 1_000_000;
    const next = await withLease(far, { ...request, unit: unit('bbbb') }, async (got) => [got.how, got.token]);
    t.same(next, { kind: 'worked', value: ['free', 2] });

    // A holder that never comes back.
    const gone = await openBench(t, repo, { time });
    const stuck = new Promise<Lease>((resolve) => {
      void withLease(gone, { ...request, unit: unit('cccc') }, async (got) => {
        resolve(got);
        await new Promise<void>((done) => {
          release = done;
        });
      });
    });
    const old = await stuck;
    t.match(await withLease(far, { ...request, unit: unit('bbbb') }, async () => 1), { kind: 'held' });
    time.now += 600_000;
    t.match((await listLeases(far)).items, [{ state: 'expired', unit: { id: 'cccc' }, token: 3 }]);
    const taken = await withLease(far, { ...request, unit: unit('bbbb') }, async (got) => {
      t.match(await valueOn(repo), { token: 4, unit: { id: 'bbbb' } }, 'the ref moved first');
      t.match(await old.confirm(), { kind: 'lost' });
      return [got.how, got.token];
    });
    t.same(taken, { kind: 'worked', value: ['expired', 4] });
    release();
    await new Promise((resolve) => setTimeout(resolve, 100));
    t.match(await valueOn(repo), { token: 4, holder: null }, 'its late release moves nothing');
  },
);

t.test('G30: renewed while the work goes on; broken by hand; what is no lease is not obeyed', async (t) => {
  const box = await sandbox(t);
  const time = { now: Date.parse('2026-01-01T00:00:00Z') };
  const repo = await box.repository({ remote: 'bare' });
  const variables = { OWL_LEASE_LENGTH: '8000' };
  const bench = await openBench(t, repo, { time, variables });
  const far = await openBench(t, await repo.clone('far'), { time });
  const where = { target: 'main', remote: 'origin' };
  await t.rejects(breakLease(far, where, true), { code: 'unknown-id' });
  const worked = await withLease(bench, { ...where, unit: unit('aaaa') }, async (lease) => {
    const before = await repo.remoteGit('rev-parse', MAIN);
    await eventually(async () => (await repo.remoteGit('rev-parse', MAIN)) !== before, 60_000, 'renewed');
    await t.rejects(breakLease(far, where, false), { code: 'refused' });
    t.match(await breakLease(far, where, true), { broken: true, lease: { state: 'free', token: 2 } });
    if (!lease.lost.aborted) await new Promise((resolve) => lease.lost.addEventListener('abort', resolve));
    return lease.confirm();
  });
  t.match(worked, { kind: 'worked', value: { kind: 'lost' } }, 'it learns so by its next renewal');
  t.match(await breakLease(far, where, true), { broken: false }, 'free already');

  const blob = await repo.git('hash-object', '-w', '--stdin', { input: '{"kind":"lease"}' });
  await repo.git('push', '-q', '--force', 'origin', `${blob}:${MAIN}`);
  const refused = await withLease(far, { ...where, unit: unit('bbbb') }, async () => 1);
  t.match(refused, { kind: 'impossible', damaged: true });
  t.match((await listLeases(far)).items, [{ state: 'damaged' }]);
  t.match(await breakLease(far, where, true), { broken: true, lease: { state: 'free', token: 3 } });

  await repo.remoteGit('config', 'receive.hideRefs', 'refs/owl');
  const hidden = await withLease(far, { ...where, unit: unit('bbbb') }, async () => 1);
  t.match(hidden, { kind: 'impossible', damaged: false }, 'a remote that takes only branches');
  await repo.git('remote', 'set-url', 'origin', box.path('nowhere.git'));
  t.match(await withLease(bench, { ...where, unit: unit('bbbb') }, async () => 1), { kind: 'unreachable' });
});
