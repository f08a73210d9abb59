// Finding Goals, and either kind of work by one id (06: a verb that both kinds have is one verb).

import { OwlError } from '../domain/errors.js';
import type { Feature, Goal, Round } from '../domain/goal.js';
import type { Job } from '../domain/job.js';
import { resolveFeatureId, resolveGoalId, resolveWorkId } from '../state/resolve-id.js';
import type { Loaded, Snapshot } from '../state/types.js';
import { foundJob, foundRecord, impliedJob } from './jobs.js';
import type { Workbench } from './workbench.js';

export const foundGoal = (id: string, loaded: Loaded<Goal>): Goal => foundRecord('goal', id, loaded);

/** The Goal that this id, or unique prefix of one, names. Throws OwlError `unknown-id`, `ambiguous-id`, and for a damaged record. */
export async function findGoal(snapshot: Snapshot, text: string): Promise<Goal> {
  const id = await resolveGoalId(snapshot, text);
  return foundGoal(id, await snapshot.goal(id));
}

export type Work = { readonly kind: 'job'; readonly job: Job } | { readonly kind: 'goal'; readonly goal: Goal };

/** The Job or Goal that this id, or unique prefix of one, names. Throws as `findGoal`. */
export async function findWork(snapshot: Snapshot, text: string): Promise<Work> {
  const { id, of } = await resolveWorkId(snapshot, text);
  return of === 'goal'
    ? { kind: 'goal', goal: foundGoal(id, await snapshot.goal(id)) }
    : { kind: 'job', job: foundJob(id, await snapshot.job(id)) };
}

/** As `findWork`; without an id the Job that is implied (06). */
export const workOrImplied = async (bench: Workbench, snapshot: Snapshot, text: string | undefined): Promise<Work> =>
  text === undefined ? { kind: 'job', job: await impliedJob(bench, snapshot) } : findWork(snapshot, text);

export const foundFeature = (id: string, loaded: Loaded<Feature>): Feature => foundRecord('feature', id, loaded);

/** Throws OwlError `unknown-id`, `ambiguous-id`, and for a damaged record. */
export async function findFeature(snapshot: Snapshot, text: string): Promise<Feature> {
  const id = await resolveFeatureId(snapshot, text);
  return foundFeature(id, await snapshot.feature(id));
}

/** The current Round; null where there is none. Throws OwlError `damaged-state` where there should be one. */
export async function currentRound(snapshot: Snapshot, goal: Goal): Promise<Round | null> {
  if (goal.round === 0) return null;
  const round = (await snapshot.rounds(goal.id)).find((one) => one.number === goal.round);
  if (round !== undefined) return round;
  throw new OwlError('damaged-state', `round ${goal.round} of goal ${goal.id} cannot be read`, {
    preserved: ['nothing was changed'],
    next: ['git owl fsck'],
  });
}
