// The record of a Job or Goal that both sides changed: fields that are apart are merged, what a decision decides goes as one and
// by the rules of S4, and what is left is contested (05, S2, S4). Pure.

import type { Goal } from '../../domain/goal.js';
import type { Job } from '../../domain/job.js';
import { TTL_LIMIT } from '../../domain/policy.js';
import { changeOfGoal, changeOfJob, laterClaim, type SideChange, settleChanges } from '../../domain/side-change.js';
import { canonicalLine } from '../canonical.js';
import { sha256 } from '../layout.js';
import { choose, type Fields, first, mergeCount, mergeSet, pick, same, takeApart, takeTogether } from './fields.js';

type Work = Job | Goal;

interface Rules<T extends Work> {
  /** Fields of the decision: they go as one, with the occurrence. */
  readonly decision: readonly string[];
  /** Of these, what only says when or by whom: two decisions that differ in nothing else are the same. */
  readonly aside: readonly string[];
  /** What the work itself came to; goes as one. */
  readonly work: readonly string[];
  readonly together: readonly (readonly string[])[];
  readonly sets: readonly (keyof T & string)[];
  /** Decided below, or by the fields beside them. */
  readonly counted: readonly string[];
  change(base: T, side: T): SideChange;
}

const JOB: Rules<Job> = {
  decision: [
    'state',
    'phase',
    'planned',
    'reason',
    'not_before',
    'closure',
    'no_change',
    'claim',
    'token',
    'restarted_from',
    'restart',
    'merged',
    'reverted',
    'dropped',
    'closed',
  ],
  aside: ['closed'],
  work: ['onto', 'tip', 'verification', 'degraded', 'conflicts', 'handoff'],
  together: [
    ['agent', 'account'],
    ['prefix', 'slug'],
    ['goal', 'round'],
  ],
  sets: ['labels', 'needs', 'feedback'],
  counted: ['ttl', 'runs', 'last_run', 'revision', 'occurrence', 'updated'],
  change: changeOfJob,
};

const GOAL: Rules<Goal> = {
  decision: [
    'status',
    'round',
    'target',
    'base',
    'candidate',
    'gates',
    'integration',
    'reason',
    'failed_in',
    'window',
    'allow_guarded',
    'claim',
    'token',
    'chain',
    'closed',
  ],
  aside: ['closed'],
  work: [],
  together: [],
  sets: ['labels', 'needs'],
  counted: ['revision', 'occurrence', 'updated'],
  change: changeOfGoal,
};

/** Null: it is contested. `bases`: the record in each common ancestor that has it. */
export const mergeJobs = (ours: Job, theirs: Job, bases: readonly Job[]): Job | null => merge(JOB, ours, theirs, bases);
export const mergeGoals = (ours: Goal, theirs: Goal, bases: readonly Goal[]): Goal | null =>
  merge(GOAL, ours, theirs, bases);

function merge<T extends Work>(rules: Rules<T>, ours: T, theirs: T, bases: readonly T[]): T | null {
  // Two that never were one are not two versions of one.
  const base = newest(bases);
  if (base === null) return null;
  const sides = [fieldsOf(ours), fieldsOf(theirs), bases.map(fieldsOf)] as const;
  const decided = decide(rules, ours, theirs, bases, base);
  if (decided === null) return null;
  const of = (names: readonly string[]): Fields | null => (decided.alone ? pick(fieldsOf(decided.by), names) : null);
  const work =
    takeTogether(rules.work, ...sides) ?? (decided.by === null ? null : pick(fieldsOf(decided.by), rules.work));
  if (work === null) return null;
  const taken: Record<string, unknown> = { ...decided.fields, ...work };
  for (const names of rules.together) {
    const one = takeTogether(names, ...sides) ?? of(names);
    if (one === null) return null;
    Object.assign(taken, one);
  }
  for (const name of rules.sets)
    taken[name] = mergeSet(
      setOf(ours, name),
      setOf(theirs, name),
      bases.map((one) => setOf(one, name)),
    );
  const settled = new Set([...Object.keys(taken), ...rules.counted]);
  const rest = new Set([...Object.keys(ours), ...Object.keys(theirs)].filter((name) => !settled.has(name)));
  const apart = takeApart([...rest].sort(), ...sides);
  if (apart === null) return null;
  return {
    // Of what is missing on both sides nothing is made.
    ...apart,
    ...taken,
    ...counted(ours, theirs, base, decided.alone ? decided.by : null),
    revision: Math.max(ours.revision, theirs.revision) + 1,
    updated: latest(ours.updated, theirs.updated),
  } as unknown as T;
}

type Decided<T> = {
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
function decide<T extends Work>(rules: Rules<T>, ours: T, theirs: T, bases: readonly T[], base: T): Decided<T> | null {
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
  return { fields: { ...pick(fieldsOf(by), rules.decision), occurrence }, by, alone: false };
}

function settled<T extends Work>(rules: Rules<T>, ours: T, theirs: T, base: T): T | null {
  if (same(core(rules, ours), core(rules, theirs)))
    return isOneResult(rules, ours, theirs, base) ? first(ours, theirs) : null;
  switch (settleChanges(rules.change(base, ours), rules.change(base, theirs))) {
    case 'ours':
      return ours;
    case 'theirs':
      return theirs;
    case 'neither':
      return null;
  }
}

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

function counted(ours: Work, theirs: Work, base: Work, alone: Work | null): Fields {
  if (ours.kind !== 'job' || theirs.kind !== 'job' || base.kind !== 'job') return {};
  // Each Run has a number of its own, also where both sides had one: the next is above both.
  const last = ours.runs === theirs.runs ? first(ours.last_run, theirs.last_run) : null;
  const choice = choose(ours.last_run, theirs.last_run, [base.last_run]);
  return {
    ttl: Math.min(TTL_LIMIT, mergeCount(ours.ttl, theirs.ttl, base.ttl)),
    runs: Math.max(ours.runs, theirs.runs),
    last_run:
      alone?.kind === 'job'
        ? alone.last_run
        : choice === 'ours'
          ? ours.last_run
          : choice === 'theirs'
            ? theirs.last_run
            : (last ?? (ours.runs > theirs.runs ? ours.last_run : theirs.last_run)),
  };
}

const fieldsOf = (record: Work): Fields => record as unknown as Fields;
const setOf = <T extends Work>(record: T, name: keyof T): readonly string[] =>
  (record[name] as unknown as readonly string[] | undefined) ?? [];
const latest = (one: string, other: string): string => (Date.parse(one) >= Date.parse(other) ? one : other);

/** The ancestor that a change is judged against, where there are several: the one that was written last. */
function newest<T extends Work>(bases: readonly T[]): T | null {
  const sorted = [...bases].sort(
    (one, other) => other.revision - one.revision || (canonicalLine(one) < canonicalLine(other) ? -1 : 1),
  );
  return sorted[0] ?? null;
}
