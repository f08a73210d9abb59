// The record of a Job or Goal that both sides changed: fields that are apart are merged, what a decision decides goes as one and
// by the rules of S4, and what is left is contested (05, S2, S4). Pure.

import type { Goal } from '../../domain/goal.js';
import type { Job } from '../../domain/job.js';
import { TTL_LIMIT } from '../../domain/policy.js';
import { decide, fieldsOf, newest } from './decision.js';
import { choose, type Fields, first, mergeCount, mergeSet, pick, takeApart, takeTogether } from './fields.js';
import { GOAL, JOB, type Rules, type Work } from './rules.js';

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

const setOf = <T extends Work>(record: T, name: keyof T): readonly string[] =>
  (record[name] as unknown as readonly string[] | undefined) ?? [];
const latest = (one: string, other: string): string => (Date.parse(one) >= Date.parse(other) ? one : other);
