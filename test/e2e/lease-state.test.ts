// The lease of a target on a remote that takes only branches: a record in the pushed state, by the same rules (G30, last sentence).

import { t } from 'tap';
import type { Scenario } from '../fixtures/agents.js';
import { setHook } from '../fixtures/remote.js';
import type { Repo } from '../fixtures/repository.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

t.setTimeout(600_000);

const STATE = 'refs/heads/refine/state';
const CONFIG = `plan: false
checks:
  - { name: test, run: "ls *.txt" }
quality: { checks: [{ name: style, run: "true" }] }
`;
const WORK: Scenario = { execute: [{ write: '{job}.txt', text: 'work\n' }, { commit: 'Work' }] };

const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;
const leases = async (repo: Repo) => (await repo.owl('lease', '--json')).json().data.items;
const onRemote = (repo: Repo, revision = 'main'): Promise<string> => repo.remoteGit('rev-parse', revision);
const custom = async (repo: Repo) => (await repo.remoteGit('for-each-ref', 'refs/owl')).trim();

async function ready(repo: Repo): Promise<string> {
  const id = (await repo.owl('goal', 'add', 'write it', '--request', 'please', '--queue')).stdout.trim();
  for (let at = 0; at < 3; at += 1) await repo.owl('goal', 'advance', id, '--step');
  return id;
}

async function ground(box: Sandbox): Promise<Repo> {
  const repo = await box.repository({ remote: 'bare', agents: [box.agent('worker', WORK)], config: CONFIG });
  await repo.add('of this clone');
  await repo.git('push', '-q', 'origin', STATE);
  return repo;
}

t.test('G30: a remote that takes only branches has the lease in the pushed state; the token only grows', async (t) => {
  const box = await sandbox(t);
  const repo = await ground(box);
  setHook(repo.bare, 'update', 'case "$1" in refs/heads/*) exit 0;; esac; echo only branches >&2; exit 1');
  for (const token of [1, 2]) {
    const id = await ready(repo);
    await repo.owl('goal', 'advance', id);
    t.match(await show(repo, id), { status: 'review' });
    t.match(await repo.remoteGit('log', '-1', '--format=%B', 'main'), new RegExp(`Owl-Lease-Token: ${token}`));
    t.match(await leases(repo), [{ target: 'main', remote: 'origin', ref: STATE, state: 'free', token }]);
  }
  t.equal(await custom(repo), '');
  t.match((await repo.owl('fsck', '--json')).json().data.findings, []);

  // Hidden from pushes instead: the same.
  setHook(repo.bare, 'update', 'exit 0');
  await repo.remoteGit('config', 'receive.hideRefs', 'refs/owl');
  const hidden = await ready(repo);
  await repo.owl('goal', 'advance', hidden);
  t.match(await leases(repo), [{ target: 'main', state: 'free', token: 3 }]);
  t.equal(await custom(repo), '');
});

t.test('G30: in the state too a lease is waited for, taken over by the taker’s own clock, and broken', async (t) => {
  const box = await sandbox(t);
  const repo = await ground(box);
  await repo.remoteGit('config', 'transfer.hideRefs', 'refs/owl');
  const other = await repo.clone('other');
  await other.git('fetch', '-q', 'origin', `${STATE}:${STATE}`);
  const mine = await ready(repo);
  const killed = await repo.owl('goal', 'advance', mine, { fails: 'any', env: { OWL_FAIL_AT: 'lease.after-acquire' } });
  t.equal(killed.signal, 'SIGKILL');
  t.match(await leases(other), [{ state: 'held', token: 1, unit: { kind: 'goal', id: mine } }]);

  const theirs = await ready(other);
  const main = await onRemote(repo);
  box.at('2026-03-01T10:00:00Z');
  const held = await other.owlFails(7, 'goal', 'advance', theirs, { env: { OWL_LEASE_WAIT: '0' } });
  t.match(held.stderr, new RegExp(`held by goal ${mine}`));
  t.equal(await onRemote(repo), main);
  t.match((await other.owlFails(4, 'lease', '--break', 'main', '--json')).json().error, { code: 'refused' });
  box.at('2026-03-01T10:11:00Z');
  await other.owl('goal', 'advance', theirs, { env: { OWL_LEASE_WAIT: '0' } });
  t.match(await show(other, theirs), { status: 'review' });
  t.match(await repo.remoteGit('log', '-1', '--format=%B', 'main'), /Owl-Lease-Token: 2/, 'a higher token');

  const third = await ready(other);
  await other.owl('goal', 'advance', third, { fails: 'any', env: { OWL_FAIL_AT: 'lease.after-acquire' } });
  const broken = await repo.owl('lease', '--break', 'main', '--force', '--json');
  t.match(broken.json().data, { broken: true, state: 'free', token: 4, unit: null });
  await repo.owl('goal', 'advance', mine, { env: { OWL_LEASE_WAIT: '0' } });
  t.match(await show(repo, mine), { status: 'review' });
  t.match(await leases(repo), [{ state: 'free', token: 5 }]);
});

t.test(
  'G30: killed around a swap in the state; without a shared state there is no lease, and that is said',
  async (t) => {
    const box = await sandbox(t);
    const repo = await ground(box);
    await repo.remoteGit('config', 'transfer.hideRefs', 'refs/owl');
    for (const point of ['lease.before-take', 'lease.after-take', 'lease.before-release', 'lease.after-release']) {
      const id = await ready(repo);
      const before = await onRemote(repo);
      const killed = await repo.owl('goal', 'advance', id, { fails: 'any', env: { OWL_FAIL_AT: point } });
      t.equal(killed.signal, 'SIGKILL', point);
      await repo.owl('goal', 'advance', id, { fails: 'any' });
      t.match(await show(repo, id), { status: 'review' }, point);
      t.equal(await onRemote(repo, 'main^1'), before, `${point}: merged once`);
      t.match(await leases(repo), [{ state: 'free' }], point);
    }
    await repo.remoteGit('update-ref', '-d', STATE);
    const last = await ready(repo);
    const alone = await repo.owl('goal', 'advance', last);
    t.match(alone.stderr, /origin takes no leases/);
    t.match(await show(repo, last), { status: 'review' });
    t.notMatch(await repo.remoteGit('log', '-1', '--format=%B', 'main'), /Owl-Lease-Token/);
  },
);
