// Parts of a piece of work that both sides changed: Runs, pieces of Evidence and invocations only ever become more definite (05, S2, S4). Pure.

import type { Evidence, Feature, Round } from '../../domain/goal.js';
import { INVOCATION_STATES, type Invocation } from '../../domain/invocation.js';
import type { Run } from '../../domain/job.js';
import { type Fields, takeApart } from './fields.js';

/** One that ended counts over one that lives; who ran it knows better than who only found it gone. Null: contested. */
export function mergeRuns(ours: Run, theirs: Run): Run | null {
  if (ours.outcome === null || theirs.outcome === null) {
    if (ours.outcome === theirs.outcome) return null;
    return ours.outcome === null ? theirs : ours;
  }
  if (isGone(ours) === isGone(theirs)) return null;
  return isGone(ours) ? theirs : ours;
}

const isGone = (run: Run): boolean => run.ended_by === 'gone';

const DEFINITE: Readonly<Partial<Record<Evidence['status'], number>>> = { begun: 0, unknown: 1 };

export function mergeEvidence(ours: Evidence, theirs: Evidence): Evidence | null {
  const [one, other] = [DEFINITE[ours.status] ?? 2, DEFINITE[theirs.status] ?? 2];
  if (one === other) return null;
  return one > other ? ours : theirs;
}

/** One that went on counts; two clones that both bound it, and started nothing, are told apart by their names. Null: contested. */
export function mergeInvocations(ours: Invocation, theirs: Invocation): Invocation | null {
  const [one, other] = [ours, theirs].map(({ state }) => INVOCATION_STATES.indexOf(state)) as [number, number];
  if (one !== other) return one > other ? ours : theirs;
  if (ours.state !== 'waiting' || ours.clone === theirs.clone) return null;
  return ours.clone < theirs.clone ? ours : theirs;
}

export const mergeFeatures = (ours: Feature, theirs: Feature, bases: readonly Feature[]): Feature | null =>
  fieldByField(ours, theirs, bases);

/** What it asks for is apart from the Job that does it; two of one number that never were one are contested. */
export const mergeRounds = (ours: Round, theirs: Round, bases: readonly Round[]): Round | null =>
  fieldByField(ours, theirs, bases);

function fieldByField<T extends object>(ours: T, theirs: T, bases: readonly T[]): T | null {
  const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].sort();
  const [one, other] = [ours, theirs] as unknown as [Fields, Fields];
  return takeApart(names, one, other, bases as unknown as readonly Fields[]) as T | null;
}
