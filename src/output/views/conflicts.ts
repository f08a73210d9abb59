// `conflicts` for people: one line for each pair that will collide. Pure.

import { shortRef } from '../../domain/git.js';
import { type Cell, table } from '../table.js';
import type { Lines, Theme } from '../theme.js';
import { plural } from './fields.js';

export interface PublishedCollision {
  readonly kind: 'job' | 'goal';
  readonly id: string;
  readonly title: string;
  readonly target: string;
  /** The other one; null: the target itself. */
  readonly with: { readonly kind: 'job' | 'goal'; readonly id: string; readonly title: string } | null;
  readonly paths: readonly string[];
}

export const COLLISION_FIELDS = [
  'kind',
  'id',
  'title',
  'target',
  'with',
  'paths',
] as const satisfies readonly (keyof PublishedCollision)[];

/** For a pipe: id, with what, paths, titles. `compared`: how many branches there were. */
export function conflictsView(
  items: readonly PublishedCollision[],
  theme: Theme,
  width: number,
  compared: number,
): Lines {
  if (items.length === 0)
    return theme.terminal ? [`${plural(compared, 'open branch', 'open branches')} compared: none collides`] : [];
  const columns = [
    { title: 'id' },
    { title: 'collides with' },
    { title: 'in', cut: true },
    { title: 'title', cut: true, drop: 2 },
    { title: 'and', cut: true, drop: 1 },
  ];
  return table(
    theme,
    width,
    columns,
    items.map((item): readonly Cell[] => [
      { text: item.id, role: 'id' },
      item.with === null ? { text: shortRef(item.target), role: 'ref' } : { text: item.with.id, role: 'id' },
      { text: item.paths.join(' '), role: 'path' },
      { text: item.title },
      { text: item.with?.title ?? '' },
    ]),
  );
}
