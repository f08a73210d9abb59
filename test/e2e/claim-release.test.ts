// How a claim on the queue of several machines ends: what was done is published, in few pushes, before it is given back; whatever
// ends the runner, nobody does the work twice (05, S5, S7; 07.16, 07.53).

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type Test, t } from 'tap';
import type { Agent } from '../fixtures/agents.js';
import { setHook } from '../fixtures/remote.js';
import type { Repo } from '../fixtures/repository.js';
import { eventually, type Sandbox, sandbox } from '../fixtures/sandbox.js';

const CONFIG = 'plan: false\nchecks: []\n';
const STATE = 'refs/heads/refine/state';
const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;
const claimOf = async (repo: Repo, id: string) =>
  JSON.parse(await repo.remoteGit('cat-file', '-p', `refs/owl/claims/${id}`));
const there = (repo: Repo, ref: string) => repo.remoteGit('for-each-ref', '--format=%(objectname)', ref);
const runsOf = async (repo: Repo, id: string) =>
  Promise.all((await repo.records(new RegExp(`${id}/runs/`))).map((path) => repo.record(path)));

const WORK = [{ write: '{job}.txt', text: 'work {run}\n' }, { commit: 'Write it' }] as const;

/** Two clones of one shared queue, and an agent that waits once its work is committed. */
async function ground(t: Test, waits = true): Promise<readonly [Sandbox, Repo, Repo, Agent]> {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    execute: waits ? [...WORK, { reach: 'at' }, { await: 'go' }] : WORK,
  });
  const repo = await box.repository({ remote: 'bare', agents: [agent], config: CONFIG });
  return [box, repo, await repo.clone('other'), agent];
}

/** Of each push, the refs that it asked for. */
function watchPushes(box: Sandbox, repo: Repo): () => readonly string[][] {
  const file = box.path('pushes');
  setHook(repo.bare, 'pre-receive', `cut -d ' ' -f 3 | tr '\\n' ' ' >> '${file}'\necho >> '${file}'`);
  return () => {
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    rmSync(file, { force: true });
    return lines.map((line) => line.trim().split(' ').sort());
  };
}

t.test('S5, S7: a Job costs two pushes: its claim, then tip, state and release at once', async (t) => {
  const [box, repo, , agent] = await ground(t, false);
  const ids = [await repo.add('write a'), await repo.add('write b')];
  await repo.owl('sync');
  const pushes = watchPushes(box, repo);
  await repo.owl('run', '--claim-remote', '--all');
  t.same(
    pushes(),
    ids.flatMap((id) => [[`refs/owl/claims/${id}`], [STATE, `refs/owl/claims/${id}`, `refs/owl/shared/${id}`]]),
  );
  for (const id of ids) {
    t.match(await claimOf(repo, id), { holder: null, token: 1 });
    t.equal(await there(repo, `refs/owl/shared/${id}`), (await show(repo, id)).tip);
  }
  t.equal(await there(repo, STATE), await repo.oid(STATE));
  t.equal(agent.name, 'worker');
});

t.test('S7: a remote that takes no atomic push gets them one after the other, the release last', async (t) => {
  const [box, repo] = await ground(t, false);
  await repo.remoteGit('config', 'receive.advertiseAtomic', 'false');
  const id = await repo.add('write a');
  await repo.owl('sync');
  const pushes = watchPushes(box, repo);
  await repo.owl('run', '--claim-remote');
  t.same(pushes(), [[`refs/owl/claims/${id}`], [`refs/owl/shared/${id}`], [STATE], [`refs/owl/claims/${id}`]]);
  t.match(await claimOf(repo, id), { holder: null });
  t.equal(await there(repo, STATE), await repo.oid(STATE));
});

for (const how of ['SIGTERM', '--for'] as const)
  t.test(`S7, J18, 06: ended by ${how}, a runner publishes what was done, and gives its claim back`, async (t) => {
    const [, repo, other, agent] = await ground(t);
    const id = await repo.add('write a');
    await repo.owl('sync');
    await other.owl('sync');
    const runner = repo.start('run', '--all', '--claim-remote', ...(how === '--for' ? ['--for', '12s'] : []));
    await agent.reached('at');
    if (how === 'SIGTERM') runner.kill('SIGTERM');
    const ended = await runner.wait();
    t.equal(ended.code, how === 'SIGTERM' ? 143 : 8, ended.stderr);
    t.match(await show(repo, id), { state: 'pending', runs: 1 });
    t.equal(await there(repo, STATE), await repo.oid(STATE), 'the state is there');
    t.match(await claimOf(repo, id), { holder: null, token: 1 }, 'released');
    const tip = await there(repo, `refs/owl/shared/${id}`);
    t.equal(tip, (await show(repo, id)).tip, 'with what the agent had committed');
    t.match(await repo.remoteGit('show', `${tip}:${id}.txt`), /^work /);
    // The next runner goes on at once, from there.
    agent.release('go');
    await other.owl('run', '--claim-remote');
    const now = await show(other, id);
    t.match(now, { state: 'review', runs: 2 });
    t.equal((await other.gitResult('merge-base', '--is-ancestor', tip, now.tip)).code, 0, 'on that work');
    t.match(await claimOf(other, id), { holder: null, token: 2 });
  });

t.test(
  '07.16, S7: killed between settlement and publication, its next command publishes, and nobody does it again',
  async (t) => {
    const [, repo, other] = await ground(t, false);
    const id = await repo.add('write a');
    await repo.owl('sync');
    await other.owl('sync');
    t.equal(
      (await repo.owl('run', '--claim-remote', { fails: 'any', env: { OWL_FAIL_AT: 'claim.before-publish' } })).code,
      null,
    );
    t.match((await other.owl('run', '--claim-remote', '--json')).json().data, {
      items: [],
      waiting: [{ why: /another runner/ }],
    });
    await repo.owl('list');
    t.not((await claimOf(repo, id)).holder, null, 'a command that shares nothing leaves it alone');
    await repo.owl('add', 'another');
    t.not((await claimOf(repo, id)).holder, null, 'also one that writes');
    await repo.owl('run', '--claim-remote', '--dry-run');
    await repo.owl('run', '--claim-remote');
    t.match(await claimOf(repo, id), { holder: null, token: 1 });
    t.equal(await there(repo, `refs/owl/shared/${id}`), (await show(repo, id)).tip);
    await other.owl('sync');
    t.match(await show(other, id), { state: 'review', runs: 1 });
    t.equal((await runsOf(other, id)).length, 1);
  },
);

t.test(
  '07.53, S7: killed there and taken over, it comes back: the later claim counts, without a question',
  async (t) => {
    const [, repo, other] = await ground(t, false);
    const id = await repo.add('write a');
    await repo.owl('sync');
    const short = { OWL_LEASE_LENGTH: '1500' };
    await repo.owl('run', '--claim-remote', { fails: 'any', env: { ...short, OWL_FAIL_AT: 'claim.before-publish' } });
    const first = (await show(repo, id)).tip;
    await eventually(async () => {
      const result = await other.owl('run', '--claim-remote', '--json', { env: short });
      return result.jsonLines()[0]?.data.id === id;
    });
    const taken = (await show(other, id)).tip;
    t.not(taken, first);
    await repo.owl('sync');
    for (const clone of [repo, other]) {
      await clone.owl('sync');
      const runs = await runsOf(clone, id);
      t.same(runs.map(({ superseded, outcome }) => [outcome, superseded]).sort(), [
        ['succeeded', false],
        ['succeeded', true],
      ]);
      const [job] = await clone.records(new RegExp(`${id}/job.json$`));
      t.match(await clone.record(job ?? ''), { state: 'review', tip: taken, token: 2 });
    }
    t.equal(await repo.oid(STATE), await other.oid(STATE));
    t.equal(await there(repo, `refs/owl/shared/${id}`), taken);
    await repo.owl('run', '--claim-remote');
    t.match(await claimOf(repo, id), { holder: null, token: 2 }, 'a claim of others is not given back');
    t.equal((await repo.gitResult('cat-file', '-e', first)).code, 0, 'nothing is lost');
  },
);

t.test(
  'S6, S7: what cannot be published keeps its claim, so that nobody does it again, and goes with the next run',
  async (t) => {
    const [box, repo, other, agent] = await ground(t);
    const id = await repo.add('write a');
    await repo.owl('sync');
    const closed = box.path('closed');
    setHook(repo.bare, 'update', `test "$1" != '${STATE}' || test ! -e '${closed}'`);
    const runner = repo.start('run', '--claim-remote');
    await agent.reached('at');
    writeFileSync(closed, '');
    agent.release('go');
    const ended = await runner.wait();
    t.match(ended.stderr, /declined refine\/state.*the state here is whole/);
    t.equal(ended.code, 0, 'the Job itself ended well');
    t.match(await show(repo, id), { state: 'review' });
    t.not((await claimOf(repo, id)).holder, null);
    t.match((await other.owl('run', '--claim-remote', '--json')).json().data, {
      items: [],
      waiting: [{ why: /another runner/ }],
    });
    rmSync(closed);
    await repo.owl('run', '--claim-remote');
    t.match(await claimOf(repo, id), { holder: null });
    await other.owl('sync');
    t.match(await show(other, id), { state: 'review', runs: 1 });
  },
);

t.test('S7: with the state of one of two goes where the other began, so that it can be taken over', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    execute: [
      { write: '{job}.txt', text: 'work\n' },
      { commit: 'Write it' },
      {
        sh: `grep -q slow "$OWL_PROMPT_FILE" || exit 0; touch '${box.path('slow')}'; while test ! -e '${box.path('go')}'; do sleep 0.1; done`,
      },
    ],
  });
  const repo = await box.repository({ remote: 'bare', agents: [agent], config: CONFIG });
  const slow = await repo.add('slow work');
  const quick = await repo.add('quick work');
  await repo.owl('sync');
  const pushes = watchPushes(box, repo);
  const runner = repo.start('run', '--claim-remote', '--all', '--max-parallel', '2');
  await eventually(async () => (await there(repo, `refs/owl/shared/${quick}`)) !== '' && existsSync(box.path('slow')));
  const tip = await there(repo, `refs/owl/shared/${slow}`);
  const [path] = await repo.records(new RegExp(`${slow}/job.json$`));
  const published = JSON.parse(await repo.remoteGit('show', `${STATE}:${path}`));
  t.match(published, { state: 'active', token: 1 });
  t.equal(tip, published.tip);
  writeFileSync(box.path('go'), '');
  t.equal((await runner.wait()).code, 0);
  t.equal(await there(repo, `refs/owl/shared/${slow}`), (await show(repo, slow)).tip);
  t.equal(
    pushes().filter((refs) => refs.join() === `refs/owl/claims/${slow}`).length,
    1,
    'no lane takes the claim of another',
  );
  t.notMatch(runner.stderr(), /changed while it ran/, 'what a lane fetches is no change of the agent');
  t.match(await claimOf(repo, slow), { holder: null });
});
