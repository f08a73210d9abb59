// Commands that change Jobs that wait. Data only.

import { dryRun, fromFile, requestId } from './options.js';
import type { ArgumentSpec, CommandSpec } from './spec.js';

const job: ArgumentSpec = { name: 'id', required: true, source: 'job' };

export const CHANGE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'edit',
    group: 'change',
    summary: 'Change prompt, attempts, agent, needs or labels of a Job',
    description: [
      'While it is pending, blocked or exhausted. Given --label or --needs, the lists are replaced; an empty one is "--label none" and "--needs none".',
    ],
    args: [job],
    options: [
      { name: 'prompt', kind: 'text', value: '<text>', summary: 'the new prompt', conflicts: ['file'] },
      fromFile('the new prompt'),
      { name: 'ttl', kind: 'number', value: '<n>', summary: 'Runs left' },
      { name: 'agent', kind: 'text', value: '<agent>', summary: 'another agent', source: 'agent' },
      { name: 'needs', kind: 'list', value: '<id>', summary: 'wait for these Jobs; may be repeated', source: 'job' },
      { name: 'label', kind: 'list', value: '<label>', summary: 'the labels; may be repeated' },
      dryRun,
      requestId,
    ],
    examples: [{ command: 'git owl edit k3x9qp --agent codex --label parser', what: 'another agent, another label' }],
    writes: true,
    load: () => import('../commands/edit.js'),
  },
  {
    name: 'handoff',
    group: 'change',
    summary: 'Print the Handoff of a Job, or edit it',
    description: [
      'The Handoff is all that passes from one Run to the next. Without an id: the Job whose worktree this is, else the only live one.',
    ],
    args: [{ name: 'id', source: 'job' }],
    options: [
      { name: 'edit', short: 'e', kind: 'flag', summary: 'open it in your editor and commit it on the branch' },
      dryRun,
    ],
    examples: [
      { command: 'git owl handoff k3x9qp', what: 'read the Plan' },
      { command: 'git owl handoff k3x9qp --edit', what: 'correct it before the next Run' },
    ],
    writes: false,
    writesWith: ['edit'],
    load: () => import('../commands/handoff.js'),
  },
  {
    name: 'extend',
    group: 'change',
    summary: 'Let a Job take more Runs',
    args: [job, { name: 'n', required: true, source: 'none' }],
    options: [dryRun, requestId],
    examples: [{ command: 'git owl extend k3x9qp 3', what: 'three more' }],
    writes: true,
    load: () => import('../commands/extend.js'),
  },
  {
    name: 'reorder',
    group: 'change',
    summary: 'Give a Job another place in the queue',
    args: [job],
    options: [
      { name: 'first', kind: 'flag', summary: 'before all others', conflicts: ['last', 'before'] },
      { name: 'last', kind: 'flag', summary: 'after all others', conflicts: ['first', 'before'] },
      {
        name: 'before',
        kind: 'text',
        value: '<id>',
        summary: 'before this one',
        source: 'job',
        conflicts: ['first', 'last'],
      },
      dryRun,
      requestId,
    ],
    examples: [{ command: 'git owl reorder k3x9qp --first', what: 'this one next' }],
    writes: true,
    load: () => import('../commands/reorder.js'),
  },
];
