// Rows in columns: aligned and fitted on a terminal; elsewhere one record a line, fields parted by tabs, nothing cut (06).

import { escapeLine } from './escape.js';
import type { Lines, Theme } from './theme.js';
import { cut, widthOf } from './width.js';

export interface Column {
  readonly title: string;
  /** May be cut when the terminal is narrow. An id, a branch or a path never is. */
  readonly cut?: boolean;
  /** Is left out when the terminal is narrow, the greatest number first. */
  readonly drop?: number;
  readonly right?: boolean;
}

export type CellRole = 'text' | 'id' | 'ref' | 'oid' | 'path' | 'dim' | 'strong' | 'state' | 'good' | 'bad' | 'warn';

export interface Cell {
  /** As it is: escaped here. */
  readonly text: string;
  readonly role?: CellRole;
}

const GAP = 2;
/** What a column that may be cut keeps as long as others can be left out, and what it keeps always. */
const COMFORT = 20;
const LEAST = 8;

/** No heading for a pipe: every line is a record. */
export function table(
  theme: Theme,
  width: number,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
): Lines {
  if (!theme.terminal) return rows.map((row) => row.map((cell) => paint(theme, cell)).join('\t'));
  if (rows.length === 0) return [];
  const heading = columns.map(({ title }): Cell => ({ text: title, role: 'dim' }));
  return aligned(theme, width, columns, [heading, ...rows]);
}

/** The same without a heading, and aligned in a pipe too: for text that a person reads. */
export function aligned(
  theme: Theme,
  width: number,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
): Lines {
  const natural = columns.map((_, at) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(escapeLine(row[at]?.text ?? ''))), 0),
  );
  const widths = fit(natural, columns, width);
  return rows.map((row) =>
    columns
      .flatMap((column, at) => {
        const room = widths[at] ?? 0;
        if (room === 0) return [];
        const text = shorten(escapeLine(row[at]?.text ?? ''), room, theme.glyphs.ellipsis);
        const styled = paint(theme, { ...row[at], text });
        const pad = ' '.repeat(Math.max(0, room - widthOf(text)));
        return [column.right ? pad + styled : styled + pad];
      })
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
}

/** Widths of the columns, 0 for one that is left out: cut a little, leave out, cut more, until the line fits or nothing is left to take. */
function fit(natural: readonly number[], columns: readonly Column[], width: number): readonly number[] {
  const widths = [...natural];
  const over = (): number => {
    const shown = widths.filter((one) => one > 0);
    return shown.reduce((sum, one) => sum + one, 0) + GAP * Math.max(0, shown.length - 1) - width;
  };
  const cutTo = (least: number): void => {
    for (let excess = over(); excess > 0; excess = over()) {
      const able = widths.flatMap((one, at) => (columns[at]?.cut && one > least ? [one] : []));
      const widest = Math.max(...able);
      if (able.length === 0) return;
      const next = Math.max(least, ...able.filter((one) => one < widest));
      const alike = able.filter((one) => one === widest).length;
      const take = Math.min(widest - next, Math.ceil(excess / alike));
      widths.forEach((one, at) => {
        if (columns[at]?.cut && one === widest) widths[at] = one - take;
      });
    }
  };
  cutTo(COMFORT);
  const dropping = columns.flatMap(({ drop }, at) => (drop === undefined ? [] : [{ drop, at }]));
  for (const { at } of dropping.sort((one, two) => two.drop - one.drop)) if (over() > 0) widths[at] = 0;
  cutTo(LEAST);
  return widths;
}

const shorten = (text: string, room: number, ellipsis: string): string =>
  widthOf(text) <= room ? text : `${cut(text, room - widthOf(ellipsis))}${ellipsis}`;

const paint = (theme: Theme, cell: Cell): string => theme[cell.role ?? 'text'](cell.text);
