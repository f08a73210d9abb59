// The branch of a Job follows a record that came from another clone, worktree and all, where it holds nothing of its own (J8; 05, S1).

import { OwlError } from '../../domain/errors.js';
import { type Oid, shortOid } from '../../domain/git.js';
import type { Job } from '../../domain/job.js';
import { checkedOutAt } from '../../git/branch.js';
import { failpoint } from '../../system/failpoint.js';
import { moveBranchWithCheckouts } from '../follow.js';
import { jobBranch, jobRef } from '../jobs.js';
import { lookAt } from '../place.js';
import { keepOnly } from '../run/settle.js';
import type { Workbench } from '../workbench.js';
import { cleanliness } from '../workspace/cleanliness.js';
import { forgetTips } from './known-tips.js';
import { commitsElsewhere, standingOf } from './standing.js';

export type Brought =
  | { readonly kind: 'stands' | 'moved'; readonly tip: Oid | null }
  /** Its commits are not here. */
  | { readonly kind: 'elsewhere'; readonly tip: Oid }
  | { readonly kind: 'stays'; readonly why: string };

/**
 * The branch follows the record where that is ours to do: what it held is kept first. Null for `tip`: no branch is here. A branch
 * with commits of its own, a worktree with work in it, or one that somebody else has open, stays, and is said.
 */
export async function followRecord(bench: Workbench, job: Job): Promise<Brought> {
  const standing = await standingOf(bench, job);
  switch (standing.kind) {
    case 'none':
      return { kind: 'stands', tip: null };
    case 'here':
      if (standing.tip === job.tip) await forgetTips(bench, job.id);
      return { kind: 'stands', tip: standing.tip };
    case 'apart':
      return { kind: 'stays', why: sayApart(job, standing) };
    case 'behind':
      break;
  }
  const { here, tip } = standing;
  if ((await (await bench.repository.engine()).exists([tip]))[0] !== true) return { kind: 'elsewhere', tip };
  const why = await whyItStays(bench, job);
  if (why !== null) return { kind: 'stays', why: `${sayOld(job, standing)}, and ${why}` };
  await keepOnly(bench, job.id, [{ commit: here, subject: 'tip before that of another clone' }]);
  await failpoint('sync.before-follow');
  const moved = await moveBranchWithCheckouts(bench, {
    ref: jobRef(job),
    old: here,
    new: tip,
    reason: 'owl: the tip of another clone',
  });
  await failpoint('sync.after-follow');
  if (moved.kind === 'waits') return { kind: 'stays', why: `${sayOld(job, standing)}, and ${moved.message}` };
  if (moved.kind === 'lost') return { kind: 'stays', why: `the branch ${jobBranch(job)} moved meanwhile` };
  await forgetTips(bench, job.id);
  return { kind: 'moved', tip };
}

const sayOld = (job: Job, { here, tip }: { readonly here: Oid; readonly tip: Oid }): string =>
  `the branch ${jobBranch(job)} is at ${shortOid(here)}, before ${shortOid(tip)} of another clone`;

const sayApart = (job: Job, { here, tip }: { readonly here: Oid; readonly tip: Oid }): string =>
  `the branch ${jobBranch(job)} has commits of its own (${shortOid(here)}) beside the work of another clone (${shortOid(tip)}): put them onto that, or take them off it`;

/** Why the branch cannot be moved by us; null: it can. */
async function whyItStays(bench: Workbench, job: Job): Promise<string | null> {
  const place = await lookAt(bench, job, null);
  const own = place.kind === 'admitted' ? place.workspace.path : null;
  const other = (await checkedOutAt(bench.repository, jobRef(job))).find(({ path }) => path !== own);
  if (other !== undefined) return `${other.path} has it open`;
  if (place.kind !== 'admitted') return null;
  const { clean } = await cleanliness(bench.repository, place.workspace);
  return clean ? null : `its worktree ${place.workspace.path} has work that is not committed`;
}

/**
 * For what acts on the branch itself: it is the work, or is made so. Throws OwlError `missing-commit`, and `refused` where the branch
 * stays beside it.
 */
export async function needJobBranch(bench: Workbench, job: Job): Promise<void> {
  const standing = await standingOf(bench, job);
  const tip = standing.kind === 'none' ? job.tip : standing.tip;
  if (tip !== null && (await (await bench.repository.engine()).exists([tip]))[0] !== true)
    throw commitsElsewhere(job, tip);
  if (bench.dryRun) return;
  const brought = await followRecord(bench, job);
  if (brought.kind === 'stays')
    throw new OwlError('refused', brought.why, {
      preserved: ['nothing was changed'],
      next: [`git owl show ${job.id}`, `git log --oneline -5 ${jobBranch(job)}`],
      data: { branch: jobRef(job), tip: job.tip },
    });
}
