// From the words of a command line to words that yargs reads as Git would: values travel as indexes, groups are taken apart.

import { OwlError } from '../domain/errors.js';
import { quote, usageError } from './coerce.js';
import type { CommandSpec, OptionSpec } from './spec.js';

export interface Words {
  /** For yargs: `--name`, `--name <index>` and positionals as they are. */
  readonly tokens: readonly string[];
  /** The values that the indexes stand for. */
  readonly values: readonly string[];
  /** For a lenient command: its first unknown option and what follows, but for options that it knows. */
  readonly unknown: readonly string[];
  /** Words after `--`. */
  readonly after: readonly string[];
}

/**
 * Git lets a value follow its option in the next word whatever it begins with, or stuck to a short option; yargs does
 * neither, and takes quotation marks off a value behind `=`. So values are put aside here. Words that begin with a dash
 * and are no known option stay as they are. Throws OwlError `usage` for a missing value or a flag that was given one.
 * `before` are words in front of the command's name, where only global options are known.
 */
export function readWords(found: Found, globals: readonly OptionSpec[], spec: CommandSpec): Words {
  const end = found.after.indexOf('--');
  const reading: Reading = { tokens: [], values: [], unknown: [], spec };
  readOptionWords(found.before, globals, reading);
  // Behind the name of a lenient command, short options are those of the program that they are passed to.
  const own = spec.lenient ? globals.map(({ short, ...option }): OptionSpec => option) : globals;
  readOptionWords(end < 0 ? found.after : found.after.slice(0, end), [...(spec.options ?? []), ...own], reading);
  return { ...reading, after: end < 0 ? [] : found.after.slice(end + 1) };
}

interface Reading {
  readonly tokens: string[];
  readonly values: string[];
  readonly unknown: string[];
  readonly spec: CommandSpec;
}

function readOptionWords(words: readonly string[], options: readonly OptionSpec[], reading: Reading): void {
  const { tokens, values, unknown, spec } = reading;
  const give = (option: OptionSpec, value: string | undefined): void => {
    if (value === undefined) throw usageError(spec, `option ${keyOf(option)} needs a value`);
    tokens.push(keyOf(option), String(values.push(value) - 1));
  };
  const other = (word: string): void => {
    const foreign = spec.lenient && (unknown.length > 0 || (word.startsWith('-') && word !== '-'));
    (foreign ? unknown : tokens).push(word);
  };
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const long = /^--([^=]+)(?:=([\s\S]*))?$/.exec(word);
    if (long?.[1] !== undefined) {
      const option = options.find(({ name }) => name.length > 1 && name === long[1]);
      // yargs would take `--C` for `-C`.
      if (option === undefined && long[1].length === 1 && !spec.lenient) throw unknownOption(word, spec, null);
      if (option === undefined) other(word);
      else if (option.kind !== 'flag') give(option, long[2] ?? words[++at]);
      else if (long[2] !== undefined) throw usageError(spec, `option --${option.name} takes no value`);
      else tokens.push(word);
    } else if (/^-[^-]/.test(word)) {
      at += readGroup(word, words[at + 1], options, { flag: (option) => tokens.push(keyOf(option)), give, other });
    } else other(word);
  }
}

/** `near` is the option that may have been meant. */
export const unknownOption = (word: string, spec: CommandSpec, near: string | null): OwlError =>
  usageError(spec, `unknown option ${quote(word)} of ${spec.name}${near === null ? '' : `; did you mean --${near}?`}`);

interface Takers {
  readonly flag: (option: OptionSpec) => void;
  readonly give: (option: OptionSpec, value: string | undefined) => void;
  readonly other: (word: string) => void;
}

/** `-qF file`, `-Ffile`. Returns how many further words were used. A group with an unknown letter stays as it is. */
function readGroup(word: string, next: string | undefined, options: readonly OptionSpec[], takers: Takers): number {
  const flags: OptionSpec[] = [];
  for (let at = 1; at < word.length; at++) {
    const option = options.find(({ short }) => short === word[at]);
    if (option === undefined) {
      takers.other(word);
      return 0;
    }
    if (option.kind === 'flag') {
      flags.push(option);
      continue;
    }
    const stuck = word.slice(at + 1);
    for (const flag of flags) takers.flag(flag);
    takers.give(option, stuck === '' ? next : stuck);
    return stuck === '' ? 1 : 0;
  }
  for (const flag of flags) takers.flag(flag);
  return 0;
}

export const keyOf = (option: OptionSpec): string =>
  option.name.length === 1 ? `-${option.name}` : `--${option.name}`;

export interface Found {
  /** `add`, `goal add`; null: no command was named. */
  readonly name: string | null;
  /** Words in front of the name, and behind it. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Finds the command among the words: the first that is neither a global option nor its value. */
export function findName(
  argv: readonly string[],
  globals: readonly OptionSpec[],
  isNoun: (word: string) => boolean,
): Found {
  let at = 0;
  for (; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (word === '--') throw new OwlError('usage', 'no command before "--"', { next: ['git owl -h'] });
    if (!word.startsWith('-') || word === '-') break;
    if (globals.some((option) => option.kind !== 'flag' && (word === keyOf(option) || word === `-${option.short}`)))
      at++;
  }
  const [word, second] = argv.slice(at);
  if (word === undefined) return { name: null, before: argv, after: [] };
  const before = argv.slice(0, at);
  return isNoun(word) && second !== undefined && !second.startsWith('-')
    ? { name: `${word} ${second}`, before, after: argv.slice(at + 2) }
    : { name: word, before, after: argv.slice(at + 1) };
}
