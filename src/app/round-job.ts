// The Job of a Round is its Goal's: what a person may decide about other Jobs is refused, with the verb of the Goal (03).

import { OwlError } from '../domain/errors.js';
import type { Job } from '../domain/job.js';
import { isRoundJob } from '../domain/names.js';

/** Verb of Jobs -> what a person types instead; `%` is the Goal. */
const INSTEAD: Readonly<Record<string, string>> = {
  retry: 'git owl retry %',
  extend: 'git owl retry % --ttl 5',
  cancel: 'git owl cancel %',
  drop: 'git owl cancel %',
  reopen: 'git owl reopen %',
  edit: 'git owl goal edit %',
  handoff: 'git owl goal edit %',
  reorder: 'git owl goal edit % --order 1',
};

/** Throws OwlError `refused`. */
export function refuseRoundJob(job: Job, verb: string): void {
  if (!isRoundJob(job)) return;
  const instead = INSTEAD[verb] ?? 'git owl show %';
  throw new OwlError('refused', `job ${job.id} does round ${job.round} of goal ${job.goal}, which decides about it`, {
    preserved: ['nothing was changed'],
    next: [instead.replace('%', job.goal)],
    data: { job: job.id, goal: job.goal },
  });
}
