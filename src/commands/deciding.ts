// States and statuses that wait for a person, in the order in which they are told.

import type { GoalStatus } from '../domain/goal.js';
import type { Unit } from '../domain/goal-queue.js';
import type { JobState } from '../domain/job.js';

/** Of both kinds, the most pressing first. */
export const DECIDE = ['review', 'escalated', 'failed', 'blocked', 'exhausted'] as const;

export const stateOf = (unit: Unit): JobState | GoalStatus => (unit.kind === 'job' ? unit.job.state : unit.goal.status);
