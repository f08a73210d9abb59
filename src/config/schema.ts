// The schema of the configuration file: what the loader accepts, and (through json-schema.ts) what is published for editors.
// Each message says what was expected there; issues.ts makes the sentence.

import * as v from 'valibot';
import { TTL_LIMIT } from '../domain/policy.js';

/** Presets that `preset:` may name; a test holds the list against `src/agent/presets`. */
export const PRESET_NAMES = ['aider', 'claude', 'codex', 'copilot', 'gemini', 'opencode'] as const;

const text = (expected: string, pattern: RegExp) => v.pipe(v.string(expected), v.regex(pattern, expected));
const choice = <const T extends readonly [string, ...string[]]>(...options: T) =>
  v.picklist(options, options.length === 1 ? `${options[0]}` : `one of ${options.join(', ')}`);
const whole = (least: number, most: number) => {
  const expected = `a whole number from ${least} to ${most}`;
  return v.pipe(v.number(expected), v.integer(expected), v.minValue(least, expected), v.maxValue(most, expected));
};
const flag = v.boolean('true or false');
const list = <T extends v.GenericSchema>(item: T, expected: string) => v.array(item, `a list of ${expected}`);
/** A mapping with these keys and no other. Valibot takes a list for one as well: issues.ts refuses that. */
const mapping = <T extends v.ObjectEntries>(entries: T) => v.strictObject(entries, 'keys with values');

// Lengths of time. The digits are bounded so that every sum fits the 24.8 days that a timer can wait.
const LIMIT = /^(?=.*[1-9])(?:\d{1,1}d)?(?:\d{1,2}h)?(?:\d{1,4}m)?(?:\d{1,5}s)?(?:\d{1,7}ms)?$/;
const LONG = /^(?=.*[1-9])(?:\d{1,4}d)?(?:\d{1,4}h)?(?:\d{1,5}m)?(?:\d{1,7}s)?$/;
const WINDOW =
  /^(?:(?:[1-9]\d{0,3}|[1-7]\d{4}|8[0-5]\d{3}|86[0-3]\d{2}|86400)s|(?:[1-9]\d{0,2}|1[0-3]\d{2}|14[0-3]\d|1440)m|(?:[1-9]|1\d|2[0-4])h|1d)$/;
const limit = text('a length of time such as 90s, 15m, 4h30m or 2d, at most 9d', LIMIT);
const long = text('a length of time such as 90s, 15m, 4h or 30d', LONG);

// Names and words. A pattern that begins with `(?!-)` keeps a value from being read as an option by a command.
const REF_PART = String.raw`(?!-)(?!@$)(?!\.)(?!.*(?:\.\.|@\{|//|/\.|\.lock(?:/|$)))[^\x00-\x20~^:?*\[\\\x7f]*[^\x00-\x20~^:?*\[\\\x7f./]`;
const branch = text(
  "a branch's name such as main, not below refine/",
  new RegExp(`^(?!refine(?:/|$))(?!refs/)${REF_PART}$`),
);
const remote = text("a remote's name such as origin", new RegExp(`^${REF_PART}$`));
const prefix = text(
  'text that ends in / such as owl/, not refine/',
  /^(?=.{1,100}$)(?!refine\/)(?!refs\/)(?!.*\.lock\/)(?:[A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*\/)+$/,
);
const name = text(
  'a name of letters, digits, . _ and -',
  /^(?!constructor$|prototype$)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
);
const agent = text('the name of an agent', /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
const variable = text("a variable's name, not one that begins with OWL_", /^(?!OWL_)[A-Za-z_][A-Za-z0-9_]*$/);
const line = text('one line of text', /^(?=.*\S)[^\x00-\x1f\x7f]+$/);
const words = text('text', /^(?=[\s\S]*\S)[^\x00]+$/);
const command = text('a shell command', /^(?=[\s\S]*\S)[^\x00]+$/);
const word = text('a word of a command', /^[^\x00]+$/);
const argv = v.pipe(list(word, 'words'), v.minLength(1, 'a list of at least one word'));
const prefixWords = list(word, 'words');
const folder = text('a folder that begins with / or ~/', /^(?:\/|~\/)[^\x00-\x1f\x7f]*$/);
const path = text(
  "a path below the repository's top, with / between its parts",
  /^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$))(?!\.git(?:\/|$))(?=.*[^\s/])[^\x00-\x1f\x7f\\]+$/,
);
const event = text(
  'an event such as workflow.backlog.enter or job.review',
  /^(?:workflow\.(?:backlog|todo|plan|implement|quality|governance|review|done|failed|cancelled)\.(?:enter|exit|success|error)|job\.(?:pending|active|blocked|review|escalated|done|cancelled|exhausted))$/,
);
/** YAML reads an unquoted amount as a number, so both are taken. */
const BUDGET = 'a number greater than 0';
const budget = v.union(
  [
    v.pipe(v.number(BUDGET), v.gtValue(0, BUDGET), v.maxValue(1_000_000_000, BUDGET)),
    text(BUDGET, /^(?=.*[1-9])\d{1,9}(?:\.\d{1,6})?$/),
  ],
  BUDGET,
);

const step = v.union(
  [command, mapping({ run: command, timeout: v.optional(limit) })],
  'a shell command, or run: with a command and timeout: with a length of time',
);
const check = mapping({
  name,
  run: command,
  timeout: v.optional(limit),
  expect: v.optional(choice('success', 'empty_output')),
});
const checks = list(check, 'checks');
const paths = list(path, 'paths');
const phase = mapping({
  timeout: v.optional(limit),
  stall: v.optional(limit),
  model: v.optional(line),
  budget: v.optional(budget),
});
const definition = mapping({
  preset: v.optional(choice(...PRESET_NAMES)),
  command: v.optional(argv),
  prompt: v.optional(choice('stdin', 'file')),
  env: v.optional(list(variable, 'variables')),
  sandbox: v.optional(prefixWords),
  account: v.optional(name),
  plan: v.optional(choice('writes', 'last-message')),
  model: v.optional(line),
});
const skillHead = { name, on: event };
const skillWork = {
  run: v.optional(command),
  agent: v.optional(agent),
  timeout: v.optional(limit),
};
const skill = v.variant(
  'kind',
  [
    mapping({ ...skillHead, kind: v.literal('executable'), ...skillWork }),
    mapping({ ...skillHead, kind: v.literal('context'), text: words }),
    mapping({
      ...skillHead,
      kind: v.literal('disabled'),
      ...skillWork,
      text: v.optional(words),
    }),
  ],
  'one of executable, context, disabled',
);
const limits = mapping({
  files: v.optional(whole(1, 10_000_000)),
  lines: v.optional(whole(1, 1_000_000_000)),
});

/** The keys of both files; each file adds its own in `gc` and `sync`. */
const common = {
  version: v.optional(v.literal(1, '1')),
  base: v.optional(branch),
  remote: v.optional(remote),
  branch_prefix: v.optional(prefix),
  worktrees: v.optional(folder),
  agent: v.optional(agent),
  agents: v.optional(v.record(name, definition, 'names with an agent each')),
  setup: v.optional(list(step, 'commands')),
  copy: v.optional(paths),
  env: v.optional(list(variable, 'variables')),
  checks: v.optional(checks),
  verification: v.optional(mapping({ checkout: v.optional(choice('worktree', 'fresh')) })),
  guard: v.optional(paths),
  sandbox: v.optional(v.union([v.literal('preset'), prefixWords], 'a list of words, or preset')),
  phases: v.optional(mapping({ plan: v.optional(phase), execute: v.optional(phase) })),
  contract: v.optional(list(words, 'text')),
  plan: v.optional(flag),
  ttl: v.optional(whole(1, TTL_LIMIT)),
  max_parallel: v.optional(whole(1, 1_000)),
  avoid_conflicts: v.optional(flag),
  signing: v.optional(choice('never', 'inherit', 'require')),
  execution: v.optional(
    mapping({
      auto_merge: v.optional(flag),
      publish: v.optional(flag),
      agents_may_add: v.optional(flag),
    }),
  ),
  modes: v.optional(v.record(name, mapping({ auto_merge: v.optional(v.nullable(flag)) }), 'names with a mode each')),
  quality: v.optional(
    mapping({
      checks: v.optional(checks),
      agent: v.optional(v.nullable(agent)),
    }),
  ),
  governance: v.optional(
    mapping({
      checks: v.optional(checks),
      agent: v.optional(v.nullable(agent)),
      rules: v.optional(paths),
      protect: v.optional(paths),
      max_changed: v.optional(limits),
    }),
  ),
  goals: v.optional(
    mapping({
      target: v.optional(branch),
      publish: v.optional(flag),
      error_window: v.optional(text('a length of time from 1s to 24h', WINDOW)),
      ungated: v.optional(flag),
    }),
  ),
  skills: v.optional(list(skill, 'Skills')),
};
const gc = {
  hibernate_after: v.optional(
    v.union([v.literal(0), v.literal('0'), v.literal('never'), long], 'a length of time such as 1h, 0 or never'),
  ),
  review_after: v.optional(long),
  keep: v.optional(long),
};
const sync = {
  auto: v.optional(flag),
  rounds: v.optional(flag),
  output: v.optional(flag),
  wip: v.optional(flag),
};

/** The repository's file, read from the base's commit. */
export const baseFileSchema = mapping({
  ...common,
  gc: v.optional(mapping(gc)),
  sync: v.optional(mapping(sync)),
});

/** The user's own file: the keys that only it may have are known here, the merge refuses those that it may not have. */
export const userFileSchema = mapping({
  ...common,
  gc: v.optional(mapping({ ...gc, unfenced: v.optional(flag) })),
  sync: v.optional(
    mapping({
      ...sync,
      run: v.optional(flag),
      trust: v.optional(flag),
      claim: v.optional(flag),
    }),
  ),
});

export type ConfigFile = v.InferOutput<typeof userFileSchema>;
