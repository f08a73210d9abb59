// `feature list` for people: one line for each Feature, with its open Goals in their order. Pure.

import type { PublishedFeature } from '../goal-part-fields.js';
import { type Cell, table } from '../table.js';
import type { Lines, Theme } from '../theme.js';

/** For a pipe: id, title, ids of Goals. */
export function featuresView(items: readonly PublishedFeature[], theme: Theme, width: number): Lines {
  if (theme.terminal && items.length === 0) return ['there are no features'];
  return table(
    theme,
    width,
    [{ title: 'id' }, { title: 'title', cut: true }, { title: 'open goals' }],
    items.map((item): readonly Cell[] => [
      { text: item.id, role: 'id' },
      { text: item.title },
      { text: item.goals.join(' '), role: 'id' },
    ]),
  );
}
