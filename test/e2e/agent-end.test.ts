// How an agent ends, and that nothing of it is left running: limits, signals, a killed git owl, children (J5, J18, J19).

import { existsSync } from 'node:fs';
import { t } from 'tap';
import type { Step } from '../fixtures/agents.js';
import type { Repo } from '../fixtures/repository.js';
import { eventually, type Sandbox, sandbox } from '../fixtures/sandbox.js';

// biome-ignore lint/suspicious/noExplicitAny: a document whose shape is about to be checked
const shown = async (repo: Repo, id: string): Promise<any> => (await repo.owl('show', id, '--json')).json().data;

/** A commit of one file, with the Handoff kept current. */
const work = (path = 'work.txt'): readonly Step[] => [
  { write: path, text: 'work\n' },
  { handoff: `# Handoff\n\nWrote ${path}.\n`, commit: false },
  { commit: `Write ${path}` },
];

/** Are these processes gone? Zombies of a container without an init do not count. */
const gone = (box: Sandbox, pids: readonly number[]): boolean => !box.processes().some(({ pid }) => pids.includes(pid));

const childrenIn = (trace: string): readonly number[] =>
  [...trace.matchAll(/child (\d+)/g)].map(([, pid]) => Number(pid));

t.test('J18, J19, 07.15: limits end agent and grandchild, though both ignore SIGTERM', async (t) => {
  const box = await sandbox(t);
  // Sleeps in one call: a child that looks at the clock would be at work, and no silence.
  const child = '(trap "" TERM; exec sleep 300) >/dev/null 2>&1 &';
  const stubborn: readonly Step[] = [{ ignoreTerm: true }, { sh: child }, ...work()];
  const agent = box.agent('worker', {
    cases: [
      { when: 'silence', execute: [...stubborn, { sleep: 120_000 }] },
      { when: 'chatter', execute: [...stubborn, { chatter: 120_000 }] },
    ],
  });
  const repo = await box.repository({
    agents: [agent],
    config: 'max_parallel: 2\nphases: { execute: { timeout: 12s, stall: 3s } }\n',
  });
  const silent = await repo.add('--no-plan', 'silence');
  const loud = await repo.add('--no-plan', 'chatter');
  await repo.owlFails(8, 'run', '--max-parallel', '2', silent, loud, { timeout: 200_000 });
  const stalled = await shown(repo, silent);
  t.match(stalled, { state: 'blocked', ttl: 9, reason: { code: 'limit-passed' } });
  t.match(stalled.reason.text, /stall limit of 3s/, 'the limit as written');
  t.match(stalled.history, [{ outcome: 'failed', ended_by: 'stall' }]);
  t.equal(await repo.git('show', `${stalled.branch}:work.txt`), 'work', 'what it committed stays');
  const late = await shown(repo, loud);
  t.match(late.reason.text, /timeout of 12s/);
  t.match(late.history, [{ outcome: 'failed', ended_by: 'timeout', exit: { signal: 'SIGKILL' } }]);
  t.equal(agent.trace().split('ignored SIGTERM').length, 3, 'both were asked first');
  t.same(box.processes(), [], 'nothing of them lives');
});

t.test('J18: Ctrl-C, SIGHUP and stop: interrupted, and pending again in its place', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    execute: [{ write: 'draft-{number}.txt', text: 'd\n' }, { reach: 'run-{number}' }, { sleep: 120_000 }],
  });
  const repo = await box.repository({ agents: [agent] });
  const id = await repo.add('--no-plan', 'first');
  const other = await repo.add('--no-plan', 'second');
  const seen = (count: number) => eventually(() => agent.seen().length === count, 120_000, `Run ${count} begins`);
  for (const [at, signal] of (['SIGINT', 'SIGHUP'] as const).entries()) {
    const running = repo.start('run');
    await seen(at + 1);
    await agent.reached('run-{number}', 60_000);
    running.kill(signal);
    const ended = await running.wait();
    t.ok(ended.code !== 0, `${signal} is no success`);
    t.match(await shown(repo, id), { state: 'pending', ttl: 9 - at, reason: { code: 'interrupted' } }, signal);
  }
  const running = repo.start('run');
  await seen(3);
  await repo.owl('stop', id);
  await running.wait();
  const job = await shown(repo, id);
  t.match(job, { state: 'pending', ttl: 7 });
  t.match(job.history.at(-1), { outcome: 'interrupted', ended_by: 'stopped' });
  t.match((await repo.owl('list', '--json')).json().data.items, [{ id }, { id: other }], 'in its place');
  t.ok(
    gone(
      box,
      agent.seen().map(({ pid }) => pid),
    ),
  );
  t.match(
    await repo.git('show', `${job.branch}:draft-1.txt`),
    'd',
    'what the first left was committed by the next (J10)',
  );
});

t.test('J5, 07.16: kill -9 of git owl leaves no agent working; the next command settles it', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    execute: [
      { print: 'I was here' },
      ...work('one.txt'),
      { write: 'two.txt', text: 'two\n' },
      { ignoreTerm: true },
      { child: 120_000, ignoreTerm: true },
      { child: 120_000, session: true },
      { reach: 'middle' },
      { sleep: 120_000 },
    ],
  });
  const repo = await box.repository({ agents: [agent] });
  const id = await repo.add('--no-plan', 'first');
  const other = await repo.add('--no-plan', 'second');
  const running = repo.start('run', '--step');
  await agent.reached('middle', 120_000);
  running.kill('SIGKILL');
  await running.wait();
  const pids = [...agent.seen().map(({ pid }) => pid), ...childrenIn(agent.trace())];
  t.equal(pids.length, 3);
  await eventually(() => gone(box, pids), 30_000, 'agent, grandchild and what left the group are gone');
  const before = await repo.refs();
  t.match((await repo.owl('status')).stdout, /gone/, 'status shows it as dead');
  t.match((await repo.owl('status')).stdout, /next: git owl run\n/, 'and what settles it');
  t.match((await repo.owl('log', '-f', id)).stdout, /I was here/, 'log -f ends: no more will come');
  const foreseen = await repo.owl('run', '--dry-run', '--all', '--json');
  t.match(foreseen.json().data.items, [{ id }, { id: other }], 'a dry run counts with it');
  t.match(foreseen.stderr, /it would be settled first/);
  t.same(await repo.refs(), before, 'without writing');
  await repo.owl('gc');
  const job = await shown(repo, id);
  t.match(job, {
    state: 'pending',
    ttl: 9,
    handoff: 'current',
    history: [{ outcome: 'interrupted', ended_by: 'gone' }],
  });
  t.match((await repo.owl('list', '--json')).json().data.items, [{ id }, { id: other }], 'in its place');
  t.equal(await repo.git('show', `${job.branch}:one.txt`), 'work', 'every commit is there');
  t.ok(existsSync(`${job.worktree}/two.txt`), 'and the worktree, with what was not committed');
  t.match((await repo.owl('log', id)).stdout, 'I was here');
});

t.test('J19: what an agent leaves running is ended and listed; commits beside the branch are kept', async (t) => {
  const box = await sandbox(t);
  const agent = box.agent('worker', {
    cases: [
      {
        when: 'leaves children',
        execute: [...work(), { child: 120_000, pipes: true }, { child: 120_000, session: true }],
      },
      { when: 'detaches', execute: [{ git: ['checkout', '-q', '--detach'] }, ...work('away.txt')] },
    ],
  });
  const repo = await box.repository({ agents: [agent] });
  const left = await repo.add('--no-plan', 'leaves children');
  const away = await repo.add('--no-plan', 'detaches');
  await repo.owlFails(4, 'run', '--max-parallel', '2', left, away);
  const pids = childrenIn(agent.trace());
  t.equal(pids.length, 2);
  t.ok(gone(box, pids), 'they are gone');
  const job = await shown(repo, left);
  t.equal(job.state, 'review', 'a child that holds the pipes does not keep the Run');
  t.match(job.history[0].notes.join('\n'), /left behind/);
  const strayed = await shown(repo, away);
  t.match(strayed, { state: 'blocked', closure: 'blocked', reason: { code: 'wrong-branch' } });
  const kept = strayed.kept.find(({ subject }: { subject: string }) => /outside/.test(subject));
  t.equal(await repo.git('show', `${kept?.oid}:away.txt`), 'work');
});
