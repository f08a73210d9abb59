// `drop` and `restore`: a Job is cancelled and its worktree and branch go, the tip kept; and it comes back (J30).

import { OwlError } from '../../domain/errors.js';
import type { Oid } from '../../domain/git.js';
import type { Job } from '../../domain/job.js';
import { mayHappen, moveJob, wrongState } from '../../domain/machine.js';
import { checkedOutAt } from '../../git/branch.js';
import { failpoint } from '../../system/failpoint.js';
import { findJob, foundJob, jobBranch, jobRef, ownTip } from '../jobs.js';
import { refuseWhileLanding } from '../land/landing-note.js';
import { clearWorktree, deleteBranch, placeOf, removeWorktreeOf } from '../place.js';
import { refuseUnknown } from '../publish/note.js';
import { refuseRoundJob } from '../round-job.js';
import { keepOnly } from '../run/settle.js';
import { answeredBefore, requestOf, updateOrTry } from '../try.js';
import type { Workbench } from '../workbench.js';
import { lookBranchBack } from './branch-back.js';

export interface Dropped {
  readonly job: Job;
  readonly tip: Oid | null;
  readonly repeated: boolean;
  readonly ignored: readonly string[];
  /** What stayed, and why. */
  readonly left: readonly string[];
}

/** Throws OwlError `wrong-state`, `is-live`, `uncommitted` (unless `force`), `workspace`. */
export async function dropJob(
  bench: Workbench,
  id: string,
  options: { readonly force: boolean; readonly dryRun: boolean },
): Promise<Dropped> {
  const found = await findJob(await bench.store.snapshot(), id);
  refuseRoundJob(found, 'drop');
  const request = requestOf(bench, 'drop', found);
  const before = await answeredBefore<Job>(bench, request);
  if (before !== null) return { job: before, tip: before.tip, repeated: true, ignored: [], left: [] };
  await refuseUnknown(bench, { kind: 'job', id: found.id });
  if (found.state === 'active') {
    throw new OwlError('is-live', `job ${found.id} has a live Run`, {
      preserved: ['nothing was changed'],
      next: [`git owl stop ${found.id}`],
    });
  }
  if (!mayHappen(found.state, 'drop')) throw wrongState(found, 'drop');
  const tip = await ownTip(bench, found);
  const path = await placeOf(bench, found, null);
  if (tip !== null) {
    const elsewhere = (await checkedOutAt(bench.repository, jobRef(found))).filter((open) => open.path !== path);
    const [open] = elsewhere;
    if (open !== undefined) {
      throw new OwlError('refused', `the branch ${jobBranch(found)} is checked out in ${open.path}`, {
        preserved: ['nothing was changed'],
        next: [`git -C ${open.path} status`],
      });
    }
  }
  const cleared = await clearWorktree(bench, found, null, options.force, 'drop');
  if (options.dryRun) return { job: found, tip, repeated: false, ignored: cleared.ignored, left: [] };
  if (tip !== null) await keepOnly(bench, found.id, [{ commit: tip, subject: 'dropped tip' }]);
  await failpoint('drop.before-state');
  const updated = await bench.store.update<Job>({ step: 'drop', request }, async (tx) => {
    const job = foundJob(found.id, await tx.job(found.id));
    await refuseWhileLanding(bench, job.id);
    // Dropped already, perhaps by a command that was killed: what is left is to take worktree and branch away.
    if (job.state === 'cancelled' && job.dropped !== null) return job;
    const moved = moveJob(
      job,
      { event: 'drop', to: 'cancelled', op: tx.op, at: tx.now },
      {
        claim: null,
        tip: tip ?? job.tip,
        dropped: { state: job.state, tip: tip ?? job.tip, at: tx.now },
      },
    );
    tx.putJob(moved);
    tx.event({
      event: 'job.dropped',
      subject: `job ${job.id}: dropped${tip === null ? '' : `; its tip ${tip} is kept`}`,
      job: job.id,
    });
    return moved;
  });
  await failpoint('drop.after-state');
  const left: string[] = [];
  const worktree = await removeWorktreeOf(bench, updated.result, null, cleared.stray);
  if (worktree !== null) left.push(worktree);
  await failpoint('drop.after-worktree');
  if (worktree === null && tip !== null) {
    const branch = await deleteBranch(bench, updated.result, tip);
    if (branch !== null) left.push(branch);
  }
  await failpoint('drop.after-branch');
  return { job: updated.result, tip, repeated: updated.repeated, ignored: cleared.ignored, left };
}

/** Brings a dropped Job back in the state it had, its branch at the kept tip. Throws OwlError `wrong-state`, `nothing-kept`, `refused`. */
export async function restoreJob(
  bench: Workbench,
  id: string,
): Promise<{ readonly job: Job; readonly repeated: boolean }> {
  const found = await findJob(await bench.store.snapshot(), id);
  refuseRoundJob(found, 'restore');
  const request = requestOf(bench, 'restore', found);
  const before = await answeredBefore<Job>(bench, request);
  if (before !== null) return { job: before, repeated: true };
  if (!mayHappen(found.state, 'restore') || found.dropped === null) {
    throw found.state === 'cancelled'
      ? new OwlError('wrong-state', `job ${found.id} was cancelled, not dropped; its branch is where it was`, {
          preserved: ['nothing was changed'],
          next: [`git owl reopen ${found.id}`],
        })
      : wrongState(found, 'restore');
  }
  const { tip } = found.dropped;
  const there = tip !== null && (await lookBranchBack(bench, found, tip)) === 'there';
  const updated = await updateOrTry<Job>(bench, { step: 'restore', request }, async (tx) => {
    const job = foundJob(found.id, await tx.job(found.id));
    await refuseWhileLanding(bench, job.id);
    if (job.dropped === null) throw wrongState(job, 'restore');
    const to = job.dropped.state === 'active' || job.dropped.state === 'done' ? 'pending' : job.dropped.state;
    const moved = moveJob(job, { event: 'restore', to, op: tx.op, at: tx.now }, { dropped: null });
    tx.putJob(moved);
    if (tip !== null && !there) tx.move({ ref: jobRef(job), old: 'absent', new: tip }, `owl: restore ${job.id}`);
    tx.event({ event: 'job.restored', subject: `job ${job.id}: restored, ${to}`, job: job.id });
    return moved;
  });
  const [refused] = updated.refused;
  if (refused !== undefined) bench.say(`the branch ${jobBranch(found)} was not made: ${refused.message}`);
  return { job: updated.result, repeated: updated.repeated };
}
