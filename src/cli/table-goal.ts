// Commands that make Goals and Features, and change what they ask for. Data only.

import { dryRun, fromFile, LIST_OPTIONS, requestId } from './options.js';
import { expectRevision, goal, reason } from './options-goal.js';
import type { CommandSpec, OptionSpec } from './spec.js';

const priority: OptionSpec = {
  name: 'priority',
  kind: 'choice',
  value: '<priority>',
  choices: ['high', 'medium', 'low'],
  summary: 'lower ones wait while it can start or is at work',
};
const feature = (summary: string): OptionSpec => ({
  name: 'feature',
  kind: 'text',
  value: '<id>',
  summary,
  source: 'feature',
});
const order: OptionSpec = {
  name: 'order',
  kind: 'number',
  value: '<n>',
  summary: 'its place among its siblings, from 1',
};
const request = (summary: string): OptionSpec => ({
  name: 'request',
  kind: 'text',
  value: '<text>',
  summary,
  conflicts: ['file'],
});
const needs: OptionSpec = {
  name: 'needs',
  kind: 'list',
  value: '<id>',
  summary: 'wait until this Goal is in review or done; may be repeated',
  source: 'goal',
};

export const GOAL_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'goal add',
    group: 'work',
    summary: 'Make a Goal: work in Rounds, with gates, integrated by git owl',
    description: [
      'Records intent only, in the backlog or with --queue in todo. Says where it will land, which comes before your review. Prints the id alone when standard output is not a terminal.',
      'Without a request there is nothing to do yet: "git owl goal round" gives it one.',
    ],
    args: [{ name: 'title', many: true, required: true, source: 'none' }],
    options: [
      request('what the first Round is asked for'),
      fromFile('the request'),
      { name: 'queue', kind: 'flag', summary: 'put it into todo at once' },
      feature('the Feature that orders it'),
      order,
      priority,
      { name: 'target', kind: 'text', value: '<branch>', summary: 'the branch it lands on', source: 'branch' },
      { name: 'remote', kind: 'text', value: '<remote>', summary: 'the remote that the target is on' },
      needs,
      { name: 'label', kind: 'list', value: '<label>', summary: 'a word to find it by; may be repeated' },
      dryRun,
      requestId,
    ],
    examples: [
      {
        command: 'git owl goal add "Tabs in the parser" --request "accept tabs" --queue',
        what: 'ready to be worked on',
      },
      { command: 'git owl goal add "Tabs in the parser" -F request.md', what: 'from a file, in the backlog' },
    ],
    writes: true,
    load: () => import('../commands/goal-add.js'),
  },
  {
    name: 'goal adopt',
    group: 'work',
    summary: 'Make a Goal of work that is there already',
    description: [
      'Of the branch of a Job, of any branch, or of a linked worktree. Its base is the merge base with the target, its tip the Candidate, and quality comes next. Your branch and checkout stay as they are. Prints the id alone when standard output is not a terminal.',
    ],
    args: [{ name: 'source', required: true, source: 'branch' }],
    options: [
      { name: 'title', kind: 'text', value: '<text>', summary: 'its title; else that of the last commit' },
      request('what the work was to do, for those who judge it'),
      fromFile('the request'),
      { name: 'commit', kind: 'flag', summary: 'take uncommitted work along, as a commit of its own' },
      feature('the Feature that orders it'),
      order,
      priority,
      { name: 'target', kind: 'text', value: '<branch>', summary: 'the branch it lands on', source: 'branch' },
      { name: 'remote', kind: 'text', value: '<remote>', summary: 'the remote that the target is on' },
      { name: 'label', kind: 'list', value: '<label>', summary: 'a word to find it by; may be repeated' },
      dryRun,
      requestId,
    ],
    examples: [
      { command: 'git owl goal adopt my-branch --request "accept tabs"', what: 'then: git owl goal advance <id>' },
      { command: 'git owl goal adopt ../worktree --commit', what: 'with what is not committed there' },
    ],
    writes: true,
    load: () => import('../commands/goal-adopt.js'),
  },
  {
    name: 'goal edit',
    group: 'work',
    summary: 'Change title, request, place, needs, labels, owner or target of a Goal',
    description: [
      'While a step of it is at work, that step is superseded and begins anew. Given --label or --needs, the lists are replaced; "none" takes a value away.',
    ],
    args: [goal],
    options: [
      { name: 'title', kind: 'text', value: '<text>', summary: 'the new title' },
      request('what the current Round is asked for'),
      fromFile('the request'),
      feature('the Feature that orders it'),
      order,
      priority,
      needs,
      { name: 'label', kind: 'list', value: '<label>', summary: 'the labels; may be repeated' },
      { name: 'owner', kind: 'text', value: '<name>', summary: 'who looks after it' },
      { name: 'target', kind: 'text', value: '<branch>', summary: 'the branch it lands on', source: 'branch' },
      expectRevision,
      dryRun,
      requestId,
    ],
    examples: [{ command: 'git owl goal edit g3x9qp --priority high --order 1', what: 'before its siblings' }],
    writes: true,
    load: () => import('../commands/goal-edit.js'),
  },
  {
    name: 'goal round',
    group: 'work',
    summary: 'Give a Goal a new Round, with its own request',
    description: [
      'It starts from the target as it is then; earlier Rounds, their branches and Candidates stay. With --from the changes of that Round are taken over as far as they apply.',
    ],
    args: [goal, { name: 'request', many: true, source: 'none' }],
    options: [
      fromFile('the request'),
      { name: 'from', kind: 'number', value: '<round>', summary: 'go on from the Candidate of this Round' },
      reason,
      expectRevision,
      dryRun,
      requestId,
    ],
    examples: [
      { command: 'git owl goal round g3x9qp "handle empty files too" --from 1', what: 'on top of what Round 1 made' },
    ],
    writes: true,
    asks: true,
    load: () => import('../commands/goal-round.js'),
  },
];

export const FEATURE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'feature list',
    group: 'work',
    summary: 'List Features with their open Goals',
    options: LIST_OPTIONS,
    examples: [{ command: 'git owl feature list', what: 'in their order' }],
    writes: false,
    load: () => import('../commands/feature-list.js'),
  },
  {
    name: 'feature add',
    group: 'work',
    summary: 'Make a Feature: its Goals are worked on one after the other',
    args: [{ name: 'title', many: true, required: true, source: 'none' }],
    options: [dryRun, requestId],
    examples: [{ command: 'git owl feature add "Parser"', what: 'then: git owl goal add … --feature <id>' }],
    writes: true,
    load: () => import('../commands/feature-add.js'),
  },
  {
    name: 'feature order',
    group: 'work',
    summary: 'Give a Feature another place in the queue',
    args: [{ name: 'id', required: true, source: 'feature' }],
    options: [
      { name: 'first', kind: 'flag', summary: 'before everything else', conflicts: ['last', 'before'] },
      { name: 'last', kind: 'flag', summary: 'after everything else', conflicts: ['first', 'before'] },
      {
        name: 'before',
        kind: 'text',
        value: '<id>',
        summary: 'before this Feature',
        source: 'feature',
        conflicts: ['first', 'last'],
      },
      dryRun,
      requestId,
    ],
    examples: [{ command: 'git owl feature order f4f4f4 --first', what: 'this one next' }],
    writes: true,
    load: () => import('../commands/feature-order.js'),
  },
];
