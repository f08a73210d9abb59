// Commands that decide about a Job that an agent worked on. Data only.

import { dryRun, force, fromFile, requestId, trust } from './options.js';
import { expectRevision, reason } from './options-goal.js';
import type { ArgumentSpec, CommandSpec } from './spec.js';

const job: ArgumentSpec = { name: 'id', required: true, source: 'job' };
const unit: ArgumentSpec = { name: 'id', required: true, source: 'open-unit' };
const keepFirst = force('also with uncommitted work, which is kept first');

export const DECIDE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'accept',
    group: 'decide',
    summary: 'Close a Job as done without merging it',
    description: ['The worktree is removed and the branch is kept. Says first that the base has not moved.'],
    args: [job],
    options: [keepFirst, dryRun, requestId],
    examples: [{ command: 'git owl accept k3x9qp', what: 'keep the branch, close the Job' }],
    writes: true,
    load: () => import('../commands/accept.js'),
  },
  {
    name: 'retry',
    group: 'decide',
    summary: 'Send a Job back to the queue, with what to do better',
    description: [
      'Failures of its checks and the text given go into the next prompt.',
      'A Goal that failed goes on with the first step that has no valid evidence for its Candidate.',
    ],
    args: [unit],
    options: [
      {
        name: 'message',
        short: 'm',
        kind: 'text',
        value: '<text>',
        summary: 'what the next Run is told',
        conflicts: ['file'],
      },
      fromFile('the text'),
      { name: 'restart', kind: 'flag', summary: "cut the branch again at today's base; the old tip is kept" },
      { name: 'ttl', kind: 'number', value: '<n>', summary: 'let it take <n> Runs from now on' },
      { ...reason, summary: 'of a Goal: why, for the log' },
      { ...expectRevision, summary: 'of a Goal: only if it is still at this revision' },
      dryRun,
      requestId,
    ],
    examples: [
      { command: 'git owl retry k3x9qp -m "handle empty files too"', what: 'with review text' },
      { command: 'git owl retry k3x9qp --restart', what: 'after a conflict' },
    ],
    writes: true,
    asks: true,
    load: () => import('../commands/retry.js'),
  },
  {
    name: 'verify',
    group: 'decide',
    summary: "Replay a Job onto today's base and run its checks, without an agent",
    args: [job],
    options: [force('also with uncommitted work, which is kept first and left out'), trust, dryRun, requestId],
    examples: [{ command: 'git owl verify k3x9qp', what: 'after you changed the branch by hand' }],
    writes: true,
    load: () => import('../commands/verify.js'),
  },
  {
    name: 'export',
    group: 'decide',
    summary: 'Make a branch of your own from verified work, for a pull request',
    description: [
      'The Handoff is left out. Nothing is pushed. Of a Goal it is the Candidate: once it was merged, "git owl goal reconcile --merged-by" takes it in. Without a name the branch is named for the title.',
    ],
    args: [
      { ...job, source: 'unit' },
      { name: 'branch', source: 'none' },
    ],
    options: [
      { name: 'squash', kind: 'flag', summary: 'as one commit' },
      force('also what did not pass its checks'),
      dryRun,
      requestId,
    ],
    examples: [{ command: 'git owl export k3x9qp tabs-in-parser --squash', what: 'one commit on a new branch' }],
    writes: true,
    load: () => import('../commands/export.js'),
  },
  {
    name: 'revert',
    group: 'decide',
    summary: 'Take the merge of a Job or Goal back, by a commit of its own',
    description: [
      'History is not rewritten. Where merges are published the commit goes to the remote first. What needs the Job waits again; a Goal has failed, and a new Round does it differently.',
    ],
    args: [{ name: 'id', required: true, source: 'closed-unit' }],
    options: [dryRun, requestId],
    examples: [{ command: 'git owl revert k3x9qp', what: 'after a merge that should not have been' }],
    writes: true,
    load: () => import('../commands/revert.js'),
  },
  {
    name: 'cancel',
    group: 'decide',
    summary: 'Close a Job or Goal without removing anything',
    args: [unit],
    options: [keepFirst, dryRun, requestId],
    examples: [{ command: 'git owl cancel k3x9qp', what: 'branch and worktree stay' }],
    writes: true,
    load: () => import('../commands/cancel.js'),
  },
  {
    name: 'drop',
    group: 'decide',
    summary: 'Cancel a Job and remove its branch and worktree; the tip is kept',
    description: ['git owl restore brings it back.'],
    args: [{ name: 'id', required: true, source: 'job' }],
    options: [keepFirst, dryRun, requestId],
    examples: [{ command: 'git owl drop k3x9qp --dry-run', what: 'see what would go' }],
    writes: true,
    load: () => import('../commands/drop.js'),
  },
  {
    name: 'restore',
    group: 'decide',
    summary: 'Bring a dropped Job back, with its branch',
    args: [{ name: 'id', required: true, source: 'closed-job' }],
    options: [dryRun, requestId],
    examples: [{ command: 'git owl restore k3x9qp', what: 'after a drop' }],
    writes: true,
    load: () => import('../commands/restore.js'),
  },
  {
    name: 'reopen',
    group: 'decide',
    summary: 'Open a closed Job or Goal again',
    description: [
      'A cancelled Job is pending again, one that was accepted without a merge is in review.',
      'A cancelled Goal is in the backlog again, one that was approved is in review.',
    ],
    args: [{ name: 'id', required: true, source: 'closed-unit' }],
    options: [dryRun, requestId],
    examples: [{ command: 'git owl reopen k3x9qp', what: 'after a cancel or an accept' }],
    writes: true,
    load: () => import('../commands/reopen.js'),
  },
];
