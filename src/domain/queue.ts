// Who may run now, and why the others wait (J2 to J4). Pure.

import type { Goal } from './goal.js';
import type { Claim, Job, JobId } from './job.js';

/** What a person can do about a wait that does not end by itself. */
export interface Remedy {
  /** A whole command. */
  readonly next?: string | undefined;
  /** One sentence: what ends all waits of this kind. */
  readonly note?: string | undefined;
}

export type Wait =
  | { readonly kind: 'eligible' }
  | ({ readonly kind: 'waits'; readonly why: string } & Remedy)
  /** Not in the queue at all: another state, or no Runs left. */
  | { readonly kind: 'not-queued' };

/** What is known of a Job that another one needs. */
export type Needed =
  | (Pick<Job, 'id' | 'state' | 'merged' | 'closure'> & Partial<Pick<Job, 'reverted'>>)
  | { readonly id: JobId; readonly state: 'unknown' };

export interface QueueFacts {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly needed: ReadonlyMap<JobId, Needed>;
}

export const queueOrder = (
  one: Pick<Job, 'position' | 'created' | 'id'>,
  two: Pick<Job, 'position' | 'created' | 'id'>,
): number => compare(one.position, two.position) || compare(one.created, two.created) || compare(one.id, two.id);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** May this Job be claimed now (J2, J3)? `max_parallel` is decided at the claim, from the same state. */
export function waiting(job: Job, facts: QueueFacts): Wait {
  if (job.state !== 'pending' || job.ttl <= 0) return { kind: 'not-queued' };
  if (job.goal !== null) return { kind: 'waits', why: `it belongs to goal ${job.goal}` };
  if (job.not_before !== null && Date.parse(job.not_before) > facts.now) {
    return { kind: 'waits', why: `not before ${job.not_before} (${job.reason?.text ?? 'usage limit'})` };
  }
  for (const id of job.needs) {
    const why = unmet(job, id, facts.needed.get(id));
    if (why !== null) return { kind: 'waits', why };
  }
  return { kind: 'eligible' };
}

/** What is left of a list of needs without this one, as `edit` takes it: `--needs none`. */
export const withoutNeed = (needs: readonly string[], id: string): string => {
  const rest = needs.filter((one) => one !== id);
  return rest.length === 0 ? '--needs none' : rest.map((one) => `--needs ${one}`).join(' ');
};

function unmet(job: Pick<Job, 'id' | 'needs'>, id: JobId, need: Needed | undefined): string | null {
  if (need === undefined || need.state === 'unknown') return `needs ${id}, which is unknown here`;
  if (need.state === 'done' && need.reverted === true)
    return `needs ${id}, whose merge was taken back; lift it with git owl edit ${job.id} ${withoutNeed(job.needs, id)}`;
  if (need.state === 'done') return null;
  if (need.state === 'cancelled')
    return `needs ${id}, which was cancelled; lift it with git owl edit ${job.id} ${withoutNeed(job.needs, id)}`;
  return `needs ${id}, which is ${need.state}`;
}

/** Needs that are accepted but not merged: satisfied, with a warning (11, Jobs). */
export const acceptedOnly = (job: Job, facts: QueueFacts): readonly JobId[] =>
  job.needs.filter((id) => {
    const need = facts.needed.get(id);
    return need !== undefined && need.state === 'done' && need.merged === null;
  });

/** What is carried, and by whom. */
export type Carried = Pick<Job, 'id' | 'state' | 'claim' | 'goal'>;

/**
 * Places of `max_parallel` that are taken: one for each Job or Goal that is carried, a Goal with the Run of its Round once (J4).
 * `isGone`: nobody stands behind that claim any more. `but`: the one that asks.
 */
export function takenPlaces(
  work: { readonly jobs: readonly Carried[]; readonly goals: readonly Pick<Goal, 'id' | 'claim'>[] },
  isGone: (claim: Claim) => boolean,
  but: string | null,
): number {
  const taken = new Set<string>();
  for (const { id, state, claim, goal } of work.jobs)
    if (state === 'active' && claim !== null && !isGone(claim)) taken.add(goal ?? id);
  for (const { id, claim } of work.goals) if (claim !== null && !isGone(claim)) taken.add(id);
  if (but !== null) taken.delete(but);
  return taken.size;
}
