// Three-way merge of values and of the fields of a record: what only one side changed is that side's (05, S2). No text is ever
// merged. The order of the two sides does not matter anywhere here. Pure.

import { canonicalLine } from '../canonical.js';

export type Fields = Readonly<Record<string, unknown>>;

/** A missing field is one that says null. */
export const same = (one: unknown, other: unknown): boolean =>
  one === other || canonicalLine(one ?? null) === canonicalLine(other ?? null);

export type Choice = 'same' | 'ours' | 'theirs' | 'both';

/** With several ancestors a side equal to any of them is unchanged. Without one, nothing was there before. */
export function choose(ours: unknown, theirs: unknown, bases: readonly unknown[]): Choice {
  if (same(ours, theirs)) return 'same';
  const before = bases.length === 0 ? [null] : bases;
  if (before.some((base) => same(base, ours))) return 'theirs';
  return before.some((base) => same(base, theirs)) ? 'ours' : 'both';
}

export const pick = (record: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, record[name] ?? null]));

/** The one of two that comes first as text: a choice between equals that every clone makes alike. */
export const first = <T>(one: T, other: T): T =>
  canonicalLine(one ?? null) <= canonicalLine(other ?? null) ? one : other;

/** What one side added is in it, what one side took away is not; of what the ancestors themselves differ in, nothing is lost. */
export function mergeSet(
  ours: readonly string[],
  theirs: readonly string[],
  bases: readonly (readonly string[])[],
): readonly string[] {
  const choice = choose(ours, theirs, bases);
  if (choice !== 'both') return choice === 'theirs' ? theirs : ours;
  const both = (one: string): boolean => ours.includes(one) && theirs.includes(one);
  const known = (one: string): boolean => bases.length > 0 && bases.every((base) => base.includes(one));
  return [...new Set([...ours, ...theirs])].filter((one) => both(one) || !known(one)).sort();
}

/** A number that both sides counted on from where they parted. */
export function mergeCount(ours: number, theirs: number, base: number | undefined): number {
  if (ours === theirs || base === undefined) return Math.max(ours, theirs);
  return Math.max(0, ours + theirs - base);
}

/** Takes each of these names, together, from the side that changed them. Null: both did. */
export function takeTogether(
  names: readonly string[],
  ours: Fields,
  theirs: Fields,
  bases: readonly Fields[],
): Fields | null {
  const [one, other] = [pick(ours, names), pick(theirs, names)];
  const choice = choose(
    one,
    other,
    bases.map((base) => pick(base, names)),
  );
  if (choice === 'both') return null;
  return choice === 'theirs' ? other : one;
}

/** The same for each name by itself. */
export function takeApart(
  names: readonly string[],
  ours: Fields,
  theirs: Fields,
  bases: readonly Fields[],
): Fields | null {
  const taken: Record<string, unknown> = {};
  for (const name of names) {
    const one = takeTogether([name], ours, theirs, bases);
    if (one === null) return null;
    Object.assign(taken, one);
  }
  return taken;
}
