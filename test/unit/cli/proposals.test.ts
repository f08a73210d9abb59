// What is proposed can be typed: every command that a Goal, a review or an undo offers is one of ours, and destroys nothing (00, G43).

import t, { type Test } from 'tap';
import { parse } from '../../../src/cli/parse.js';
import { OwlError } from '../../../src/domain/errors.js';
import { branchRef, type Oid } from '../../../src/domain/git.js';
import { GOAL_STATUSES, type Goal } from '../../../src/domain/goal.js';
import { moveGoal } from '../../../src/domain/goal-machine.js';
import { goalCommands } from '../../../src/domain/goal-next.js';
import { GOAL_REASONS } from '../../../src/domain/goal-reasons.js';
import { nextCommands } from '../../../src/domain/next.js';
import { REASONS } from '../../../src/domain/reasons.js';
import { undoGoal, undoJob } from '../../../src/domain/undo.js';
import { candidate, evidence, goal } from '../../fixtures/goal-records.js';
import { job } from '../../fixtures/records.js';

const oid = '1'.repeat(40) as Oid;
const pair = { base: oid, tip: oid };

/** `<…>` and quoted words are one word each. */
function check(test: Test, command: string, when: string): void {
  const words = [...command.matchAll(/"[^"]*"|<[^>]*>|\S+/g)].map(([word]) => word.replaceAll('"', ''));
  test.same(words.slice(0, 2), ['git', 'owl'], `${when}: ${command}`);
  test.doesNotThrow(() => parse(words.slice(2)), `${when}: ${command} can be typed`);
  test.notMatch(command, /--force|\bdrop\b|\bdelete\b/, `${when}: ${command} destroys nothing`);
}

t.test('00, G43: what is proposed of a Goal, in each status and after each failure', async (t) => {
  const found = evidence('g3x9qp', 'e1', {
    status: 'findings',
    findings: [{ gate: 'guard', text: 'x', paths: ['a'] }],
  });
  const made = { ...pair, id: candidate('g3x9qp', 'c1', pair).id };
  const offered = (change: Partial<Goal>): readonly string[] => goalCommands(goal('g3x9qp', change), [found]);
  for (const status of GOAL_STATUSES) {
    for (const round of [0, 1])
      for (const command of offered({ status, round })) check(t, command, `${status}, round ${round}`);
    t.ok(offered({ status }).length > 0, `${status} has a way on`);
  }
  const allow = 'git owl goal move g3x9qp governance --allow-guarded';
  const refused = { status: 'failed', reason: { code: 'governance-findings', text: 'why' } } as const;
  t.ok(offered(refused).includes(allow));
  const size = { gate: 'max_changed', text: 'changes 11 lines, more than 10', paths: [] };
  const beside = { ...found, findings: [...found.findings, size] };
  t.notOk(goalCommands(goal('g3x9qp', refused), [beside]).includes(allow), 'it would not help beside another finding');
  const held = { status: 'governance', reason: { code: 'lease-held', text: 'why' } } as const;
  t.same(offered(held), ['git owl lease', 'git owl run g3x9qp']);
  for (const code of Object.keys({ ...GOAL_REASONS, ...REASONS, 'of another version': 0 })) {
    const reason = { code, text: 'why' };
    for (const of of [null, made]) {
      const commands = offered({ status: 'failed', reason, candidate: of });
      t.ok(commands.length > 1, `failed, ${code}: there is more than one way`);
      for (const command of commands) check(t, command, `failed, ${code}`);
      if (of !== null)
        t.notOk(commands.includes('git owl goal move g3x9qp todo'), `failed, ${code}: its candidate is kept`);
    }
  }
});

t.test('00, J12, J35: how to resolve a conflict of a Job by hand, as one line that a shell takes', async (t) => {
  const offered = (state: 'blocked' | 'escalated', code: string, ref: string): readonly string[] =>
    nextCommands(job('k3x9qp', { state, reason: { code, text: 'why', onto: { ref, oid } } }));
  const rebase = (onto: string): string => `git -C "$(git owl worktree k3x9qp --ensure)" rebase ${onto}`;
  const main = 'refs/remotes/origin/main';
  t.match(offered('escalated', 'landing-conflict', main).join('\n'), `${rebase(main)}\ngit owl verify k3x9qp`);
  t.match(offered('blocked', 'conflict', main).join('\n'), `${rebase(main)}\ngit owl retry k3x9qp`);
  // A branch may have any name: Git takes this one.
  t.ok(offered('escalated', 'landing-conflict', 'refs/remotes/origin/a;rm$IFS-rf$IFS.').includes(rebase(oid)));
  for (const command of offered('blocked', 'conflict', main).filter((one) => one.startsWith('git owl')))
    check(t, command, 'conflict');
});

t.test('J9: a rebase under way in the worktree is looked at before the Job goes on', async (t) => {
  const reason = { code: 'operation-in-progress', text: 'why' };
  t.same(nextCommands(job('k3x9qp', { state: 'blocked', reason })), [
    'git -C "$(git owl worktree k3x9qp)" status',
    'git owl retry k3x9qp',
    'git owl show k3x9qp',
  ]);
});

t.test('G44, G51: what cannot be declined any more gets another Round', async (t) => {
  const move = { event: 'decline', to: 'todo', op: 'op-1', at: '2026-01-01T00:00:00Z' } as const;
  const next = (status: Goal['status']): unknown => {
    try {
      return moveGoal(goal('g3x9qp', { status }), move);
    } catch (error) {
      return error instanceof OwlError ? error.next : error;
    }
  };
  t.same(next('failed'), ['git owl show g3x9qp', 'git owl goal round g3x9qp "<what to do better>"']);
  t.same(next('cancelled'), ['git owl show g3x9qp'], 'a closed one is reopened first');
});

t.test('G50: how to undo it', async (t) => {
  const merged = { by: 'owl', ref: branchRef('main'), before: oid, after: oid, commits: 1, files: 1, at: '' } as const;
  const whole = { merge: oid, ref: 'refs/heads/main', delivered: true };
  for (const { verb } of [
    ...undoJob(job('k3x9qp', { state: 'review' })),
    ...undoJob(job('k3x9qp', { state: 'done', merged })),
    ...undoGoal(goal('g3x9qp', { status: 'review' }), whole),
    ...undoGoal(goal('g3x9qp', { status: 'failed' }), null),
  ])
    check(t, verb, 'undo');
  t.match(undoJob(job('k3x9qp', { state: 'done', merged })), [{ git: `git revert -m 1 ${oid}` }]);
  t.same(undoJob(job('k3x9qp', { state: 'done', merged, reverted: true })), [], 'nothing is left to take back');
  t.same(undoGoal(goal('g3x9qp', { status: 'done' }), { ...whole, delivered: false }), []);
});
