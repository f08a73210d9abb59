// A closed Job whose branch is gone, opened again: the branch comes back at the tip that is kept (J30, G52).

import { OwlError } from '../../domain/errors.js';
import type { Oid } from '../../domain/git.js';
import type { Job } from '../../domain/job.js';
import { branchConflicts } from '../../git/branch.js';
import type { Tx } from '../../state/types.js';
import { jobBranch, jobRef, ownTip } from '../jobs.js';
import type { Workbench } from '../workbench.js';

/**
 * May the branch be made at this tip? `there`: it is at it already. Throws OwlError `nothing-kept` where the commit is not here,
 * `refused` where its name is somebody else's.
 */
export async function lookBranchBack(bench: Workbench, job: Job, tip: Oid): Promise<'free' | 'there'> {
  const preserved = ['nothing was changed'];
  if (!(await (await bench.repository.engine()).exists([tip]))[0]) {
    throw new OwlError('nothing-kept', `the tip of job ${job.id}, ${tip}, is not in this clone`, {
      preserved,
      next: [`git owl show ${job.id}`],
    });
  }
  const place = await branchConflicts(bench.repository, jobRef(job));
  if (place.kind === 'taken' && place.oid === tip) return 'there';
  if (place.kind === 'free') return 'free';
  throw new OwlError('refused', `the branch name ${jobBranch(job)} is taken`, {
    preserved,
    next: [`git log -3 ${jobRef(job)}`],
  });
}

/**
 * The branch of work that is opened again, where `gc` retired the name (M10): at the tip of its record, in the write that opens it. Nothing
 * where no branch was cut, one is there, or the commit is in another clone. Throws OwlError `refused` where the name is somebody else's.
 */
export async function bringRetired(bench: Workbench, job: Job, tx: Pick<Tx, 'move'>): Promise<void> {
  const { tip } = job;
  if (job.onto === null || tip === null || (await ownTip(bench, job)) !== null) return;
  if ((await (await bench.repository.engine()).exists([tip]))[0] !== true) return;
  if ((await lookBranchBack(bench, job, tip)) === 'free')
    tx.move({ ref: jobRef(job), old: 'absent', new: tip }, `owl: reopen ${job.id}`);
}
