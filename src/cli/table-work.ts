// Commands that queue work, run it and stop it. Data only.

import { dryRun, force, fromFile, requestId, trust } from './options.js';
import type { CommandSpec } from './spec.js';

export const WORK_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'add',
    group: 'work',
    summary: 'Queue a Job: a prompt, to be worked on by an agent',
    description: [
      'Records intent only: no branch, no worktree and no process is made. Prints the id of the Job, and nothing else when standard output is not a terminal.',
      'The prompt is the words given, the file of -F, or standard input for "-"; on a terminal without either, your editor opens. Words after "--" are prompt whatever they begin with.',
      'A Job is planned first and carried out in a second Run of a fresh agent, unless --no-plan is given or the project says so.',
    ],
    args: [{ name: 'prompt', many: true, source: 'none' }],
    options: [
      fromFile('the prompt'),
      { name: 'plan', kind: 'flag', summary: 'plan first, whatever the project says', conflicts: ['no-plan'] },
      { name: 'no-plan', kind: 'flag', summary: 'carry it out at once', conflicts: ['plan'] },
      { name: 'ttl', kind: 'number', value: '<n>', summary: 'let it take at most <n> Runs' },
      { name: 'mode', kind: 'text', value: '<mode>', summary: 'one of the modes of the configuration' },
      { name: 'auto-merge', kind: 'flag', summary: 'merge it once its checks passed', conflicts: ['no-auto-merge'] },
      { name: 'no-auto-merge', kind: 'flag', summary: 'leave the merge to a person', conflicts: ['auto-merge'] },
      { name: 'agent', kind: 'text', value: '<agent>', summary: 'have this agent work on it', source: 'agent' },
      {
        name: 'base',
        kind: 'text',
        value: '<branch>',
        summary: 'the branch it starts from and lands on',
        source: 'branch',
      },
      { name: 'remote', kind: 'text', value: '<remote>', summary: 'the remote that the base is fetched from' },
      {
        name: 'from',
        kind: 'text',
        value: '<branch>',
        summary: 'begin with the commits of this branch',
        source: 'branch',
      },
      { name: 'label', kind: 'list', value: '<label>', summary: 'a word to find it by; may be repeated' },
      {
        name: 'needs',
        kind: 'list',
        value: '<id>',
        summary: 'wait until this Job is merged or done; may be repeated',
        source: 'job',
      },
      { name: 'slug', kind: 'text', value: '<slug>', summary: 'the last part of the branch name' },
      dryRun,
      requestId,
    ],
    examples: [
      { command: 'git owl add "make the parser accept tabs"', what: 'queue one piece of work' },
      { command: 'git owl add --no-plan --label docs -F request.md', what: 'from a file, without a plan' },
      { command: 'id=$(git owl add "fix the build")', what: 'in a script: the id alone' },
    ],
    writes: true,
    load: () => import('../commands/add.js'),
  },
  {
    name: 'run',
    group: 'work',
    summary: 'Have an agent work on the next Job or Goal, check the result',
    description: [
      "Takes the first Job or Goal that may run now, or those that are named, and carries it as far as it can go: plan, execute, checks, each Run a fresh agent in a worktree of its own on today's base; a Goal also through quality, governance and integration.",
      'A Goal that was left on its way goes on before anything new begins. What waits for a lease, a remote or an agent is passed over, with why.',
      'The exit status is that of what it ran; of several, the worst. With an empty queue it says so and exits 0.',
    ],
    args: [{ name: 'id', many: true, source: 'unit' }],
    options: [
      { name: 'step', kind: 'flag', summary: 'make one Run only, of a Goal one status' },
      {
        name: 'all',
        short: 'a',
        kind: 'flag',
        summary: 'go on until nothing may run, one after the other',
        conflicts: ['watch'],
      },
      { name: 'watch', kind: 'flag', summary: 'go on for ever, looking for new work', conflicts: ['all'] },
      { name: 'interval', kind: 'duration', value: '<time>', summary: 'with --watch: how often to look' },
      {
        name: 'for',
        kind: 'duration',
        value: '<time>',
        summary: 'take nothing new after <time>, end what is live by then',
      },
      {
        name: 'max-parallel',
        kind: 'number',
        value: '<n>',
        summary: 'with --all or several ids: <n> side by side, and at most <n> in this clone',
      },
      {
        name: 'claim-remote',
        kind: 'flag',
        summary: 'take Jobs and Goals from the queue shared on the remote, each by a claim there',
      },
      {
        name: 'no-merge',
        kind: 'flag',
        summary: 'do not merge a Job, whatever it says, and stop a Goal before governance',
      },
      {
        name: 'detach',
        short: 'd',
        kind: 'flag',
        summary: 'return once something is claimed and go on in the background',
      },
      { name: 'require', kind: 'flag', summary: 'exit 3 when nothing may run' },
      {
        name: 'notify',
        kind: 'text',
        value: '<command>',
        summary:
          'run this when a Job or Goal ends or needs a decision, with OWL_NOTIFY_JOB or OWL_NOTIFY_GOAL, and _STATE, _TITLE and _REASON, set',
      },
      trust,
      dryRun,
    ],
    examples: [
      { command: 'git owl run', what: 'the next Job or Goal, as far as it can go' },
      { command: 'git owl run k3x9qp --step', what: 'one Run of one Job' },
      { command: 'git owl run --all --for 2h', what: 'the whole queue, for two hours' },
    ],
    writes: true,
    load: () => import('../commands/run.js'),
  },
  {
    name: 'merge',
    group: 'work',
    summary: 'Land a reviewed Job on its base',
    description: [
      'Only a Job in review, verified at exactly its tip and base, is merged. Where the base moved, the work is replayed onto it and checked again first. The merge is made from objects: no checkout is touched, but the clean files of a checkout of the base follow it.',
      'A conflict is an escalation: nothing moves, and everything is kept.',
    ],
    args: [{ name: 'id', required: true, source: 'job' }],
    options: [
      { name: 'allow-guarded', kind: 'flag', summary: 'also when it changes guarded paths' },
      force('also with uncommitted work in its worktree, which is kept first'),
      trust,
      dryRun,
      requestId,
    ],
    examples: [{ command: 'git owl merge k3x9qp', what: 'merge what you reviewed' }],
    writes: true,
    load: () => import('../commands/merge.js'),
  },
  {
    name: 'stop',
    group: 'work',
    summary: 'End what is live on this machine: Runs, and the gates of Goals',
    description: [
      'The agent and all it started are ended, what it made is kept; the Job is pending again in its place, and the Goal stays in its status until the next run.',
    ],
    args: [{ name: 'id', source: 'unit' }],
    options: [
      {
        name: 'force',
        short: 'f',
        kind: 'flag',
        summary: 'settle a Run that will never answer; its last sign of life is shown first',
      },
      dryRun,
    ],
    examples: [
      { command: 'git owl stop', what: 'end all that is live in this clone' },
      { command: 'git owl stop k3x9qp', what: 'end the Run of one Job' },
    ],
    writes: true,
    load: () => import('../commands/stop.js'),
  },
];
