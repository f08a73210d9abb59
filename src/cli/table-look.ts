// Commands that only look. Data only.

import { LIST_OPTIONS } from './options.js';
import type { CommandSpec } from './spec.js';

const STATES = [
  ...['pending', 'active', 'blocked', 'review', 'escalated', 'exhausted', 'done', 'cancelled'],
  ...['backlog', 'todo', 'plan', 'implement', 'quality', 'governance', 'failed'],
] as const;

export const LOOK_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'status',
    group: 'look',
    summary: 'Say what runs, what waits and why, and what needs a decision',
    description: ['What "git owl" alone prints. --short is one line of digits and fixed words, for a shell prompt.'],
    options: [{ name: 'short', short: 's', kind: 'flag', summary: 'one line of counts' }],
    examples: [
      { command: 'git owl status', what: 'the whole picture and the next command' },
      { command: 'git owl status --short', what: 'one line, such as "3 pending 1 active 2 review"' },
    ],
    writes: false,
    load: () => import('../commands/status.js'),
  },
  {
    name: 'list',
    group: 'look',
    summary: 'List open Jobs and Goals in queue order',
    options: [
      { name: 'all', short: 'a', kind: 'flag', summary: 'closed work too' },
      {
        name: 'state',
        kind: 'list',
        value: '<state>',
        choices: STATES,
        summary: 'only in this state of a Job, or status of a Goal; may be repeated',
      },
      { name: 'label', kind: 'list', value: '<label>', summary: 'only with this label; may be repeated' },
      {
        name: 'goal',
        kind: 'text',
        value: '<id>',
        summary: "the Jobs of a Goal's Rounds, which are hidden otherwise",
        source: 'goal',
      },
      { name: 'jobs', kind: 'flag', summary: 'only Jobs', conflicts: ['goals'] },
      { name: 'goals', kind: 'flag', summary: 'only Goals', conflicts: ['jobs'] },
      ...LIST_OPTIONS,
    ],
    examples: [
      { command: 'git owl list', what: 'open work' },
      { command: "git owl list --state review --format '%(id) %(branch)'", what: 'for a script' },
      { command: 'git owl list --all --sort -updated --limit 10', what: 'what changed last' },
    ],
    writes: false,
    load: () => import('../commands/list.js'),
  },
  {
    name: 'show',
    group: 'look',
    summary: 'Show everything of one Job or Goal',
    description: [
      'Of a Job: policy with where each value came from, Runs with base and fetch of each, checks, and what may be done next. Of a Goal: its Rounds with their Candidates, all evidence, and what may be done next. Without an id: the Job whose worktree this is, else the only live one.',
    ],
    args: [{ name: 'id', source: 'unit' }],
    options: [
      {
        name: 'prompt',
        kind: 'flag',
        summary: 'the text that --run got, or that the next Run would get as things are now',
      },
      { name: 'run', kind: 'number', value: '<n>', summary: 'one Run' },
    ],
    examples: [
      { command: 'git owl show k3x9qp', what: 'one Job' },
      { command: 'git owl show k3x9qp --run 2 --prompt', what: 'what the second Run was told' },
    ],
    writes: false,
    load: () => import('../commands/show.js'),
  },
  {
    name: 'log',
    group: 'look',
    summary: "Print the agent's output",
    description: [
      'Of a Job: of the last Run, or of the one named. Of a Goal: of all Runs, gates, handlers and Skills of its current Round, oldest first, with what checks printed. Without an id: the Job whose worktree this is, else the only live one.',
      'Events that a preset\'s program prints as JSON are told as a person reads them: what it said, "> " and the tools it used, "! " and what went wrong. --raw prints every line as it came, as --json does.',
    ],
    args: [{ name: 'id', source: 'unit' }],
    options: [
      { name: 'follow', short: 'f', kind: 'flag', summary: 'go on printing while the Run, or the gate, lives' },
      { name: 'run', kind: 'number', value: '<n>', summary: 'one Run' },
      { name: 'raw', kind: 'flag', summary: 'every line as it came' },
    ],
    examples: [
      { command: 'git owl log -f', what: 'watch the live Run' },
      { command: 'git owl log k3x9qp --run 1', what: 'the output of the first Run' },
    ],
    writes: false,
    load: () => import('../commands/log.js'),
  },
  {
    name: 'diff',
    group: 'look',
    summary: 'Show the change of a Job against the base of its last Run, or of a Goal',
    description: [
      'Of a Goal its Candidate is shown; before there is one, what its Round has committed. Other options are passed to git diff, and paths are meant from the current folder, as there. Attributes come from the base, and no external diff or text filter runs.',
    ],
    args: [{ name: 'id', source: 'unit' }],
    options: [{ name: 'worktree', kind: 'flag', summary: 'with what a live Run has not committed' }],
    examples: [
      { command: 'git owl diff k3x9qp', what: 'the whole change' },
      { command: 'git owl diff k3x9qp --stat -- src/', what: 'options and paths of git diff' },
    ],
    lenient: true,
    passthrough: true,
    writes: false,
    load: () => import('../commands/diff.js'),
  },
  {
    name: 'review',
    group: 'look',
    summary: 'Show intent, Plan, change, checks, verdicts and open questions in one place',
    description: [
      'Of a Job or a Goal. What a diff does not show well is on top: guarded paths, attributes, modes, links, submodules, bidirectional characters. A summary that an agent wrote is marked as such, with the commits it is about. Without an id: the Job whose worktree this is, else the only live one.',
    ],
    args: [{ name: 'id', source: 'unit' }],
    options: [{ name: 'html', kind: 'flag', summary: 'as one page that loads nothing and runs no script' }],
    examples: [
      { command: 'git owl review k3x9qp', what: 'before you merge' },
      { command: 'git owl review g3x9qp --html >review.html', what: 'a Goal, for a browser' },
    ],
    writes: false,
    load: () => import('../commands/review.js'),
  },
  {
    name: 'worktree',
    group: 'look',
    summary: "Print the path of the worktree of a Job, or of a Goal's current Round",
    description: [
      '"git owl worktree list" lists them all. Without an id: the Job whose worktree this is, else the only live one.',
    ],
    args: [{ name: 'id', source: 'unit' }],
    options: [{ name: 'ensure', kind: 'flag', summary: 'make it again when it is missing' }, ...LIST_OPTIONS],
    examples: [
      { command: 'cd "$(git owl worktree k3x9qp --ensure)"', what: 'go there' },
      { command: 'git owl worktree list', what: 'all of them' },
    ],
    writes: false,
    writesWith: ['ensure'],
    load: () => import('../commands/worktree.js'),
  },
  {
    name: 'conflicts',
    group: 'look',
    summary: 'Predict which open branches collide with their target or with each other',
    description: [
      'From the commits that are here: nothing is fetched, and no branch, index or file is touched. Each open branch is merged with its target; of those that merge, each is compared with each other as if it had landed first.',
      'With ids: only collisions in which one of these takes part.',
    ],
    args: [{ name: 'id', many: true, source: 'unit' }],
    options: [{ name: 'exit-code', kind: 'flag', summary: 'exit 5 when any collide' }, ...LIST_OPTIONS],
    examples: [
      { command: 'git owl conflicts', what: 'all of them' },
      { command: 'git owl conflicts k3x9qp --exit-code', what: 'for a script, before a merge' },
    ],
    writes: false,
    load: () => import('../commands/conflicts.js'),
  },
  {
    name: 'report',
    group: 'look',
    summary: 'Write board, timeline and evidence as one page, or as Markdown',
    description: [
      'Open work, and what was closed or ran of late. The page loads nothing, runs no script and needs no network; what agents wrote is text in it. Without an option: Markdown on standard output.',
    ],
    options: [
      {
        name: 'html',
        kind: 'text',
        value: '<file>',
        summary: 'write the page to <file>, "-" for standard output',
        source: 'file',
        conflicts: ['markdown'],
      },
      { name: 'markdown', kind: 'flag', summary: 'Markdown, for a pull request or a chat', conflicts: ['html'] },
      {
        name: 'since',
        kind: 'duration',
        value: '<time>',
        summary: 'how far back closed work, Runs and evidence go; default 7d',
      },
    ],
    examples: [
      { command: 'git owl report --html report.html', what: 'for a browser' },
      { command: 'git owl report --since 1d', what: 'what happened since yesterday, as Markdown' },
    ],
    writes: false,
    load: () => import('../commands/report.js'),
  },
  {
    name: 'events',
    group: 'look',
    summary: 'List what happened, newest first',
    description: [
      'With an id only those of that Job, or of that Goal with the Jobs of its Rounds. Reads the commits of refine/state: "git log refine/state" is the same in Git\'s words. With -f they come oldest first, as they happen.',
    ],
    args: [{ name: 'id', source: 'unit' }],
    options: [
      { name: 'follow', short: 'f', kind: 'flag', summary: 'go on printing new ones' },
      {
        name: 'job',
        kind: 'text',
        value: '<id>',
        summary: 'only those of one Job',
        source: 'job',
        conflicts: ['goal'],
      },
      {
        name: 'goal',
        kind: 'text',
        value: '<id>',
        summary: 'only those of one Goal',
        source: 'goal',
        conflicts: ['job'],
      },
      ...LIST_OPTIONS,
    ],
    examples: [
      { command: 'git owl events --limit 20', what: 'the last twenty' },
      { command: 'git owl events g3x9qp', what: 'those of one Goal' },
      { command: 'git owl events -f --json', what: 'one JSON object a line, as they happen' },
    ],
    writes: false,
    load: () => import('../commands/events.js'),
  },
];
