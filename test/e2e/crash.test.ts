// `kill -9` at each step of a command; the next command goes on from there: nothing lost, nothing done twice (07.29, 00).
// The steps of `gc` are in gc.test.ts, those of a Run before its branch is there in queue.test.ts.

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Step } from '../fixtures/agents.js';
import type { Repo } from '../fixtures/repository.js';
import { eventually, sandbox } from '../fixtures/sandbox.js';

t.setTimeout(900_000);

const STATE = 'refs/heads/refine/state';

const show = async (repo: Repo, id: string) => (await repo.owl('show', id, '--json')).json().data;

/** How many lines of the state's history begin like this. */
const said = async (repo: Repo, start: string): Promise<number> =>
  (await repo.git('log', '--format=%s', STATE)).split('\n').filter((line) => line.startsWith(start)).length;

/** Runs a command that is killed at that point; fails when it never comes there. */
async function killAt(t: Test, repo: Repo, name: string, ...words: string[]): Promise<void> {
  // `point:2`: the second time that it comes there.
  const [point, count = '1'] = name.split(':');
  const env = { OWL_FAIL_AT: point, OWL_FAIL_AT_COUNT: count };
  const { signal, stderr } = await repo.owl(...words, { fails: 'any', env });
  t.equal(signal, 'SIGKILL', `${name} is reached ${signal === null ? stderr : ''}`);
}

/** Nothing of a killed command is left: no intent, no note of a merge or a checkout on its way, no lock; Git finds no fault. */
async function sound(t: Test, repo: Repo): Promise<void> {
  const left = Object.keys(await repo.refs()).filter((ref) =>
    /^refs\/owl\/local\/(?:intents|landing|follow|locks?|runs)\//.test(ref),
  );
  t.same(left, [], 'no note of a killed command is left');
  t.equal(await repo.git('fsck', '--strict', '--no-dangling'), '', 'git fsck is clean');
  t.match((await repo.owl('fsck', '--json')).json(), { ok: true }, 'git owl fsck is clean');
}

t.test('07.29: add, and --request-id answers a repeated call with the first result', async (t) => {
  const box = await sandbox(t);
  const repo = await box.repository();
  const points = ['before-objects', 'before-pins', 'after-pins', 'before-state', 'after-state', 'after-clear'];
  // The first one meets a repository without a state.
  for (const [at, point] of ['before-state', ...points].entries()) {
    const before = await repo.oid(STATE);
    const words = ['add', '--request-id', `request-${at}`, `survive ${point}`];
    await killAt(t, repo, `add.${point}`, ...words);
    t.equal((await repo.oid(STATE)) !== before, /^after-(?:state|clear)$/.test(point), `${point}: all or nothing`);
    const id = await repo.add(...words.slice(1));
    t.equal(await repo.add(...words.slice(1)), id, `${point}: a repeated request has the first answer`);
    t.equal(await said(repo, `job ${id}: added`), 1, `${point}: it was added once`);
  }
  t.equal((await repo.owl('list', '--json')).json().data.items.length, points.length + 1, 'one Job for each request');
  const reused = await repo.owlFails(4, 'add', '--request-id', 'request-0', 'something else', '--json');
  t.match(reused.json(), { ok: false, error: { code: 'request-reused' } });
  t.equal(await said(repo, 'state created'), 1);
  await sound(t, repo);
});

t.test('07.29, 07.16, 07.8: run', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    execute: [
      [{ append: 'work.txt', text: '{run}\n' }, { commit: 'Work of {run}' }, { write: 'draft.txt', text: 'draft\n' }],
      [{ append: 'work.txt', text: '{run}\n' }, { commit: 'Work of {run}' }],
    ],
  });
  const repo = await box.repository({
    remote: 'bare',
    agents: [agent],
    config: 'checks:\n  - { name: drafted, run: test -f draft.txt }\n',
  });
  const id = await repo.add('--no-plan', '--ttl', '50', 'survive everything');
  const before = await repo.untouched();
  // Each command settles the Run that the one before it left, and is killed in its own. `push`: the base moved before it.
  // `started`: the agent was; `claims: false`: it is killed before it has a Run of its own.
  interface Point {
    readonly point: string;
    readonly push?: true;
    readonly started?: true;
    readonly claims?: false;
  }
  const points: readonly Point[] = [
    { point: 'claim.before-state', claims: false },
    { point: 'claim.after-state' },
    { point: 'fetch.before-ref', push: true },
    { point: 'fetch.after-ref' },
    { point: 'branch.before-move' },
    { point: 'workspace.before-add' },
    { point: 'workspace.after-add' },
    { point: 'workspace.before-note' },
    { point: 'workspace.after-note' },
    { point: 'progress.before-state' },
    { point: 'progress.after-state' },
    { point: 'run.after-agent', started: true },
    { point: 'commit.before-move', push: true },
    { point: 'commit.after-move' },
    { point: 'run.before-move' },
    { point: 'run.after-move' },
    { point: 'run.agent-started', started: true },
    { point: 'run.before-check', started: true },
    { point: 'run.after-check', started: true },
    { point: 'run.before-settle', started: true },
    { point: 'settle.after-pins', claims: false },
    { point: 'settle.before-state:2', started: true },
    { point: 'settle.after-state', claims: false },
  ];
  for (const [at, { point, push }] of points.entries()) {
    if (push) await repo.colleague(`Push before ${point}`, { [`push-${at}.txt`]: 'pushed\n' });
    await killAt(t, repo, point, 'run');
  }
  await killAt(t, repo, 'settle.after-state', 'run');
  const job = await show(repo, id);
  t.match(job, { state: 'review', verified: 'current' }, 'the state commit alone decides');
  const seen = agent.seen();
  t.match((await repo.owl('run', '--json')).json(), { ok: true, data: { items: [] } }, 'and nobody does it twice');
  t.equal(agent.seen().length, seen.length);

  const { history } = job as { history: readonly { outcome: string; counted: boolean; number: number }[] };
  const claimed = points.filter(({ claims }) => claims !== false).length;
  t.same(
    history.map(({ number }) => number),
    Array.from({ length: claimed + 1 }, (_, at) => at + 1),
    'each claim is one Run',
  );
  t.same(
    history.map(({ outcome }) => outcome),
    [...Array(claimed).fill('interrupted'), 'succeeded'],
  );
  const counted = points.filter(({ claims }) => claims !== false).map(({ started }) => started === true);
  t.same(
    history.map((run) => run.counted),
    [...counted, true],
    'what started an agent costs one, and once',
  );
  t.equal(job.ttl, 50 - counted.filter(Boolean).length - 1);

  // Every commit of every agent is on the branch, once; so is what one of them left uncommitted.
  const subjects = (await repo.git('log', '--format=%s', `origin/main..${job.branch}`)).split('\n');
  const works = subjects.filter((subject) => subject.startsWith('Work of '));
  const lines = (await repo.git('show', `${job.branch}:work.txt`)).split('\n');
  // The agent that is killed as it starts may have got as far as its line, and not to its commit.
  const committed = lines.filter((run) => works.includes(`Work of ${run}`));
  const cut = lines.length - committed.length;
  t.ok(cut <= 1, `${cut} lines without a commit`);
  t.same(
    works.reverse(),
    committed.map((run) => `Work of ${run}`),
    'the commits of each Run, in order',
  );
  t.equal(new Set(lines).size, lines.length, 'none of them twice');
  t.ok(
    lines.length >= points.filter(({ started }) => started).length,
    'all but that of the agent killed as it started',
  );
  t.equal(subjects.filter((subject) => /^Uncommitted work/.test(subject)).length, 1 + cut);
  t.equal(await repo.git('show', `${job.branch}:draft.txt`), 'draft');
  t.equal(await repo.oid('origin/main'), await repo.git('merge-base', 'origin/main', job.branch));
  box.same(t, before, await repo.untouched());
  await eventually(() => box.processes().length === 0, 20_000, 'no process is left');
  await repo.owl('gc');
  await sound(t, repo);
});

t.test('07.29: packed-refs.lock left behind holds up no Run and no merge', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    plan: [{ handoff: '# Plan\n\nWrite it.\n', commit: false }],
    execute: [
      { append: 'work.txt', text: 'work\n' },
      { handoff: '# Handoff\n\nWritten.\n', commit: false },
      { commit: 'Write it' },
    ],
  });
  const repo = await box.repository({ agents: [agent] });
  const id = await repo.add('write it');
  const lock = join(repo.dir, '.git/packed-refs.lock');
  writeFileSync(lock, '');
  await repo.owl('run');
  t.match(await show(repo, id), { state: 'review', runs: 2, ttl: 8 });
  const { branch } = await show(repo, id);
  t.match((await repo.owl('merge', id)).stderr, /packed-refs\.lock/, 'what cannot be deleted stays, and is said');
  t.match(await show(repo, id), { state: 'done' });
  t.equal(await repo.git('show', 'main:work.txt'), 'work');
  t.ok(existsSync(lock), 'the lock of somebody else is not ours to remove');
  const next = await repo.add('the next one');
  await repo.owl('run', next, '--step');
  rmSync(lock);
  await repo.owl('run', next);
  await repo.owl('gc');
  t.equal(await repo.oid(`refs/heads/${branch}`), '', 'and what stayed goes when it can');
  await sound(t, repo);
});

t.test('07.29: a Run whose end cannot be written is settled by the next command and costs nothing', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    plan: [{ reach: 'planning' }, { await: 'on' }, { handoff: '# Plan\n\nWrite it.\n', commit: false }],
  });
  const repo = await box.repository({ agents: [agent] });
  const id = await repo.add('write it');
  const running = repo.start('run', '--step');
  await agent.reached('planning', 60_000);
  const lock = join(repo.dir, '.git/refs/heads/refine/state.lock');
  writeFileSync(lock, '');
  agent.release('on');
  const ended = await running.wait();
  t.equal(ended.code, 7);
  t.match(ended.stderr, /run 1 of job \w+ could not be settled/);
  t.notMatch(ended.stderr, /nothing was changed/);
  rmSync(lock);
  await repo.owl('run', '--step');
  const job = await show(repo, id);
  t.match(job, { state: 'pending', phase: 'execute', runs: 2, ttl: 9 }, 'the plan that was committed stands');
  t.match(job.history, [{ outcome: 'interrupted' }, { outcome: 'succeeded' }]);
  await sound(t, repo);
});

t.test('07.29, J36: merge', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    execute: [{ write: 'work-{job}.txt', text: '{job}\n' }, { commit: 'Work on {job}' }],
  });
  const repo = await box.repository({ agents: [agent] });
  const ids: string[] = [];
  for (const words of ['one', 'two']) ids.push(await repo.add('--no-plan', words));
  const [one = '', two = ''] = ids;
  await killAt(t, repo, 'run.after-settle', 'run', one);
  await killAt(t, repo, 'settle.after-clear', 'run', two);
  const start = await repo.oid('main');

  const merging = [
    {
      id: one,
      points: [
        'merge.before-base',
        'follow.before-files',
        'follow.after-files',
        'follow.after-ref',
        'merged.before-state',
        'merged.after-state',
        'merge.after-worktree',
        'merge.after-branch',
      ],
    },
    {
      id: two,
      points: [
        'merge.before-state',
        'merge.after-base',
        'merge.after-state',
        'workspace.before-remove',
        'workspace.after-remove',
      ],
    },
  ];
  for (const { id, points } of merging) {
    const job = await show(repo, id);
    for (const point of points) await killAt(t, repo, point, 'merge', id);
    await repo.owl('merge', id, { fails: 'any' });
    t.match(await show(repo, id), { state: 'done', merged: { by: 'owl' } });
    const merges = (await repo.git('log', '--first-parent', '--format=%H', `${start}..main`)).split('\n');
    t.equal(merges.length, ids.indexOf(id) + 1, 'merged once');
    t.equal(await said(repo, `job ${id}: merged`), 1, 'recorded once');
    t.equal(repo.read(`work-${id}.txt`).trim(), id, 'the checkout of the base followed');
    t.equal(await repo.git('status', '--porcelain'), '', 'and is clean');
    t.equal(await repo.oid(`refs/heads/${job.branch}`), '', 'the branch is gone');
    t.notOk(repo.exists(job.worktree), 'so is the worktree');
  }
  await sound(t, repo);
});

t.test('01, 07.29: a lock that a killed commit left in a worktree of ours goes with its Run', async (t) => {
  const box = await sandbox(t);
  const locked: Step[] = [
    { append: 'work.txt', text: '{run}\n' },
    { sh: 'touch "$(git rev-parse --git-path index.lock)" "$(git rev-parse --git-path HEAD.lock)"' },
  ];
  const worker = box.agent('worker', {
    execute: [
      [...locked, { reach: 'locked' }, { sleep: 60_000 }],
      [{ append: 'work.txt', text: '{run}\n' }, { commit: 'Work' }],
    ],
  });
  const repo = await box.repository({ agents: [worker] });
  const id = await repo.add('--no-plan', 'commit');
  const running = repo.start('run');
  await worker.reached('locked');
  running.kill('SIGKILL');
  await running.wait();
  const { worktree } = await show(repo, id);
  const admin = await box.open(worktree).git('rev-parse', '--absolute-git-dir');
  t.ok(repo.exists(`${admin}/index.lock`));
  t.match((await repo.owl('run')).stderr, /removed .*index\.lock/);
  t.match(await show(repo, id), { state: 'review' });
  // One whose owner is not known stays, and is named.
  repo.write(`${admin}/index.lock`, '');
  repo.write(`${worktree}/more.txt`, 'more\n');
  await repo.owl('retry', id);
  t.match((await repo.owlFails(4, 'run')).stderr, new RegExp(`${admin}/index.lock`));
  t.match((await repo.owlFails(4, 'drop', '--force', id)).stderr, new RegExp(`${admin}/index.lock`));
  repo.remove(`${admin}/index.lock`);
  await repo.owl('drop', '--force', id);
  await sound(t, repo);
});

t.test('07.29, J30: drop, and what a killed removal of a worktree left', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', { execute: [{ write: 'work.txt', text: 'work\n' }, { commit: 'Work' }] });
  const repo = await box.repository({ agents: [agent] });
  const three = await repo.add('--no-plan', 'three');
  await repo.owl('run');
  const job = await show(repo, three);
  const tip = await repo.oid(job.branch);
  const main = await repo.oid('main');
  const dropping = [
    'drop.before-state',
    'drop.after-state',
    'workspace.before-remove',
    'workspace.after-remove',
    'drop.after-worktree',
    'drop.after-branch',
  ];
  for (const point of dropping) await killAt(t, repo, point, 'drop', three);
  await repo.owl('drop', three, { fails: 'any' });
  t.match(await show(repo, three), { state: 'cancelled', tip });
  t.equal(await said(repo, `job ${three}: dropped`), 1, 'dropped once');
  t.equal(await repo.oid(`refs/heads/${job.branch}`), '');
  t.notOk(repo.exists(job.worktree));
  t.equal(await repo.git('worktree', 'list'), `${repo.dir}  ${main.slice(0, 7)} [main]`);
  await repo.owl('gc');
  await repo.owl('restore', three);
  t.match(await show(repo, three), { state: 'review' });
  t.equal(await repo.oid(job.branch), tip, 'its work is not lost');
  t.equal(await repo.oid('main'), main);
  await sound(t, repo);
});

t.test('07.29, M2: gc, killed before and after it settles what others left', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    execute: [{ write: 'work-{job}.txt', text: 'work {run}\n' }, { commit: 'Work' }],
  });
  const repo = await box.repository({ agents: [agent] });
  const one = await repo.add('--no-plan', 'one');
  await repo.owl('run', one);
  await killAt(t, repo, 'merge.after-base', 'merge', one);
  for (const point of ['gc.before-settle', 'gc.after-settle']) await killAt(t, repo, point, 'gc');
  await repo.owl('gc');
  t.match(
    await show(repo, one),
    { state: 'done', merged: { by: 'owl' } },
    'the merge that was interrupted is finished',
  );
  t.equal(await said(repo, `job ${one}: merged`), 1, 'recorded once');

  const two = await repo.add('--no-plan', 'two');
  await killAt(t, repo, 'run.before-settle', 'run', two);
  for (const point of ['gc.before-settle-run', 'gc.after-settle-run']) await killAt(t, repo, point, 'gc');
  await repo.owl('gc');
  const job = await show(repo, two);
  t.match(job, { state: 'pending', runs: 1 }, 'the dead Run is settled once, and its Job is in the queue');
  t.match(await repo.git('log', '--format=%s', job.branch), /^Work$/m, 'its commit is there');
  await repo.owl('run', two);
  t.match(await show(repo, two), { state: 'review' });
  await sound(t, repo);
});
