// `gc` for people: every item with its reason, what was done first; with `--explain` the proof that one has or lacks (04). Pure.

import { type Cell, table } from '../table.js';
import type { Lines, Theme } from '../theme.js';
import { plural } from './fields.js';

export interface CollectedItem {
  readonly kind: string;
  readonly subject: string;
  /** Of a branch on a remote: which one. */
  readonly remote?: string | undefined;
  readonly job: string | null;
  readonly action: string;
  readonly reason: string;
  readonly detail: string;
  /** `none`, `planned`, `done` or `kept`. */
  readonly result: string;
  /** What held when a name was retired: `fenced`, `unfenced` or `local` (M8). */
  readonly guarantee?: string | undefined;
  readonly proof: readonly { readonly what: string; readonly holds: boolean }[];
}

const ORDER: readonly string[] = ['done', 'planned', 'kept', 'report', 'none'];

/** What stands in the first column: what became of it, or that it is unfinished work. */
const wordOf = (item: CollectedItem): string =>
  item.result === 'none' && item.action === 'report' ? 'report' : item.result;

const nameOf = ({ subject, remote }: CollectedItem): string =>
  remote === undefined ? subject : `${remote} ${subject}`;

const SAID: Readonly<Record<string, string>> = {
  done: 'done',
  planned: 'would',
  kept: 'kept',
  report: 'unfinished',
  none: 'stays',
};

const ROLES: Readonly<Record<string, Cell['role']>> = {
  done: 'good',
  planned: 'strong',
  kept: 'warn',
  report: 'warn',
  none: 'dim',
};

export function collectedView(items: readonly CollectedItem[], theme: Theme, width: number): Lines {
  const ranked = [...items].sort((one, two) => ORDER.indexOf(wordOf(one)) - ORDER.indexOf(wordOf(two)));
  const lines = table(
    theme,
    width,
    [
      { title: 'what' },
      { title: 'action' },
      { title: 'thing' },
      { title: 'name' },
      { title: 'reason' },
      { title: 'detail', cut: true },
    ],
    ranked.map((item): readonly Cell[] => [
      { text: SAID[wordOf(item)] ?? item.result, role: ROLES[wordOf(item)] ?? 'text' },
      { text: item.action === 'none' || item.action === 'report' ? '-' : item.action },
      { text: item.kind },
      { text: nameOf(item), role: item.subject.startsWith('/') ? 'path' : 'ref' },
      { text: item.reason },
      { text: item.detail, role: 'dim' },
    ]),
  );
  return [...lines, summary(items)];
}

function summary(items: readonly CollectedItem[]): string {
  const count = (result: string): number => items.filter((item) => wordOf(item) === result).length;
  const parts = [
    count('done') === 0 ? null : `${plural(count('done'), 'thing')} settled`,
    count('planned') === 0 ? null : `${plural(count('planned'), 'thing')} to settle`,
    count('kept') === 0 ? null : `${count('kept')} kept after all`,
    count('report') === 0 ? null : `${plural(count('report'), 'thing')} unfinished`,
  ].filter((part) => part !== null);
  const quiet = count('done') + count('planned') === 0;
  return [quiet ? 'nothing to do' : null, ...parts].filter((part) => part !== null).join(', ');
}

/** One thing: what would become of it, and each proof in the order looked at. */
export function explainView(items: readonly (CollectedItem & { readonly meaning: string })[], theme: Theme): Lines {
  return items.flatMap((item, at) => [
    ...(at === 0 ? [] : ['']),
    `${theme.strong(nameOf(item))}  ${theme.text(item.kind)}`,
    `  ${theme.text(item.action === 'none' || item.action === 'report' ? 'it stays' : `gc would ${item.action}`)}: ${theme.text(item.reason)}, ${theme.text(item.meaning)}`,
    `  ${theme.dim(item.detail)}`,
    ...item.proof.map(
      ({ what, holds }) =>
        `  ${holds ? theme.good(theme.glyphs.good) : theme.bad(theme.glyphs.bad)} ${theme.text(`${holds ? 'proven' : 'lacking'}: ${what}`)}`,
    ),
  ]);
}
