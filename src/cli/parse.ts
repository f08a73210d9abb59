// From a command line to a command and its request. The only importer of yargs: its parser reads the words, the dispatch comes
// after it (06, 08). The rest of yargs (help, locales, columns) would double the start-up (P1, P2) and is ours, from the table.

import { Parser } from 'yargs/helpers';
import { OwlError } from '../domain/errors.js';
import { nearest } from '../domain/nearest.js';
import type { ColorChoice } from '../output/color.js';
import { coerceOption, quote, usageError } from './coerce.js';
import { GLOBAL_OPTIONS } from './options.js';
import type { CommandSpec, OptionSpec, Request } from './spec.js';
import { COMMANDS, findCommand, isNoun } from './table.js';
import { findName, readWords, unknownOption, type Words } from './words.js';

export interface Globals {
  /** Values of `-C`, each relative to the one before, as Git has it. */
  readonly directories: readonly string[];
  readonly json: boolean;
  readonly color: ColorChoice | undefined;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

export interface Parsed {
  readonly spec: CommandSpec;
  readonly request: Request;
  readonly globals: Globals;
}

type Value = string | number | true;
type Values = ReadonlyMap<string, readonly Value[]>;

/** `git owl` alone is `git owl status` (06); help was answered before. Throws OwlError `usage`, with the nearest word that is known. */
export function parse(argv: readonly string[]): Parsed {
  const found = findName(argv, GLOBAL_OPTIONS, isNoun);
  const spec = findCommand(found.name ?? 'status');
  if (spec === undefined) throw unknownCommand(found.name ?? '');
  const words = readWords(found, GLOBAL_OPTIONS, spec);
  const options = [...(spec.options ?? []), ...GLOBAL_OPTIONS];
  const { values, positionals } = readOptions(words, options, spec);
  refuseUnknown(positionals, options, spec);
  checkValues(values, options, spec);
  const given = spec.passthrough ? positionals : [...positionals, ...words.after];
  const { args, rest, extra } = placeArguments(given, spec);
  if (extra.length > 0 && !spec.lenient) throw unexpected(extra[0] ?? '', spec);
  const passed = spec.passthrough ? words.after : [];
  const request = createRequest(spec, values, { args, rest, passed, unknown: [...words.unknown, ...extra] });
  return { spec, request, globals: readGlobals(values) };
}

function readOptions(
  words: Words,
  options: readonly OptionSpec[],
  spec: CommandSpec,
): { readonly values: Values; readonly positionals: readonly string[] } {
  const named = (flags: boolean): string[] =>
    options.filter(({ kind }) => (kind === 'flag') === flags).map(({ name }) => name);
  const argv = Parser([...words.tokens], {
    boolean: named(true),
    string: named(false),
    narg: Object.fromEntries(named(false).map((name) => [name, 1])),
    configuration: {
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'unknown-options-as-args': true,
    },
  }) as Record<string, unknown> & { readonly _: readonly (string | number)[] };
  const values = new Map<string, readonly Value[]>();
  for (const option of options) {
    const found = argv[option.name];
    if (found === undefined) continue;
    const all = Array.isArray(found) ? found : [found];
    const texts = all.map((at) =>
      option.kind === 'flag' ? true : coerceOption(spec, option, words.values[Number(at)] ?? ''),
    );
    values.set(option.name, texts);
  }
  return { values, positionals: argv._.map(String) };
}

/** What still looks like an option is none that we know. */
function refuseUnknown(positionals: readonly string[], options: readonly OptionSpec[], spec: CommandSpec): void {
  const word = positionals.find((text) => text.startsWith('-') && text !== '-');
  if (word === undefined) return;
  const bare = word.replace(/=.*$/s, '');
  const known = options.filter(({ hidden, name }) => !hidden && name.length > 1).map(({ name }) => name);
  const near = bare.startsWith('--') ? nearest(bare.slice(2), known) : null;
  throw unknownOption(bare, spec, near);
}

function placeArguments(words: readonly string[], spec: CommandSpec) {
  const args: Record<string, string | undefined> = {};
  const rest: string[] = [];
  let at = 0;
  for (const argument of spec.args ?? []) {
    const values = argument.many ? words.slice(at) : words.slice(at, at + 1);
    at += values.length;
    if (argument.required && values.length === 0) throw usageError(spec, `${spec.name} needs <${argument.name}>`);
    for (const value of values) {
      if (argument.choices !== undefined && !argument.choices.includes(value)) {
        throw usageError(spec, `<${argument.name}> is ${argument.choices.join(' or ')}, not ${quote(value)}`);
      }
    }
    if (argument.many) rest.push(...values);
    else args[argument.name] = values[0];
  }
  return { args, rest, extra: words.slice(at) };
}

function checkValues(values: Values, options: readonly OptionSpec[], spec: CommandSpec): void {
  for (const option of options) {
    const other = values.has(option.name) ? option.conflicts?.find((name) => values.has(name)) : undefined;
    if (other !== undefined) throw usageError(spec, `options --${option.name} and --${other} exclude each other`);
    const choices = option.kind === 'list' ? option.choices : undefined;
    const wrong =
      choices === undefined ? undefined : values.get(option.name)?.find((value) => !choices.includes(String(value)));
    if (wrong !== undefined) {
      throw usageError(spec, `option --${option.name} is one of ${choices?.join(', ')}, not ${quote(String(wrong))}`);
    }
  }
}

function createRequest(
  spec: CommandSpec,
  values: Values,
  words: Pick<Request, 'args' | 'rest' | 'passed' | 'unknown'>,
): Request {
  const last = (name: string): Value | undefined => values.get(name)?.at(-1);
  const number = (name: string): number | undefined => {
    const value = last(name);
    return typeof value === 'number' ? value : undefined;
  };
  return {
    command: spec.name,
    ...words,
    flag: (name) => values.has(name),
    text: (name) => {
      const value = last(name);
      return typeof value === 'string' ? value : undefined;
    },
    list: (name) => (values.get(name) ?? []).map(String),
    number,
    duration: number,
  };
}

function readGlobals(values: Values): Globals {
  return {
    directories: (values.get('C') ?? []).map(String),
    json: values.has('json'),
    color: values.get('color')?.at(-1) as ColorChoice | undefined,
    quiet: values.has('quiet'),
    verbose: values.has('verbose'),
  };
}

function unknownCommand(name: string) {
  if (isNoun(name)) {
    const verbs = COMMANDS.flatMap((spec) =>
      spec.name.startsWith(`${name} `) ? [spec.name.slice(name.length + 1)] : [],
    );
    return new OwlError('usage', `${name} needs one of ${verbs.join(', ')}`, {
      next: [`git owl ${name} -h`],
    });
  }
  const known = COMMANDS.filter(({ hidden }) => !hidden).map((spec) => spec.name);
  const [noun = '', verb] = name.split(' ');
  // Most verbs take a Job or a Goal and stand without a noun; a verb that only one noun has is meant with it.
  const exact = verb === undefined ? known.find((one) => one.endsWith(` ${name}`)) : known.find((one) => one === verb);
  const within = verb === undefined ? known : known.filter((one) => one.startsWith(`${noun} `));
  const near = exact ?? nearest(name, within);
  const message = `unknown command ${quote(name)}${near === null ? '' : `; did you mean ${near}?`}`;
  // The help of the verb where that is certain, else of the noun, else of all.
  const of =
    exact !== undefined && verb !== undefined ? exact : near?.includes(' ') ? near.split(' ')[0] : verb && noun;
  return new OwlError('usage', message, { next: [of === undefined ? 'git owl -h' : `git owl ${of} -h`] });
}

function unexpected(word: string, spec: CommandSpec) {
  return usageError(spec, `unexpected argument ${quote(word)} of ${spec.name}`);
}
