// Named values below each other, and headings: the shared shape of `show`, `review` and `doctor`. Pure.

import type { Lines, Theme } from '../theme.js';
import { widthOf } from '../width.js';

/** `name` and a value that is styled already; null: left out. */
export type Field = readonly [name: string, value: string | null];

/** Names in one column, values in the next. */
export function fields(theme: Theme, rows: readonly Field[], indent = 2): Lines {
  const shown = rows.filter((row): row is readonly [string, string] => row[1] !== null && row[1] !== '');
  const width = Math.max(0, ...shown.map(([name]) => widthOf(name)));
  return shown.map(
    ([name, value]) => `${' '.repeat(indent)}${theme.dim(name)}${' '.repeat(width - widthOf(name))}  ${value}`,
  );
}

/** A heading with its lines, after a blank line; nothing when there are none. */
export const section = (theme: Theme, title: string, lines: Lines): Lines =>
  lines.length === 0 ? [] : ['', theme.heading(title), ...lines];

/** What is kept alive of a Job or Goal, newest first. */
export const keptSection = (
  theme: Theme,
  kept: readonly { readonly subject: string; readonly oid: string | null }[],
): Lines =>
  section(
    theme,
    'Kept',
    kept.map(({ subject, oid }) => `  ${oid === null ? '' : `${theme.oid(oid.slice(0, 10))}  `}${theme.text(subject)}`),
  );

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

export const indented = (lines: Lines, by = 2): Lines =>
  lines.map((line) => (line === '' ? '' : ' '.repeat(by) + line));
