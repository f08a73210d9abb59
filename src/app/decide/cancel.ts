// `cancel` and `reopen`: a decision about the record alone; nothing is removed (J30; 11, Jobs).

import { OwlError } from '../../domain/errors.js';
import type { Job } from '../../domain/job.js';
import { moveJob } from '../../domain/machine.js';
import type { Tx, Updated } from '../../state/types.js';
import { changeJob, findJob, jobRef, ownTip } from '../jobs.js';
import type { Workbench } from '../workbench.js';
import { bringRetired, lookBranchBack } from './branch-back.js';
import { bringArchivedJob } from './bring-archived.js';

/** A live Run is superseded by it; the caller stops it first. Throws OwlError `wrong-state`. */
export const cancelJob = (bench: Workbench, id: string): Promise<Updated<Job>> =>
  changeJob(bench, id, 'cancel', null, (job, tx) => {
    // Selecting the status that it already has writes nothing (01).
    if (job.state === 'cancelled') return null;
    const moved = moveJob(
      job,
      { event: 'cancel', to: 'cancelled', op: tx.op, at: tx.now },
      { claim: null, reason: null },
    );
    return { job: moved, event: 'job.cancelled', subject: `job ${job.id}: cancelled` };
  });

/**
 * A cancelled Job becomes pending, or done where its merge arrived after that (G35): it would be merged a second time; a done one that was not merged, or whose merge was taken back, goes to review, with its branch.
 * Throws OwlError `wrong-state`, `refused`, `nothing-kept`.
 */
export async function reopenJob(bench: Workbench, id: string): Promise<Updated<Job>> {
  await bringArchivedJob(bench, await findJob(await bench.store.snapshot(), id));
  return changeJob(bench, id, 'reopen', null, async (job, tx) => {
    if (job.dropped !== null) {
      throw new OwlError('wrong-state', `job ${job.id} was dropped; restore brings its branch back`, {
        preserved: ['nothing was changed'],
        next: [`git owl restore ${job.id}`],
      });
    }
    const arrived = job.merged !== null && !job.reverted;
    const to = job.state !== 'cancelled' ? 'review' : arrived ? 'done' : 'pending';
    // What was taken back is delivered by nothing any more: it may be merged again (G52).
    const change = { reason: null, not_before: null, ...(job.reverted ? { merged: null, reverted: false } : {}) };
    const moved = moveJob(job, { event: 'reopen', to, op: tx.op, at: tx.now }, change);
    if (to === 'review') await bringBranch(bench, job, tx);
    else await bringRetired(bench, job, tx);
    return { job: moved, event: 'job.reopened', subject: `job ${job.id}: open again, ${to}` };
  });
}

/** A merge of ours takes the branch away, and so does `gc` with what the base has; what it held is kept, or below the merge. */
async function bringBranch(bench: Workbench, job: Job, tx: Tx): Promise<void> {
  const { tip } = job;
  // One that was accepted kept its branch, wherever that is now; what bears the name of one that was merged is somebody's.
  if (tip === null || (!job.reverted && (await ownTip(bench, job)) !== null)) return;
  if ((await lookBranchBack(bench, job, tip)) === 'there') return;
  tx.move({ ref: jobRef(job), old: 'absent', new: tip }, `owl: reopen ${job.id}`);
}
