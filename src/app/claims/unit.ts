// A Job or Goal as the queue of several machines claims it: its record, the branch that goes along, and who has it (05, S7).

import { OwlError } from '../../domain/errors.js';
import type { Goal } from '../../domain/goal.js';
import { isAutomated } from '../../domain/goal-machine.js';
import type { Claim, Job } from '../../domain/job.js';
import type { LeaseUnit } from '../../domain/lease.js';
import { stands } from '../../domain/machine.js';
import { currentRoundJob } from '../goal/round-jobs.js';
import { foundGoal } from '../goals.js';
import { foundJob } from '../jobs.js';
import type { Workbench } from '../workbench.js';

/** What is claimed: one Job, or one Goal with the Job of its Round. */
export type Unit = Pick<LeaseUnit, 'kind' | 'id'>;

export const recordOf = async (bench: Workbench, { kind, id }: Unit): Promise<Job | Goal> => {
  const snapshot = await bench.store.snapshot();
  return kind === 'job' ? foundJob(id, await snapshot.job(id)) : foundGoal(id, await snapshot.goal(id));
};

/** The Job whose branch the work is on; null: it has none yet. */
export async function workOf(bench: Workbench, { kind, id }: Unit): Promise<Job | null> {
  const snapshot = await bench.store.snapshot();
  const found = kind === 'job' ? await snapshot.job(id) : await snapshot.goal(id);
  if (found.kind !== 'found') return null;
  return found.record.kind === 'job' ? found.record : currentRoundJob(snapshot, found.record);
}

/** Is it still where it was when it was claimed, and to be begun, or gone on with? */
export function mayBegin(now: Job | Goal, before: Pick<Job | Goal, 'occurrence'>): boolean {
  if (!stands(now, before.occurrence)) return false;
  return now.kind === 'job' ? now.state === 'pending' : now.status === 'todo' || isAutomated(now.status);
}

/** Who is at work on it, as its record says. */
export const claimIn = (record: Job | Goal): Claim | null =>
  record.kind === 'job' && record.state !== 'active' ? null : record.claim;

/** Why work is not taken that another runner holds the claim on. */
export const HELD = 'another runner has it';

export const notTaken = ({ kind, id }: Unit, why: string): OwlError =>
  new OwlError('busy', `${kind} ${id} was not taken: ${why}`, {
    preserved: [`${kind} ${id} is as it was`],
    next: ['git owl status'],
  });

/** Throws OwlError `missing-commit` where the Candidate of a Goal that was begun elsewhere did not come. */
export async function needCandidate(bench: Workbench, record: Job | Goal): Promise<void> {
  if (record.kind === 'job' || record.candidate === null) return;
  const { base, tip } = record.candidate;
  const there = await (await bench.repository.engine()).exists([base, tip]);
  if (there.every(Boolean)) return;
  throw new OwlError('missing-commit', `the Candidate of goal ${record.id} is in another clone (${tip})`, {
    preserved: ['nothing was changed'],
    next: ['git owl sync'],
  });
}
