// Which fields of the record of a Job or Goal go together where both sides changed it, and what each side did (05, S2, S4). Pure data.

import type { Goal } from '../../domain/goal.js';
import type { Job } from '../../domain/job.js';
import { changeOfGoal, changeOfJob, type SideChange } from '../../domain/side-change.js';

export type Work = Job | Goal;

export interface Rules<T extends Work> {
  /** Fields of the decision: they go as one, with the occurrence. */
  readonly decision: readonly string[];
  /** Of these, what only says when or by whom: two decisions that differ in nothing else are the same. */
  readonly aside: readonly string[];
  /** Of these, what says that it is on its target: that stays true, whatever else was decided about it (G35). */
  readonly arrival: readonly string[];
  hasArrived(side: T): boolean;
  /** What the work itself came to; goes as one. */
  readonly work: readonly string[];
  readonly together: readonly (readonly string[])[];
  readonly sets: readonly (keyof T & string)[];
  /** Decided below, or by the fields beside them. */
  readonly counted: readonly string[];
  change(base: T, side: T): SideChange;
}

export const JOB: Rules<Job> = {
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
  arrival: ['merged', 'reverted'],
  hasArrived: (job) => job.merged !== null,
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

export const GOAL: Rules<Goal> = {
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
  arrival: ['target', 'base', 'candidate', 'gates', 'integration'],
  hasArrived: (goal) => goal.integration !== null,
  work: [],
  together: [],
  sets: ['labels', 'needs'],
  counted: ['revision', 'occurrence', 'updated'],
  change: changeOfGoal,
};
