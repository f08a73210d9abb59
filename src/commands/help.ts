// `help [<command>|<topic>]`: the same text as `-h`, and topics.

import { join } from 'node:path';
import { usageError } from '../cli/coerce.js';
import { commandHelp, nounHelp, overview } from '../cli/help.js';
import type { Request } from '../cli/spec.js';
import { isTopic, TOPICS, topicHelp } from '../cli/topics.js';
import type { Context } from '../context.js';
import { nearest } from '../domain/nearest.js';
import type { Report } from '../output/report.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const name = request.rest.join(' ');
  const commands = context.commands.filter((spec) => !spec.hidden);
  if (name === '')
    return {
      kind: 'help',
      data: { commands: commands.map(({ name, summary }) => ({ name, summary })) },
      view: (theme) => overview(commands, theme),
    };
  if (name === 'configuration') {
    const { configurationHelp } = await import('../cli/topic-configuration.js');
    return { kind: 'help', data: { topic: name }, view: configurationHelp };
  }
  if (isTopic(name) && name !== 'configuration')
    return { kind: 'help', data: { topic: name }, view: (theme, width) => topicHelp(name, theme, width) };
  const verbs = commands.filter((entry) => entry.name.startsWith(`${name} `));
  if (verbs.length > 0)
    return {
      kind: 'help',
      data: { commands: verbs.map(({ name, summary }) => ({ name, summary })) },
      view: (theme) => nounHelp(name, commands, theme),
    };
  if (PAGES.has(name)) return pageReport(context, name);
  const spec = commands.find((entry) => entry.name === name);
  if (spec === undefined) {
    const near = nearest(name, [...commands.map((entry) => entry.name), ...Object.keys(TOPICS)]);
    throw usageError(null, `no help on ${JSON.stringify(name)}${near === null ? '' : `; did you mean ${near}?`}`);
  }
  return {
    kind: 'help',
    data: { command: spec.name, summary: spec.summary },
    view: (theme, width) => commandHelp(spec, theme, width),
  };
}

/** Manual pages, by what `git help` calls them. */
const PAGES: ReadonlyMap<string, string> = new Map([
  ['owl', 'git-owl.1'],
  ['owl-config', 'gitowl-config.5'],
  ['owl-state', 'gitowl-state.5'],
]);

/** A page is opened by Git, or by man where the package does not lie where man looks. */
function pageReport(context: Context, name: string): Report {
  const path = join(context.root, 'man', PAGES.get(name) ?? '');
  const lines = [`git help ${name}   # opens the manual page`, `man -l ${path}   # where Git does not find it`];
  return { kind: 'help', data: { page: name, path }, view: (theme) => lines.map((line) => theme.command(line)) };
}
