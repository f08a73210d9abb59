// A closed Job whose branch is gone, opened again: the branch comes back at the tip that is kept (J30, G52).

import { OwlError } from '../../domain/errors.js';
import type { Oid } from '../../domain/git.js';
import type { Job } from '../../domain/job.js';
import { branchConflicts } from '../../git/branch.js';
import { jobBranch, jobRef } from '../jobs.js';
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
