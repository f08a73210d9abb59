// Is help asked for, and of what? And what of the global options can be told without parsing the rest. No yargs.

import type { ColorChoice } from '../output/color.js';
import { GLOBAL_OPTIONS } from './options.js';
import type { Globals } from './parse.js';
import type { CommandSpec } from './spec.js';
import { findCommand, isNoun } from './table.js';
import { findName } from './words.js';

/** Words in front of `--`. */
const beforeEnd = (argv: readonly string[]): readonly string[] => {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
};

/** What help is asked of: one command, the commands of a noun (`goal`), or, both null, everything. */
export interface HelpOf {
  readonly spec: CommandSpec | null;
  readonly noun: string | null;
}

export const EVERYTHING: HelpOf = { spec: null, noun: null };

/** null: no help is asked for, or of no known command. */
export function findHelp(argv: readonly string[]): HelpOf | null {
  const words = beforeEnd(argv);
  if (!words.some((word) => word === '-h' || word === '--help')) return null;
  const { name } = findName(words, GLOBAL_OPTIONS, isNoun);
  if (name === null) return EVERYTHING;
  if (isNoun(name)) return { spec: null, noun: name };
  const spec = findCommand(name);
  return spec === undefined ? null : { spec, noun: null };
}

/** Global options of a line that is wrong as a whole, so that its error is shown in the way that was asked for. */
export function guessGlobals(argv: readonly string[]): Globals {
  const words = beforeEnd(argv);
  const color = words.map((word, at) => (word === '--color' ? words[at + 1] : /^--color=(.*)$/s.exec(word)?.[1]));
  return {
    directories: [],
    json: words.includes('--json'),
    color: color.find(
      (choice): choice is ColorChoice => choice === 'auto' || choice === 'always' || choice === 'never',
    ),
    quiet: words.includes('-q') || words.includes('--quiet'),
    verbose: false,
  };
}
