// Which moments of a Goal's life start a Skill, in which order, and what only records (G61).

import { existsSync, readFileSync } from 'node:fs';
import { t } from 'tap';
import { GOAL_STATUSES } from '../../src/domain/goal.js';
import type { Scenario } from '../fixtures/agents.js';
import { everything } from '../fixtures/gc.js';
import { addGoal as queued, showGoal as show } from '../fixtures/goals.js';
import type { Repo } from '../fixtures/repository.js';
import { type Sandbox, sandbox } from '../fixtures/sandbox.js';

t.setTimeout(900_000);

const config = (skills: readonly object[]): string => `plan: false
quality: { checks: [{ name: style, run: "true" }] }
governance: { checks: [{ name: rules, run: "true" }] }
skills: ${JSON.stringify(skills)}
`;
const WORK: Scenario = { execute: [{ write: 'work.txt', text: 'work\n' }, { commit: 'Work' }] };
const notes = (box: Sandbox): string[] =>
  existsSync(box.path('notes')) ? readFileSync(box.path('notes'), 'utf8').trim().split('\n') : [];
/** One that notes its event, on everything that there is. */
const onAll = (box: Sandbox): readonly object[] =>
  GOAL_STATUSES.flatMap((status) =>
    (['enter', 'exit', 'success'] as const).map((moment) => ({
      name: `${status}-${moment}`,
      kind: 'executable',
      on: `workflow.${status}.${moment}`,
      run: `echo "\${OWL_EVENT#workflow.}" >> '${box.path('notes')}'`,
    })),
  );
const left = (repo: Repo): Promise<string> => repo.git('for-each-ref', 'refs/owl/local/due', 'refs/owl/local/intents');

t.test(
  'G61: a whole life, every moment once and in order; decisions record and the next run carries out',
  async (t) => {
    const box = await sandbox(t);
    const repo = await box.repository({
      remote: 'bare',
      agents: [box.agent('worker', WORK)],
      config: config(onAll(box)),
    });
    const { warnings } = (await repo.owl('config', 'check', '--json')).json().data;
    t.same(
      warnings,
      ['done', 'failed', 'cancelled'].map(
        (status) => `skills.${status}-success is bound to workflow.${status}.success, which nothing emits`,
      ),
      'what can never come is said',
    );
    const told: string[] = [];
    const since = (): readonly string[] => {
      const now = notes(box).slice(told.length);
      told.push(...now);
      return now;
    };
    const decide = async (...words: string[]): Promise<void> => {
      await repo.owl(...words);
      t.same(since(), [], `${words[0]} ${words[1]} only records`);
    };
    const id = (await repo.owl('goal', 'add', 'one', '--request', 'x')).stdout.trim();
    t.same(since(), [], 'so does adding');
    await repo.owl('run', { fails: 'any' });
    t.same(since(), ['backlog.enter']);
    await decide('goal', 'edit', id, '--priority', 'high');
    await repo.owl('run', { fails: 'any' });
    t.same(since(), [], 'its place is no moment');
    await decide('goal', 'move', id, 'todo');
    await repo.owl('goal', 'advance', id);
    t.match(await show(repo, id), { status: 'review' });
    const step = (status: string): readonly string[] => [`${status}.enter`, `${status}.success`, `${status}.exit`];
    t.same(since(), [
      'backlog.success',
      'backlog.exit',
      'todo.enter',
      'todo.success',
      'todo.exit',
      ...step('plan'),
      ...step('implement'),
      ...step('quality'),
      ...step('governance'),
      'review.enter',
    ]);
    await decide('goal', 'approve', id);
    await repo.owl('run', { fails: 'any' });
    t.same(since(), ['review.success', 'review.exit', 'done.enter']);
    await decide('reopen', id);
    await repo.owl('run', { fails: 'any' });
    t.same(since(), ['done.exit', 'review.enter']);
    await decide('cancel', id);
    await repo.owl('run', { fails: 'any' });
    t.same(since(), ['review.exit', 'cancelled.enter']);
    await decide('reopen', id);
    await repo.owl('run', { fails: 'any' });
    t.same(since(), ['cancelled.exit', 'review.enter']);
    await repo.owl('run', { fails: 'any' });
    t.same(since(), [], 'each once');
    t.equal(await left(repo), '', 'nothing is left of it');
    t.same((await repo.owl('fsck', '--json')).json().data.findings, []);
  },
);

t.test(
  'G61: cancelled, with and without a Round; what could not be started is said, and the Goal is cancelled',
  async (t) => {
    const box = await sandbox(t);
    const run = `echo "$OWL_GOAL $(git rev-parse --abbrev-ref HEAD)" >> '${box.path('notes')}'; git owl reopen "$OWL_GOAL"`;
    const repo = await box.repository({
      agents: [box.agent('worker', WORK)],
      config: config([{ name: 'bye', kind: 'executable', on: 'workflow.cancelled.enter', run }]),
    });
    const none = await queued(repo, 'never begun');
    const begun = await queued(repo, 'begun');
    for (let at = 0; at < 3; at += 1) await repo.owl('goal', 'advance', begun, '--step');
    for (const id of [none, begun]) await repo.owl('cancel', id);
    t.same(notes(box), []);
    const ran = await repo.owl('run', { fails: 'any' });
    t.same(notes(box), [`${begun} refine/${begun}/round-1`], 'in the worktree of the Round');
    t.match((await show(repo, begun)).invocations, [{ skill: 'bye', state: 'ended' }]);
    t.match((await show(repo, none)).invocations, [
      { skill: 'bye', state: 'ended', outcome: 'never-ran', text: /no branch/ },
    ]);
    t.match(ran.stderr, new RegExp(`goal ${none}: bye .*no branch`), 'and it is said');
    for (const id of [none, begun]) t.match(await show(repo, id), { status: 'cancelled' });
    t.equal(await left(repo), '');
    await repo.owl('run', { fails: 'any' });
    t.equal(notes(box).length, 1, 'once');
  },
);

t.test(
  'G61: context and disabled ones need no checkout, no record and no branch; the text reaches the agent',
  async (t) => {
    const box = await sandbox(t);
    const worker = box.agent('worker', {
      execute: [{ expect: { prompt: ['Mind the gap'] } }, { write: 'work.txt', text: 'x\n' }, { commit: 'Work' }],
    });
    const repo = await box.repository({
      agents: [worker],
      config: config([
        { name: 'off', kind: 'disabled', on: 'workflow.backlog.enter', run: `touch '${box.path('notes')}'` },
        { name: 'gone', kind: 'disabled', on: 'job.review', run: `touch '${box.path('notes')}'` },
        { name: 'told', kind: 'context', on: 'workflow.backlog.enter', text: 'About the backlog.' },
        { name: 'gap', kind: 'context', on: 'workflow.implement.enter', text: 'Mind the gap.' },
      ]),
    });
    const id = (await repo.owl('goal', 'add', 'one', '--request', 'x')).stdout.trim();
    const before = await everything(repo);
    await repo.owl('run', { fails: 'any' });
    t.same(await everything(repo), before, 'nothing is made for them');
    t.match(await show(repo, id), { invocations: [] });
    await repo.owl('goal', 'move', id, 'todo');
    await repo.owl('goal', 'advance', id);
    t.match(await show(repo, id), { status: 'review', invocations: [] });
    t.same(notes(box), []);
    t.equal(await repo.git('for-each-ref', `refs/heads/refine/${id}/skill-*`), '');
  },
);
