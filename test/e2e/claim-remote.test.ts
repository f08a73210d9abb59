// A queue that several machines share: a Job is taken by a claim on the remote, and two runners never run one at once (05, S7; 07.53).

import { t } from 'tap';
import type { Agent } from '../fixtures/agents.js';
import { setHook } from '../fixtures/remote.js';
import type { Repo } from '../fixtures/repository.js';
import { eventually, type Sandbox, sandbox } from '../fixtures/sandbox.js';

const CONFIG = 'plan: false\nchecks: []\n';
const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;
const claimOf = async (repo: Repo, id: string) =>
  JSON.parse(await repo.remoteGit('cat-file', '-p', `refs/owl/claims/${id}`));

const ground = async (box: Sandbox): Promise<readonly [Repo, Repo, Agent]> => {
  const agent = box.agent('worker', {
    execute: [{ reach: 'at' }, { await: 'go' }, { write: 'a.txt', text: 'a{number}\n' }, { commit: 'Write a' }],
  });
  const repo = await box.repository({ remote: 'bare', agents: [agent], config: CONFIG });
  return [repo, await repo.clone('other'), agent];
};

t.test('07.53, S7: two runners, one Job; what the first one did is on the remote, with its tip', async (t) => {
  const box = await sandbox(t);
  const [repo, other, agent] = await ground(box);
  const id = await repo.add('write a');
  const first = repo.start('run', '--claim-remote');
  await agent.reached('at');
  t.match((await other.owl('run', '--claim-remote', '--json')).json().data, {
    items: [],
    waiting: [{ why: /another runner/ }],
  });
  t.match((await other.owlFails(7, 'run', '--claim-remote', id)).stderr, /another runner has it/);
  agent.release('go');
  t.equal((await first.wait()).code, 0);
  t.match(await claimOf(repo, id), { holder: null, token: 1 }, 'released');
  await other.owl('sync');
  t.match(await show(other, id), { state: 'review', runs: 1 });
  t.equal(await repo.remoteGit('rev-parse', `refs/owl/shared/${id}`), (await show(repo, id)).tip);
  // The next runner goes on from there.
  await other.owl('retry', id, '-m', 'more');
  await other.owl('run', '--claim-remote', id);
  t.match(await show(other, id), { state: 'review', runs: 2 });
  t.match(await claimOf(repo, id), { holder: null, token: 2 }, 'the token only grows');
  await repo.owl('sync');
  t.match(await show(repo, id), { state: 'review', runs: 2 });
});

t.test('07.53, S7: one stalls past its claim and comes back: its result is kept, and moves nothing', async (t) => {
  const box = await sandbox(t);
  const [repo, other, agent] = await ground(box);
  const id = await repo.add('write a');
  const slow = repo.start('run', '--claim-remote', { env: { OWL_LEASE_LENGTH: '1500' } });
  await agent.reached('at');
  process.kill(slow.pid, 'SIGSTOP');
  agent.release('go');
  // Counted on the taker's own clock, from its first sight: it looks until then.
  let taken: { id?: string } | undefined;
  await eventually(async () => {
    const result = await other.owl('run', '--claim-remote', '--json', { fails: 'any' });
    taken = result.jsonLines()[0]?.data;
    return taken?.id === id;
  });
  t.match(await show(other, id), { state: 'review', runs: 1 });
  t.match(await claimOf(repo, id), { token: 2 });
  process.kill(slow.pid, 'SIGCONT');
  const late = await slow.wait();
  t.equal(late.code, 4, late.stderr);
  t.match(late.stdout + late.stderr, /another decision came while it ran/);
  const tipIn = async (clone: Repo) =>
    (await clone.record((await clone.records(new RegExp(`${id}/job.json$`)))[0] ?? '')).tip;
  t.equal(await tipIn(repo), await tipIn(other), 'it moved nothing');
  await other.owl('sync');
  const runs = await Promise.all((await other.records(new RegExp(`${id}/runs/`))).map((path) => other.record(path)));
  t.same(runs.map((run) => run.superseded).sort(), [false, true], 'and is kept as evidence');
  t.match(await show(other, id), { state: 'review' });
  t.match(await claimOf(repo, id), { token: 2, holder: null });
});

t.test(
  'S1, S7: what another clone finished is reviewed, merged and tried again here, once it is published',
  async (t) => {
    const box = await sandbox(t);
    const agent = box.agent('worker', {
      execute: [{ write: '{job}.txt', text: 'work {number}\n' }, { commit: 'Write it' }],
    });
    const repo = await box.repository({ remote: 'bare', agents: [agent], config: CONFIG });
    const other = await repo.clone('other');
    const [shared, again, kept] = [await repo.add('write a'), await repo.add('write b'), await repo.add('write c')];
    await repo.owl('run', '--claim-remote', shared);
    await repo.owl('run', '--claim-remote', again);
    await repo.owl('run', kept);
    setHook(repo.bare, 'update', `test "$1" != refs/owl/shared/${kept}`);
    await repo.owl('sync');
    t.same((await other.owl('sync', '--json')).json().data.tips.sort(), [shared, again].sort());
    const branch = (await other.git('for-each-ref', '--format=%(refname)', 'refs/heads/owl')).split('\n');
    t.equal(branch.length, 2);
    t.equal(await other.git('rev-parse', branch[0] ?? ''), await repo.git('rev-parse', branch[0] ?? ''));
    t.match((await other.owl('review', shared)).stdout, /Write it/);
    t.match((await other.owl('diff', shared)).stdout, new RegExp(`${shared}\\.txt`));
    await other.owl('retry', again, '-m', 'more');
    t.match((await other.owl('run', again, '--json')).jsonLines()[0].data, { state: 'review', runs: 2 });
    await other.owl('merge', shared);
    t.match(await show(other, shared), { state: 'done' });
    for (const verb of ['review', 'diff', 'merge']) {
      const { stderr } = await other.owlFails(3, verb, kept);
      t.match(stderr, /in another clone .*git owl sync there publishes them/, verb);
      t.match(stderr, /git owl sync/, verb);
      t.notMatch(stderr, /fsck/, verb);
    }
    const before = await other.git('for-each-ref', 'refs/heads/owl');
    t.same((await other.owl('sync', '--json')).json().data.tips, []);
    t.equal(await other.git('for-each-ref', 'refs/heads/owl'), before, 'a branch that is here is never moved');
  },
);

t.test('S7: a run without a claim warns where another clone is known to be at work', async (t) => {
  const box = await sandbox(t);
  const waiting = (at: string) => [
    { reach: `at-${at}` },
    { await: `go-${at}` },
    { write: 'a.txt', text: `${at}\n` },
    { commit: 'Write' },
  ];
  const agent = box.agent('worker', { execute: [waiting('one'), waiting('two')] });
  const repo = await box.repository({ remote: 'bare', agents: [agent], config: CONFIG });
  const other = await repo.clone('other');
  const id = await repo.add('write a');
  const warns = async (): Promise<boolean> => /another clone is at work on/.test((await other.owl('run')).stderr);
  await repo.owl('sync');
  await other.owl('sync');
  t.notOk(await warns());
  // Without a claim: what the state says.
  const plain = repo.start('run', id);
  await agent.reached('at-one');
  await repo.owl('sync');
  t.notMatch((await repo.owl('run')).stderr, /another clone/, 'its own is none');
  await other.git('fetch', '-q', 'origin');
  t.match((await other.owl('run')).stderr, new RegExp(`at work on ${id}: with --claim-remote`), 'only fetched');
  await other.owl('sync');
  t.ok(await warns(), 'taken in');
  t.notMatch((await other.owl('run', '--claim-remote')).stderr, /is at work on/);
  agent.release('go-one');
  t.equal((await plain.wait()).code, 0);
  await repo.owl('sync');
  await other.owl('sync');
  t.notOk(await warns());
  // With one: what its copy says, until it is released.
  await repo.owl('retry', id, '-m', 'more');
  const claimed = repo.start('run', '--claim-remote', id);
  await agent.reached('at-two');
  await other.owl('sync');
  t.ok(await warns());
  const later = new Date(Date.now() + 3_600_000).toISOString();
  t.notMatch((await other.owl('run', { env: { OWL_TEST_NOW: later } })).stderr, /another clone/, 'one that expired');
  agent.release('go-two');
  t.equal((await claimed.wait()).code, 0);
  await other.owl('sync');
  t.notOk(await warns());
});
