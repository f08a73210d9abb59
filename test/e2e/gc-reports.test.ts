// Work that nobody here can settle is reported, and stays as it is (M1, M2): Runs and claims of other machines, and ended work beside them.

import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { t } from 'tap';
import { acted, everything, gc, ground, HOUR, of, said } from '../fixtures/gc.js';
import { goal, round } from '../fixtures/goal-records.js';
import { plant } from '../fixtures/goal-store.js';
import { run } from '../fixtures/records.js';

t.setTimeout(600_000);

t.test('M2: Runs and Goals of another machine, and one that nobody claims, are told and not settled', async (t) => {
  const { repo, reviewed, later, show } = await ground(t);
  const [far, nobody] = await reviewed('far', 'nobody');
  const since = '2024-05-06T11:00:00Z';
  const claim = { run: 'farrun0001', host: 'elsewhere', boot: 'b', namespace: 'n', pid: 4242, start: '1', since };
  await plant(t, repo, async (tx) => {
    for (const [one, held] of [
      [far, claim],
      [nobody, null],
    ] as const) {
      const found = await tx.job(one.id);
      if (found.kind !== 'found') throw new Error(found.kind);
      const { record } = found;
      tx.putJob({ ...record, state: 'active', claim: held, revision: record.revision + 1 });
    }
    tx.putGoal(goal('distant', { status: 'quality', claim }));
    tx.putRound(round('distant'));
  });
  later(1_000 * HOUR);
  const before = await everything(repo);
  const items = await gc(repo);
  for (const [id, detail] of [
    [far.id, /process 4242 on elsewhere claimed job .* git owl stop/],
    ['distant', /process 4242 on elsewhere claimed goal distant .* git owl stop distant/],
    [nobody.id, /is active and nobody claims it/],
  ] as const) {
    const item = of(items, 'run', id);
    t.equal(said(item), 'report run-out-of-sight none', id);
    t.match(item?.detail, detail);
  }
  t.same(acted(items), []);
  t.same(await everything(repo), before, 'nothing of it is settled, however long ago that was');
  t.match(await show(far.id), { state: 'active' });
  for (const job of [far, nobody]) t.ok(existsSync(job.path));
  t.match((await repo.owl('gc')).stdout, /elsewhere/, 'in words too');
});

t.test('M2: a claim from before this machine was started again is told, and a person settles it', async (t) => {
  const { repo, reviewed, show } = await ground(t);
  const [job] = await reviewed('before the boot');
  const since = '2024-05-06T11:00:00Z';
  const claim = {
    run: 'oldrun0001',
    host: hostname(),
    boot: 'an earlier one',
    namespace: '',
    pid: process.pid,
    start: '1',
    since,
  };
  await plant(t, repo, async (tx) => {
    const found = await tx.job(job.id);
    if (found.kind !== 'found') throw new Error(found.kind);
    const { record } = found;
    tx.putJob({ ...record, state: 'active', claim, runs: 2, last_run: claim.run, revision: 9 });
    tx.putRun(run(claim.run, job.id, 2, { onto: record.onto, started: since }));
  });
  t.equal(said(of(await gc(repo), 'run', job.id)), 'report run-out-of-sight none');
  t.match(await show(job.id), { state: 'active' });
  const stopped = await repo.owl('stop', '--force', job.id);
  t.match(stopped.stderr + stopped.stdout, /settled without an answer/);
  t.match(await show(job.id), { state: 'pending' });
  t.equal(await repo.oid(job.ref), job.tip, 'its work is there');
  t.equal(of(await gc(repo), 'run', job.id), undefined);
});
