// Every key of the configuration as data: what it is, its default, who may set it and how the user's own file adds to it.
// One table feeds the merge, the manual (`gitowl-config(5)`) and `git owl config`; a test holds it against the schema.
// Longer than a file should be because it is a table: one row a key.

/**
 * How a value of the user's own file meets one of the base's (06, "Configuration": "may add …, never remove or weaken").
 * - `base-only`: the user's file must not have it.
 * - `user-only`: the base's file must not have it.
 * - `append`: lists, the base's first; a named item of the base's cannot be replaced.
 * - `add`: named entries; one of the base's cannot be replaced.
 * - `override`: the user's value counts: a matter of this person or machine.
 * - `fill`: the user's value counts where the base's file says nothing.
 * - `lower`, `higher`: of two values the smaller (greater) one counts.
 * - `strict`: of two values the one further to the right in `order` counts; the first one is refused in the user's file.
 */
export type MergeRule =
  | {
      readonly how: 'base-only' | 'user-only' | 'append' | 'add' | 'override' | 'fill' | 'lower' | 'higher';
    }
  | { readonly how: 'strict'; readonly order: readonly unknown[] };

export interface ConfigKey {
  /** `checks[].run` is a field of a list's items, `agents.<name>.command` one of named entries. */
  readonly path: string;
  /** What is written there, in words. */
  readonly type: string;
  /** As it would be written in the file; null: not set. Absent for fields of items, where the text says it. */
  readonly default?: unknown;
  readonly meaning: string;
  /** Keys with a rule are merged as one value; those without describe the inside of one. */
  readonly merge?: MergeRule;
}

const baseOnly: MergeRule = { how: 'base-only' };
const userOnly: MergeRule = { how: 'user-only' };
const append: MergeRule = { how: 'append' };
const add: MergeRule = { how: 'add' };
const override: MergeRule = { how: 'override' };
const fill: MergeRule = { how: 'fill' };
const lower: MergeRule = { how: 'lower' };
const higher: MergeRule = { how: 'higher' };
/** A permission: the user's own file may only withhold it. */
const permission: MergeRule = { how: 'strict', order: [true, false] };
const strict = (...order: readonly unknown[]): MergeRule => ({
  how: 'strict',
  order,
});

const unit = (path: string, type: string, value: unknown, merge: MergeRule, meaning: string): ConfigKey => ({
  path,
  type,
  default: value,
  merge,
  meaning,
});
const inner = (path: string, type: string, meaning: string): ConfigKey => ({
  path,
  type,
  meaning,
});

const TIME = 'length of time';
const COMMAND = 'shell command';
const COMMANDS = 'list of commands';

/** The fields of a check, wherever checks are listed. */
const checkFields = (list: string): readonly ConfigKey[] => [
  inner(
    `${list}[].name`,
    'name',
    'What the check is called in output and records. Required, and the only one of that name.',
  ),
  inner(`${list}[].run`, COMMAND, 'What decides: it passes with exit status 0. Required.'),
  inner(`${list}[].timeout`, TIME, 'How long it may take. Default: 15m.'),
  inner(
    `${list}[].expect`,
    '`success` or `empty_output`',
    '`empty_output` asks for an empty standard output too. Default: success.',
  ),
];

const gateFields = (gate: string): readonly ConfigKey[] => [
  unit(`${gate}.checks`, 'list of checks', [], append, `Checks that a Goal must pass in ${gate}.`),
  ...checkFields(`${gate}.checks`),
  unit(`${gate}.agent`, 'agent or null', null, baseOnly, `The agent that judges a Goal in ${gate}.`),
];

const phaseFields = (phase: string, timeout: string): readonly ConfigKey[] => [
  unit(
    `phases.${phase}.timeout`,
    TIME,
    timeout,
    lower,
    `How long the agent of ${phase === 'execute' ? 'an' : 'a'} ${phase} Run may take.`,
  ),
  unit(`phases.${phase}.stall`, TIME, '15m', lower, 'How long it may show no output, no processor time and no change.'),
  unit(`phases.${phase}.model`, 'text', null, override, 'The model, for presets that can be told one.'),
  unit(`phases.${phase}.budget`, 'number', null, lower, 'The budget of one Run, for presets that can obey it.'),
];

export const CONFIG_KEYS: readonly ConfigKey[] = [
  unit('version', '1', 1, override, 'The version of this format. A greater one is refused.'),
  unit(
    'base',
    'branch',
    null,
    baseOnly,
    "The branch that Jobs start from and land on. Default: the remote's default branch, else main.",
  ),
  unit(
    'remote',
    'remote',
    null,
    fill,
    'The remote whose base counts. Default: the one that the base branch follows, origin, or the only one.',
  ),
  unit('branch_prefix', 'text that ends in /', 'owl/', baseOnly, "What the names of Jobs' branches begin with."),
  unit(
    'worktrees',
    'folder',
    null,
    override,
    'Where worktrees are made. Begins with / or ~/. Default: $XDG_DATA_HOME/git-owl.',
  ),
  unit('agent', 'agent', null, override, 'The agent of new Jobs: a preset, or a name under agents.'),
  unit('agents', 'named agents', {}, add, 'Agents of your own; a preset named here is refined.'),
  inner(
    'agents.<name>.preset',
    'preset',
    'Arguments and output of this preset are used. Either this or command is required.',
  ),
  inner(
    'agents.<name>.command',
    'list of words',
    'What is started: no shell; {prompt_file} and {worktree} are filled in.',
  ),
  inner('agents.<name>.prompt', '`stdin` or `file`', 'How it gets the prompt. Default: stdin.'),
  inner('agents.<name>.env', 'list of variables', 'Variables that this agent alone gets.'),
  inner('agents.<name>.sandbox', 'list of words', 'A command put before this one. Default: sandbox.'),
  inner('agents.<name>.account', 'name', 'The account that it works under: a name, never a secret.'),
  inner(
    'agents.<name>.plan',
    '`writes` or `last-message`',
    'Whether it writes its plan itself, or its last message is the plan.',
  ),
  inner('agents.<name>.model', 'text', 'Its model, where the phase names none.'),
  unit('setup', COMMANDS, [], append, 'Commands run in a worktree before the agent starts.'),
  inner('setup[].run', COMMAND, 'The command, where more than text is needed. Required.'),
  inner('setup[].timeout', TIME, 'How long it may take. Default: 15m.'),
  unit('copy', 'list of paths', [], baseOnly, 'Git-ignored files of your checkout that a new worktree gets a copy of.'),
  unit('env', 'list of variables', [], append, 'Variables passed to setup, checks and agents; nothing else is.'),
  unit('checks', 'list of checks', [], append, 'What a tip must pass before it is offered for review or merged.'),
  ...checkFields('checks'),
  unit(
    'verification.checkout',
    '`worktree` or `fresh`',
    'worktree',
    strict('worktree', 'fresh'),
    "Where checks run: the Job's worktree, or a new checkout of the tip.",
  ),
  unit(
    'guard',
    'list of paths',
    [],
    append,
    'Paths whose change a person must allow: `merge --allow-guarded`. No merge is made by itself then. Always guarded are the configuration, what CI reads, `governance.rules`, and each file of the base that the command of a check names. * and ** are wildcards.',
  ),
  unit(
    'sandbox',
    'list of words, or `preset`',
    [],
    override,
    "A command put before agents and checks, or the preset's own sandbox.",
  ),
  ...phaseFields('plan', '1h'),
  ...phaseFields('execute', '4h'),
  unit('contract', 'list of text', [], append, 'Clauses added to what every agent is told.'),
  unit('plan', 'true or false', true, override, 'Whether new Jobs are planned before they are carried out.'),
  unit('ttl', 'whole number, 1 to 10000', 10, lower, 'How many Runs a new Job has.'),
  unit(
    'max_parallel',
    'whole number, 1 to 1000',
    2,
    lower,
    'How many Jobs and Goals may be at work in this clone at once, of all commands that carry them. One `run --all` works one after the other, side by side with `--max-parallel`.',
  ),
  unit(
    'avoid_conflicts',
    'true or false',
    false,
    override,
    'Whether `run` takes begun work that `git owl conflicts` sees colliding after the rest of its priority.',
  ),
  unit(
    'signing',
    '`never`, `inherit` or `require`',
    'never',
    strict('never', 'inherit', 'require'),
    'Whether commits that git owl makes on branches are signed.',
  ),
  unit(
    'execution.auto_merge',
    'true or false',
    false,
    permission,
    'Whether a Job that passed all its checks lands by itself.',
  ),
  unit(
    'execution.publish',
    'true or false',
    false,
    permission,
    'Whether what lands is pushed to the base on the remote first.',
  ),
  unit('execution.agents_may_add', 'true or false', false, permission, 'Whether an agent may add Jobs.'),
  unit('modes', 'named modes', {}, baseOnly, 'Modes that `add --mode` takes.'),
  inner(
    'modes.<name>.auto_merge',
    'true, false or null',
    'Overrides execution.auto_merge either way; null: it does not.',
  ),
  ...gateFields('quality'),
  ...gateFields('governance'),
  unit(
    'governance.rules',
    'list of paths',
    [],
    baseOnly,
    'Files with the rules that the agent of governance judges by.',
  ),
  unit(
    'governance.protect',
    'list of paths',
    [],
    append,
    'Paths that a Goal may not change unless a person allows it.',
  ),
  unit('governance.max_changed.files', 'whole number', null, lower, 'How many files a Goal may change.'),
  unit('governance.max_changed.lines', 'whole number', null, lower, 'How many lines a Goal may change.'),
  unit('goals.target', 'branch', null, baseOnly, 'The branch that Goals land on. Default: base.'),
  unit('goals.publish', 'true or false', true, permission, 'Whether Goals are integrated on the remote.'),
  unit('goals.error_window', 'length of time, 1s to 24h', '10m', fill, 'How long a handler has for an Error event.'),
  unit(
    'goals.ungated',
    'true or false',
    false,
    permission,
    'Whether a Goal may be integrated with no check and no agent anywhere: not under `checks`, `quality` or `governance`.',
  ),
  unit('skills', 'list of Skills', [], append, 'Commands and texts bound to lifecycle events.'),
  inner('skills[].name', 'name', 'What it is called. Required, and the only one of that name.'),
  inner('skills[].on', 'event', 'Such as workflow.backlog.enter or job.review. Required.'),
  inner('skills[].kind', '`executable`, `context` or `disabled`', 'Required.'),
  inner('skills[].run', COMMAND, 'The command of an executable one.'),
  inner('skills[].agent', 'agent', 'The agent of an executable one that has no command.'),
  inner('skills[].text', 'text', 'The text of a context one.'),
  inner('skills[].timeout', TIME, 'How long it may take. Default: 15m.'),
  unit('gc.hibernate_after', 'length of time, 0 or `never`', '1h', override, 'How long an inactive checkout stays.'),
  unit('gc.review_after', TIME, '7d', override, 'How long a Job may wait in review before `gc` says so.'),
  unit('gc.keep', TIME, '90d', higher, 'How long what closed work leaves is kept.'),
  unit(
    'gc.unfenced',
    'true or false',
    false,
    userOnly,
    'Whether remote names may be retired where the server allows no fence.',
  ),
  unit('sync.auto', 'true or false', false, override, 'Whether commands that change state sync before and after.'),
  unit(
    'sync.rounds',
    'true or false',
    false,
    override,
    'Whether the Candidates and branches of Rounds travel by sync; without it only their ids do.',
  ),
  unit(
    'sync.output',
    'true or false',
    false,
    permission,
    'Whether the end of what each check printed travels in the state, without values of passed variables and copied files; without it, it stays in the clone that ran it.',
  ),
  unit(
    'sync.wip',
    'true or false',
    false,
    override,
    'Whether what a Run left uncommitted goes along with the shared tip of its Job.',
  ),
  unit('sync.run', 'true or false', false, userOnly, 'Whether work that was made elsewhere runs here by itself.'),
  unit('sync.trust', 'true or false', false, userOnly, 'Whether gates that another clone ran count here.'),
  unit(
    'sync.claim',
    'true or false',
    false,
    userOnly,
    'Whether `run` takes Jobs from the queue shared on the remote; Goals of another clone stay there.',
  ),
];

/** The keys that are merged as one value, by path. */
export const CONFIG_UNITS: ReadonlyMap<string, ConfigKey & { readonly merge: MergeRule }> = new Map(
  CONFIG_KEYS.flatMap((key) => (key.merge === undefined ? [] : [[key.path, { ...key, merge: key.merge }] as const])),
);

/** `agents.mine.env[0]` -> `agents.<name>.env[]`: the form that the table uses. */
export function tablePath(path: readonly (string | number)[]): string {
  let text = '';
  for (const [at, part] of path.entries()) {
    if (typeof part === 'number') text += '[]';
    else if (at === 1 && (path[0] === 'agents' || path[0] === 'modes')) text += '.<name>';
    else text += text === '' ? part : `.${part}`;
  }
  return text;
}

/** The names that may stand directly under a path of the table; `''` is the top. */
export function childKeys(parent: string): readonly string[] {
  const prefix = parent === '' ? '' : `${parent}.`;
  const names = CONFIG_KEYS.filter((key) => key.path.startsWith(prefix)).map(
    (key) => key.path.slice(prefix.length).split(/[.[]/, 1)[0] ?? '',
  );
  return [...new Set(names)].filter((name) => name !== '' && name !== '<name>');
}

/** Who may set it, in words. */
export function whoMaySet(key: ConfigKey): string {
  switch (key.merge?.how) {
    case undefined:
      return 'as the key that it is part of';
    case 'base-only':
      return "the base's configuration";
    case 'user-only':
      return 'your own file';
    case 'append':
    case 'add':
      return "the base's configuration; your own file adds to it";
    case 'override':
      return "the base's configuration; your own file overrides it";
    case 'fill':
      return "the base's configuration; your own file where that says nothing";
    case 'lower':
    case 'higher':
    case 'strict':
      return "the base's configuration; your own file may only be stricter";
  }
}
