// Which decision about a Job or Goal counts, where both sides decided or went on (05, S4, S7). Pure.

import { laterClaim, type SideChange, settleArrived, settleChanges } from '../../domain/side-change.js';
import { canonicalLine } from '../canonical.js';
import { sha256 } from '../layout.js';
import { type Fields, first, pick, same, takeTogether } from './fields.js';
import { GOAL, JOB, type Rules, type Work } from './rules.js';

export type Decided<T> = {
  readonly fields: Fields;
} & (
  | {
      /** The side whose decision counts, where both decided; null: one side alone did. */
      readonly by: T | null;
      readonly alone: false;
    }
  /** What the other side did was done without a claim that stood: what both changed is this one's. */
  | { readonly by: T; readonly alone: true }
);

/** Which of two records counts, since the claim of the other was taken over (S7); null: that decides nothing. */
export const claimedLater = (ours: Work, theirs: Work, bases: readonly Work[]): Work | null =>
  ours.kind === 'job' && theirs.kind === 'job'
    ? later(
        JOB,
        ours,
        theirs,
        bases.filter((base) => base.kind === 'job'),
      )
    : ours.kind === 'goal' && theirs.kind === 'goal'
      ? later(
          GOAL,
          ours,
          theirs,
          bases.filter((base) => base.kind === 'goal'),
        )
      : null;

function later<T extends Work>(rules: Rules<T>, ours: T, theirs: T, bases: readonly T[]): T | null {
  const base = newest(bases);
  if (base === null || takeTogether(together(rules), fieldsOf(ours), fieldsOf(theirs), bases.map(fieldsOf)) !== null)
    return null;
  return laterClaim(ours, theirs, [rules.change(base, ours), rules.change(base, theirs)]);
}

const together = <T extends Work>(rules: Rules<T>): readonly string[] => [...rules.decision, 'occurrence'];

/** State, claim and what hangs on them, with the occurrence; null: contested. */
export function decide<T extends Work>(
  rules: Rules<T>,
  ours: T,
  theirs: T,
  bases: readonly T[],
  base: T,
): Decided<T> | null {
  const names = together(rules);
  const one = takeTogether(names, fieldsOf(ours), fieldsOf(theirs), bases.map(fieldsOf));
  if (one !== null) return { fields: one, by: null, alone: false };
  const claimed = later(rules, ours, theirs, bases);
  // Its worker goes on: it had the claim all the time.
  if (claimed !== null) return { fields: pick(fieldsOf(claimed), names), by: claimed, alone: true };
  const by = settled(rules, ours, theirs, base);
  if (by === null) return null;
  const occurrence = {
    number: Math.max(ours.occurrence.number, theirs.occurrence.number) + 1,
    // Of both, so that a worker of either is superseded.
    decision: sha256([ours.occurrence.decision, theirs.occurrence.decision].sort().join(' ')).slice(0, 16),
  };
  const fields = { ...pick(fieldsOf(by), rules.decision), ...arrival(rules, by, by === ours ? theirs : ours, base) };
  return { fields: { ...fields, occurrence }, by, alone: false };
}

/** Cancelled on one side and merged on the other: it is cancelled, and that it is on its target is known (G35). */
function arrival<T extends Work>(rules: Rules<T>, by: T, other: T, base: T): Fields {
  const came = rules.hasArrived(other) && !rules.hasArrived(by) && !rules.hasArrived(base) && isOneRound(by, other);
  return came && rules.change(base, by) === 'cancel' ? pick(fieldsOf(other), rules.arrival) : {};
}

const isOneRound = (one: Work, other: Work): boolean =>
  one.kind === 'job' || other.kind === 'job' || one.round === other.round;

function settled<T extends Work>(rules: Rules<T>, ours: T, theirs: T, base: T): T | null {
  if (same(core(rules, ours), core(rules, theirs)))
    return isOneResult(rules, ours, theirs, base) ? first(ours, theirs) : null;
  const changes = [rules.change(base, ours), rules.change(base, theirs)] as const;
  if (changes.every((change) => change === 'cancel')) return furthest(rules, ours, theirs);
  const how = arrived(ours, theirs, base, changes) ?? settleChanges(...changes);
  return how === 'neither' ? null : how === 'ours' ? ours : theirs;
}

const arrived = (ours: Work, theirs: Work, base: Work, changes: readonly [SideChange, SideChange]) =>
  ours.kind === 'goal' && theirs.kind === 'goal' && base.kind === 'goal'
    ? settleArrived(base, { ours, theirs }, changes)
    : null;

/**
 * Of two that are cancelled, which is one decision (S4), the one that came further before it was; null: a person says which. That one
 * was dropped, or merged in another way, is more than that.
 */
function furthest<T extends Work>(rules: Rules<T>, ours: T, theirs: T): T | null {
  const all = [ours, theirs] as const;
  const [one, other] = all.map((side) => rules.hasArrived(side));
  const merged = all.map((side) => pick(fieldsOf(side), rules.arrival));
  if (one && other && !same(...(merged as [Fields, Fields]))) return null;
  const [dropped, too] = all.map((side) => side.kind === 'job' && side.dropped !== null);
  if (dropped !== too) return null;
  if (one !== other) return one ? ours : theirs;
  const [mine, yours] = all.map((side) => [side.token ?? 0, said(rules, side)] as const) as [Weight, Weight];
  const more = mine[0] - yours[0] || mine[1] - yours[1];
  return more === 0 ? first(ours, theirs) : more > 0 ? ours : theirs;
}

type Weight = readonly [token: number, said: number];

/** How much of its decision a record has to say. */
const said = <T extends Work>(rules: Rules<T>, side: T): number =>
  Object.values(pick(fieldsOf(side), rules.decision)).filter((value) => value !== null).length;

/**
 * The same decision about two different results is none: two clones that ran one Job each have work of their own (05, S4). What is
 * cancelled has no result.
 */
function isOneResult<T extends Work>(rules: Rules<T>, ours: T, theirs: T, base: T): boolean {
  if (rules.change(base, ours) === 'cancel') return true;
  return takeTogether(rules.work, fieldsOf(ours), fieldsOf(theirs), [fieldsOf(base)]) !== null;
}

/** What was decided, without when. */
function core<T extends Work>(rules: Rules<T>, side: T): Fields {
  const { dropped, merged, ...rest } = pick(
    fieldsOf(side),
    rules.decision.filter((name) => !rules.aside.includes(name)),
  );
  return { ...rest, dropped: untimed(dropped), merged: untimed(merged) };
}

const untimed = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? { ...value, at: null } : (value ?? null);

export const fieldsOf = (record: Work): Fields => record as unknown as Fields;

/** The ancestor that a change is judged against, where there are several: the one that was written last. */
export function newest<T extends Work>(bases: readonly T[]): T | null {
  const sorted = [...bases].sort(
    (one, other) => other.revision - one.revision || (canonicalLine(one) < canonicalLine(other) ? -1 : 1),
  );
  return sorted[0] ?? null;
}
