// Commands that carry a Goal on or decide about it. Data only.

import { dryRun, force, fromFile, requestId, trust } from './options.js';
import { expectRevision, goal, reason } from './options-goal.js';
import type { CommandSpec } from './spec.js';

const STATUSES = ['backlog', 'todo', 'plan', 'implement', 'quality', 'governance'] as const;

export const GOAL_DECISIONS: readonly CommandSpec[] = [
  {
    name: 'goal move',
    group: 'work',
    summary: 'Give a Goal another status',
    description: [
      'Between backlog and todo nothing but the record changes. A Goal that failed, or whose Error event is open, goes on with the step that is named. Selecting the status that it has changes nothing.',
    ],
    args: [goal, { name: 'status', required: true, choices: STATUSES, source: 'none' }],
    options: [
      reason,
      expectRevision,
      force('also while a step of it is at work, which is superseded'),
      { name: 'allow-guarded', kind: 'flag', summary: 'accept guarded paths in this very Candidate' },
      dryRun,
      requestId,
    ],
    examples: [
      { command: 'git owl goal move g3x9qp todo', what: 'into the queue' },
      { command: 'git owl goal move g3x9qp governance --allow-guarded', what: 'after you looked at what it guards' },
    ],
    writes: true,
    asks: true,
    load: () => import('../commands/goal-move.js'),
  },
  {
    name: 'goal advance',
    group: 'work',
    summary: 'Carry one Goal as far as it can go now',
    description: [
      'Plan and implement by an agent, quality, governance, and the merge into its target; then it waits for your review. Stopped at any step, the next one goes on from there.',
    ],
    args: [goal],
    options: [
      { name: 'step', kind: 'flag', summary: 'one status only' },
      { name: 'max-parallel', kind: 'number', value: '<n>', summary: 'Jobs and Goals at work, at most' },
      trust,
      dryRun,
    ],
    examples: [
      { command: 'git owl goal advance g3x9qp', what: 'from the queue to review' },
      { command: 'git owl goal advance g3x9qp --step', what: 'the next status only' },
    ],
    writes: true,
    load: () => import('../commands/goal-advance.js'),
  },
  {
    name: 'goal approve',
    group: 'work',
    summary: 'Close a Goal in review as done',
    description: [
      'Nothing is merged or pushed: it is integrated already. The target, as it is on the remote where it was published, must still contain that integration.',
    ],
    args: [goal],
    options: [reason, expectRevision, dryRun, requestId],
    examples: [{ command: 'git owl goal approve g3x9qp', what: 'after your review' }],
    writes: true,
    load: () => import('../commands/goal-approve.js'),
  },
  {
    name: 'goal decline',
    group: 'work',
    summary: 'Send a Goal in review back, with a new Round',
    description: [
      'The new Round starts from the target as it is then. History is not rewritten. Without a request the same is asked for again.',
    ],
    args: [goal, { name: 'request', many: true, source: 'none' }],
    options: [fromFile('the request'), expectRevision, dryRun, requestId],
    examples: [{ command: 'git owl goal decline g3x9qp "empty files still fail"', what: 'with what to do better' }],
    writes: true,
    load: () => import('../commands/goal-decline.js'),
  },
  {
    name: 'goal revert',
    group: 'work',
    summary: 'Take what a Goal merged back, by commits of their own',
    description: [
      'One in review, done or cancelled. Every merge of its Rounds that the target has still is taken back, by a commit each, all in one move of the target or none. History is not rewritten; where the target is published the commits go to the remote first. The Goal has failed then: a new Round does it differently, or takes over what it did with --from. A cancelled one stays cancelled.',
    ],
    args: [{ name: 'id', required: true, source: 'unit' }],
    options: [expectRevision, dryRun, requestId],
    examples: [{ command: 'git owl goal revert g3x9qp', what: 'after it was integrated and should not have been' }],
    writes: true,
    load: () => import('../commands/goal-revert.js'),
  },
  {
    name: 'goal reconcile',
    group: 'work',
    summary: 'Take in what is on the target already',
    description: [
      'A Goal whose Candidate is integrated, by evidence of its own Round, goes to review; anything missing or failed is said, and nothing is changed. With --merged-by, a commit that somebody else made brought the Candidate (a merge, a squash, or its commits made again): that is looked at and recorded, and the gates judge it first.',
    ],
    args: [goal],
    options: [
      { name: 'merged-by', kind: 'text', value: '<commit>', summary: 'the commit that brought it to the target' },
      reason,
      expectRevision,
      trust,
      dryRun,
      requestId,
    ],
    examples: [
      { command: 'git owl goal reconcile g3x9qp', what: 'after an interruption' },
      { command: 'git owl goal reconcile g3x9qp --merged-by origin/main', what: 'after a pull request' },
    ],
    writes: true,
    load: () => import('../commands/goal-reconcile.js'),
  },
  {
    name: 'goal delete',
    group: 'work',
    summary: 'Take a Goal out of the list for ever',
    description: ['One in the backlog, done or cancelled. A tombstone, its branches and what is kept stay.'],
    args: [{ name: 'id', required: true, source: 'goal' }],
    options: [dryRun, requestId],
    examples: [{ command: 'git owl goal delete g3x9qp', what: 'made by mistake' }],
    writes: true,
    load: () => import('../commands/goal-delete.js'),
  },
];
