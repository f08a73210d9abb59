// Options that several commands share: one definition, one word everywhere (06). Data only.

import type { OptionSpec } from './spec.js';

/** Options of every command, before or after its name. An option whose name is one letter has no long form. */
export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  { name: 'C', short: 'C', kind: 'list', value: '<path>', summary: 'run as if started in <path>', source: 'directory' },
  { name: 'json', kind: 'flag', summary: 'print one JSON document on standard output' },
  {
    name: 'color',
    kind: 'choice',
    value: '<when>',
    choices: ['auto', 'always', 'never'],
    summary: 'when to use colour',
  },
  { name: 'quiet', short: 'q', kind: 'flag', summary: 'print no progress and no hints' },
  { name: 'verbose', short: 'v', kind: 'flag', summary: 'show the Git commands that run, with their times' },
  { name: 'help', short: 'h', kind: 'flag', summary: 'show this help' },
];

export const dryRun: OptionSpec = { name: 'dry-run', short: 'n', kind: 'flag', summary: 'only say what would be done' };

export const requestId: OptionSpec = {
  name: 'request-id',
  kind: 'text',
  value: '<id>',
  summary: 'do it once: the same <id> again returns the first result',
};

export const trust: OptionSpec = {
  name: 'trust',
  kind: 'flag',
  summary: "run the commands of the repository's configuration without asking",
};

export const force = (summary: string): OptionSpec => ({ name: 'force', short: 'f', kind: 'flag', summary });

export const fromFile = (what: string): OptionSpec => ({
  name: 'file',
  short: 'F',
  kind: 'text',
  value: '<file>',
  summary: `read ${what} from <file>, "-" for standard input`,
  source: 'file',
});

/** For commands that print a list (06). */
export const LIST_OPTIONS: readonly OptionSpec[] = [
  { name: 'format', kind: 'text', value: '<format>', summary: 'print each row as text with %(field)' },
  { name: 'null', short: 'z', kind: 'flag', summary: 'end each row with NUL instead of a newline' },
  { name: 'sort', kind: 'list', value: '<field>', summary: 'order by a field, by -<field> the other way round' },
  { name: 'limit', kind: 'number', value: '<n>', summary: 'print at most <n> rows' },
];
