// Help as lines: the overview grouped by task, and one command. Never loads yargs or nodegit (06, P1).

import type { Lines, Theme } from '../output/theme.js';
import { GLOBAL_OPTIONS } from './options.js';
import type { CommandGroup, CommandSpec, OptionSpec } from './spec.js';

export const GROUPS = {
  work: 'Queue work and have it done',
  look: 'See what is going on',
  decide: 'Decide about finished work',
  change: 'Change the queue',
  repository: 'Set up and look after the repository',
} as const satisfies Record<CommandGroup, string>;

/** One screen: the one path first, then every command by task (06). */
export function overview(commands: readonly CommandSpec[], theme: Theme): Lines {
  const shown = rowsOf(commands);
  const width = Math.max(...shown.map((row) => row.name.length));
  const lines: string[] = [
    `${theme.heading('usage:')} git owl [-C <path>] [--json] [-q] [-v] <command> [<options>]`,
    '',
    'Hand work to an agent and get back a branch you can trust:',
    '',
    `   ${theme.command('git owl add "make the parser accept tabs"')}   queue it`,
    `   ${theme.command('git owl run')}                                 have it done and checked`,
    `   ${theme.command('git owl merge <id>')}                          land it`,
  ];
  for (const [group, title] of Object.entries(GROUPS)) {
    lines.push('', theme.heading(title));
    for (const row of shown.filter((entry) => entry.group === group)) {
      lines.push(`   ${theme.command(row.name)}${' '.repeat(width - row.name.length)}   ${row.summary}`);
    }
  }
  lines.push('', '"git owl <command> -h" explains a command, "git help owl" opens the manual.');
  return lines;
}

type Row = Pick<CommandSpec, 'name' | 'group' | 'summary'>;

/** One row a command; the commands of a noun share one, with their verbs. */
function rowsOf(commands: readonly CommandSpec[]): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const { name, group, summary, hidden } of commands) {
    const [first = name, verb] = name.split(' ');
    const before = rows.get(first)?.summary;
    if (!hidden)
      rows.set(first, {
        name: first,
        group,
        summary:
          verb === undefined ? summary : before === undefined ? `${capital(first)}s: ${verb}` : `${before}|${verb}`,
      });
  }
  return [...rows.values()];
}

const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

/** The commands of a noun, such as `goal`. */
export function nounHelp(noun: string, commands: readonly CommandSpec[], theme: Theme): Lines {
  const verbs = commands.filter((spec) => !spec.hidden && spec.name.startsWith(`${noun} `));
  const width = Math.max(...verbs.map((spec) => spec.name.length));
  return [
    `${theme.heading('usage:')} git owl ${noun} <verb> [<options>]`,
    '',
    ...verbs.map((spec) => `   ${theme.command(spec.name)}${' '.repeat(width - spec.name.length)}   ${spec.summary}`),
    '',
    `"git owl ${noun} <verb> -h" explains one.`,
  ];
}

/** Usage, what it does, options, examples. */
export function commandHelp(spec: CommandSpec, theme: Theme, width: number): Lines {
  const columns = Math.min(width, 100);
  const lines: string[] = [`${theme.heading('usage:')} ${synopsis(spec)}`, '', ...wrap(`${spec.summary}.`, columns)];
  for (const paragraph of spec.description ?? []) lines.push('', ...wrap(paragraph, columns));
  const options = (spec.options ?? []).filter((option) => !option.hidden);
  if (options.length > 0) lines.push('', theme.heading('Options'), ...optionLines(options, theme, columns));
  lines.push('', theme.heading('Everywhere'), ...optionLines(GLOBAL_OPTIONS, theme, columns));
  lines.push('', theme.heading('Examples'));
  const longest = Math.max(...spec.examples.map(({ command }) => command.length));
  for (const { command, what } of spec.examples) {
    if (longest + what.length + 8 <= 100)
      lines.push(`   ${theme.command(command.padEnd(longest))}   ${theme.dim(`# ${what}`)}`);
    else lines.push(`   ${theme.dim(`# ${what}`)}`, `   ${theme.command(command)}`);
  }
  return lines;
}

/** `git owl show [<options>] [<id>]`. */
export function synopsis(spec: CommandSpec): string {
  const words = [`git owl ${spec.name}`];
  if ((spec.options ?? []).some((option) => !option.hidden)) words.push('[<options>]');
  for (const argument of spec.args ?? []) {
    const name = argument.choices === undefined ? `<${argument.name}>` : `(${argument.choices.join('|')})`;
    const many = `${name}${argument.many ? '...' : ''}`;
    words.push(argument.required ? many : `[${argument.choices === undefined ? many : argument.choices.join('|')}]`);
  }
  if (spec.lenient) words.push('[<git diff options>]');
  if (spec.passthrough) words.push('[-- <path>...]');
  return words.join(' ');
}

/** `-F, --file <file>`. */
export function sayOption(option: OptionSpec): string {
  const long = option.name.length === 1 ? '' : `--${option.name}`;
  const names = [option.short === undefined ? '' : `-${option.short}`, long].filter((text) => text !== '').join(', ');
  const value = option.value ?? (option.kind === 'flag' ? '' : '<value>');
  return value === ''
    ? names
    : `${names} ${option.choices === undefined || option.kind === 'list' ? value : `(${option.choices.join('|')})`}`;
}

function optionLines(options: readonly OptionSpec[], theme: Theme, width: number): Lines {
  const names = options.map((option) => (option.short === undefined ? '    ' : '') + sayOption(option));
  const column = Math.min(30, Math.max(...names.map((name) => name.length)) + 2);
  return options.flatMap((option, at) => {
    const name = names[at] ?? '';
    const text = wrap(option.summary, width - column - 3);
    const first =
      name.length + 2 <= column
        ? [`   ${theme.command(name)}${' '.repeat(column - name.length)}${text[0] ?? ''}`]
        : [`   ${theme.command(name)}`];
    const more = first[0]?.endsWith(text[0] ?? '') && name.length + 2 <= column ? text.slice(1) : text;
    return [...first, ...more.map((line) => `   ${' '.repeat(column)}${line}`)];
  });
}

/** Words filled into lines of at most `width` columns; our own text, so one column a character. */
export function wrap(text: string, width: number): Lines {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > Math.max(20, width)) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
