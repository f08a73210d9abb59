// The branch of a Job, derived from what its record fixed (01, Refs): its own, or that of the Round it does. Pure.

import type { Job } from './job.js';

/** What the name is derived from. */
export type Named = Pick<Job, 'prefix' | 'id' | 'slug'> & Partial<Pick<Job, 'goal' | 'round'>>;

/** Below it lie the state and the branches of Rounds; no base or target may. */
export const ROUND_PREFIX = 'refine/';

/** `refine/<goal>/round-<n>`, n = 1, 2, … with no leading zero. */
export const roundBranch = (goal: string, round: number): string => `${ROUND_PREFIX}${goal}/${roundSlug(round)}`;
export const roundSlug = (round: number): string => `round-${round}`;

export const branchOf = (job: Named): string =>
  typeof job.goal === 'string' && typeof job.round === 'number'
    ? roundBranch(job.goal, job.round)
    : `${job.prefix}${job.id}/${job.slug}`;

/** Is it done for a Round of a Goal? Then its queue, merge and disposal belong to that Goal (03). */
export const isRoundJob = (job: Pick<Job, 'goal'>): job is Pick<Job, 'goal'> & { readonly goal: string } =>
  job.goal !== null;

/** A branch that closed work may leave: one of a Goal, or of a Job of its own. */
export type WorkBranch = GoalBranch | { readonly kind: 'job'; readonly job: string };

/** Id of the Goal or Job that the name says; null: none. */
export const workOf = (name: WorkBranch): string | null =>
  name.kind === 'other' ? null : name.kind === 'job' ? name.job : name.goal;

/** A branch below `refine/`, as its name says; `other`: it lies there and is none of ours. */
export type GoalBranch =
  | { readonly kind: 'round'; readonly goal: string; readonly round: number }
  | { readonly kind: 'skill'; readonly goal: string; readonly invocation: string }
  | { readonly kind: 'other' };

/** Null: it does not lie there. `round-0`, `round-01` and further parts are no names of ours (M10). */
export function parseGoalBranch(branch: string): GoalBranch | null {
  if (!branch.startsWith(ROUND_PREFIX)) return null;
  const [goal = '', part = '', more] = branch.slice(ROUND_PREFIX.length).split('/');
  if (more !== undefined || goal === 'state' || !/^[a-z][a-z0-9]{3,15}$/.test(goal)) return { kind: 'other' };
  const round = /^round-([1-9][0-9]{0,8})$/.exec(part)?.[1];
  if (round !== undefined) return { kind: 'round', goal, round: Number(round) };
  const invocation = /^skill-([A-Za-z0-9][A-Za-z0-9_-]{0,63})$/.exec(part)?.[1];
  return invocation === undefined ? { kind: 'other' } : { kind: 'skill', goal, invocation };
}
