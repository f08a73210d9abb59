// `git owl help configuration`: every key, as in gitowl-config(5). Loaded only when it is asked for.

import { CONFIG_KEYS, type ConfigKey } from '../config/keys.js';
import type { Lines, Theme } from '../output/theme.js';
import { wrap } from './help.js';

const HEAD = [
  'In .coding-owl.yaml (or .json, or coding-owl in package.json), read from the commit of the base branch; then the file of your own, in $XDG_CONFIG_HOME/coding-owl/config.yaml, which may add to it and be stricter, never weaker.',
  '"git owl config" prints the values in force with where each came from, "git owl config check" looks before you commit, "git owl init" writes a first file. The whole manual: git help owl-config',
];

/** Key by key: its type and default, then what it means. */
export function configurationHelp(theme: Theme, width: number): Lines {
  const columns = Math.min(width, 100);
  return [
    ...HEAD.flatMap((paragraph) => [...wrap(paragraph, columns), '']),
    ...CONFIG_KEYS.flatMap((key) => [
      `${theme.strong(key.path)}  ${theme.dim(sayType(key))}`,
      ...wrap(key.meaning.replaceAll('`', '"'), columns - 4).map((line) => `    ${line}`),
    ]),
  ];
}

function sayType({ type, default: value, meaning }: ConfigKey): string {
  const named = type.replaceAll('`', '"');
  if (value === undefined || value === null || meaning.includes('Default: ')) return named;
  return `${named}; default ${JSON.stringify(value)}`;
}
