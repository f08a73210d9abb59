// `gc` for people: every item with its reason, what was done first, and much that simply stays in groups; with `--explain` the proof that
// one has or lacks (04). Pure.

import { COLLECT_REASONS, type CollectReason } from '../../domain/collect-reasons.js';
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

/** Of one kind, that stay for one reason: more than these are one line on a terminal. */
const HANDFUL = 4;

/** `all`: each thing has a line of its own. In a pipe it always has. */
export function collectedView(
  items: readonly CollectedItem[],
  theme: Theme,
  width: number,
  { all }: { readonly all: boolean },
): Lines {
  const ranked = [...items].sort((one, two) => ORDER.indexOf(wordOf(one)) - ORDER.indexOf(wordOf(two)));
  const groups = all || !theme.terminal ? ranked.map((one) => [one]) : grouped(ranked);
  const lines = table(
    theme,
    width,
    // The last one is never cut: it says why.
    [
      { title: 'what' },
      { title: 'action' },
      { title: 'thing' },
      { title: 'name' },
      { title: 'reason' },
      { title: 'detail' },
    ],
    groups.map(rowOf),
  );
  const hidden = groups.reduce((sum, { length }) => sum + (length > 1 ? length : 0), 0);
  const hint =
    hidden === 0 ? [] : [theme.dim(`${hidden} that stay are not named here; git owl gc --dry-run --all names each`)];
  return [...lines, ...hint, summary(items)];
}

function rowOf(group: readonly CollectedItem[]): readonly Cell[] {
  const [item] = group as readonly [CollectedItem];
  const one = group.length === 1;
  const name: Cell = one
    ? { text: nameOf(item), role: item.subject.startsWith('/') ? 'path' : 'ref' }
    : { text: `${group.length} of them` };
  return [
    { text: SAID[wordOf(item)] ?? item.result, role: ROLES[wordOf(item)] ?? 'text' },
    { text: item.action === 'none' || item.action === 'report' ? '-' : item.action },
    { text: item.kind },
    name,
    { text: item.reason },
    { text: one ? item.detail : COLLECT_REASONS[item.reason as CollectReason], role: 'dim' },
  ];
}

/** In their order; what was acted on, or is unfinished, stays by itself. */
function grouped(items: readonly CollectedItem[]): readonly (readonly CollectedItem[])[] {
  const like = new Map<string, CollectedItem[]>();
  for (const item of items) {
    const key = wordOf(item) === 'none' ? `${item.kind} ${item.remote ?? ''} ${item.reason}` : `${like.size} alone`;
    const group = like.get(key) ?? [];
    group.push(item);
    like.set(key, group);
  }
  return [...like.values()].flatMap((group) => (group.length > HANDFUL ? [group] : group.map((one) => [one])));
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
