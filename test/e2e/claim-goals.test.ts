// Goals in a queue that several machines share: each is claimed as a Job is, by its own id, and carried by one runner at a time (05, S7,
// S10; 01, Liveness).

import { t } from 'tap';
import { addGoal, door, GATED, onRemote, showGoal, WORK } from '../fixtures/goals.js';
import type { Repo } from '../fixtures/repository.js';
import { eventually, sandbox } from '../fixtures/sandbox.js';

const STATE = 'refs/heads/refine/state';
const claimOf = async (repo: Repo, id: string) =>
  JSON.parse(await repo.remoteGit('cat-file', '-p', `refs/owl/claims/${id}`));
const merges = async (repo: Repo, id: string) =>
  (await repo.remoteGit('log', '--format=%H', `--grep=^Owl-Goal: ${id}`, 'main')).split('\n').filter(Boolean);
const recordOf = async (repo: Repo, id: string, file = 'goal') =>
  repo.record((await repo.records(new RegExp(`${id}/${file}.json$`)))[0] ?? '');

t.test(
  'S7, S10: a Goal of another clone waits unless --claim-remote is given; then one runner carries it',
  async (t) => {
    const box = await sandbox(t);
    const agent = box.agent('worker', {
      ...WORK,
      execute: [{ write: 'work.txt', text: 'work\n' }, { commit: 'Write it' }, { reach: 'at' }, { await: 'go' }],
    });
    const repo = await box.repository({ remote: 'bare', agents: [agent], config: GATED });
    const other = await repo.clone('other');
    const id = await addGoal(repo, 'write it');
    await repo.owl('sync');
    await other.owl('sync');
    t.match((await other.owl('run', '--json')).json().data, {
      items: [],
      waiting: [{ goal: id, why: /another clone/ }],
    });
    t.match((await other.owl('run', '--claim-remote', '--dry-run', '--json')).json().data, { items: [{ id }] });
    const runner = other.start('run', '--claim-remote');
    await agent.reached('at');
    t.match((await repo.owl('run', '--claim-remote', '--json')).json().data, {
      items: [],
      waiting: [{ goal: id, why: /another runner has it/ }],
    });
    t.match((await repo.owlFails(7, 'run', '--claim-remote', id)).stderr, /another runner has it/);
    agent.release('go');
    t.equal((await runner.wait()).code, 0, runner.stderr());
    t.match(await claimOf(repo, id), { holder: null, token: 1, target: id });
    await repo.owl('sync');
    t.match(await showGoal(repo, id), { status: 'review' });
    t.equal((await merges(repo, id)).length, 1);
  },
);

t.test('S7, J8: a Goal that one runner left on its way goes on at the next one, from its commits', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', WORK);
  const gate = door(box, 'quality');
  const config = GATED.replace('quality: { checks: [', `quality: { checks: [{ name: door, run: "${gate.command}" }, `);
  const repo = await box.repository({ remote: 'bare', agents: [agent], config });
  const other = await repo.clone('other');
  const id = await addGoal(repo, 'write it');
  gate.shut();
  const runner = repo.start('run', '--claim-remote');
  await gate.reached();
  runner.kill('SIGTERM');
  t.equal((await runner.wait()).code, 143, runner.stderr());
  gate.open();
  t.match(await claimOf(repo, id), { holder: null, token: 1 }, 'released');
  const { candidate } = await recordOf(repo, id);
  t.ok(candidate, 'with a Candidate');
  await other.owl('run', '--claim-remote');
  t.match(await showGoal(other, id), { status: 'review' });
  t.match(await claimOf(repo, id), { holder: null, token: 2 });
  const [merge] = await merges(other, id);
  t.equal((await other.gitResult('merge-base', '--is-ancestor', candidate.tip, merge ?? '')).code, 0, 'that very work');
  await repo.owl('sync');
  t.match(await showGoal(repo, id), { status: 'review' });
  t.equal(await repo.oid(STATE), await other.oid(STATE));
});

t.test('07.53, S7: killed under its claim and taken over, it comes back: one merge, and no question', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', WORK);
  const repo = await box.repository({ remote: 'bare', agents: [agent], config: GATED });
  const other = await repo.clone('other');
  const id = await addGoal(repo, 'write it');
  await repo.owl('sync');
  const short = { OWL_LEASE_LENGTH: '1500' };
  await repo.owl('run', '--claim-remote', { fails: 'any', env: { ...short, OWL_FAIL_AT: 'gate.after-checks' } });
  await eventually(async () => {
    const result = await other.owl('run', '--claim-remote', '--json', { env: short });
    return result.jsonLines()[0]?.data.id === id;
  });
  t.match(await showGoal(other, id), { status: 'review' });
  await repo.owl('run', '--claim-remote');
  await other.owl('sync');
  await repo.owl('sync');
  t.equal(await repo.oid(STATE), await other.oid(STATE));
  for (const clone of [repo, other]) t.match(await showGoal(clone, id), { status: 'review' });
  t.equal((await merges(repo, id)).length, 1);
  t.match(await recordOf(repo, id), { token: 2, claim: null });
});

t.test('07.53, G32: one that stalled before its merge, and lost its claim, merges nothing', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', WORK);
  const gate = door(box, 'governance');
  const config = GATED.replace(
    'governance: { checks: [',
    `governance: { checks: [{ name: door, run: "${gate.command}" }, `,
  );
  const repo = await box.repository({ remote: 'bare', agents: [agent], config });
  const other = await repo.clone('other');
  const id = await addGoal(repo, 'write it');
  await repo.owl('sync');
  gate.shut();
  const slow = repo.start('run', '--claim-remote', { env: { OWL_LEASE_LENGTH: '1500' } });
  await gate.reached();
  process.kill(slow.pid, 'SIGSTOP');
  gate.open();
  await eventually(async () => {
    const result = await other.owl('run', '--claim-remote', '--json', {
      fails: 'any',
      env: { OWL_LEASE_LENGTH: '60000' },
    });
    return result.jsonLines()[0]?.data?.id === id;
  }, 60_000);
  t.match(await showGoal(other, id), { status: 'review' });
  const target = await onRemote(repo);
  process.kill(slow.pid, 'SIGCONT');
  t.equal((await slow.wait()).code, 4, slow.stderr());
  t.equal(await onRemote(repo), target, 'it moved nothing');
  await repo.owl('sync');
  await other.owl('sync');
  for (const clone of [repo, other]) t.match(await showGoal(clone, id), { status: 'review' });
  t.equal((await merges(repo, id)).length, 1);
});
