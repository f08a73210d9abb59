// The Round's branch and worktree follow a Candidate that was corrected beside them: together with its record, or not at all (G8, G13).

import type { CandidatePair, Goal } from '../../domain/goal.js';
import { goalReason } from '../../domain/goal-reasons.js';
import type { Job, Reason } from '../../domain/job.js';
import type { Policy } from '../../domain/policy.js';
import { reason } from '../../domain/reasons.js';
import type { Tx } from '../../state/types.js';
import { failpoint } from '../../system/failpoint.js';
import { moveBranchWithCheckouts } from '../follow.js';
import { foundJob, jobRef } from '../jobs.js';
import { placeOf } from '../place.js';
import type { Workbench } from '../workbench.js';
import { ensureWorkspace } from '../workspace/create.js';
import { sayRefused } from '../workspace/types.js';
import { currentRoundJob } from './round-jobs.js';

export interface CandidateMove {
  readonly goal: Goal;
  readonly policy: Pick<Policy, 'worktrees'>;
  readonly old: CandidatePair;
  readonly new: CandidatePair;
  /** Writes what there is to write, with `move` in the same change; false: nothing moves. */
  readonly record: (move: (tx: Tx) => Promise<void>) => Promise<boolean>;
}

export type CandidateMoved =
  | { readonly kind: 'moved' }
  /** Nothing moved. */
  | { readonly kind: 'failed'; readonly why: Reason };

/** The worktree is admitted first, and made again where it is missing (G9): what only looks like it is left as it is. */
export async function moveCandidate(bench: Workbench, request: CandidateMove): Promise<CandidateMoved> {
  const { goal, old } = request;
  const failed = (why: Reason): CandidateMoved => ({ kind: 'failed', why });
  const job = await currentRoundJob(await bench.store.snapshot(), goal);
  if (job === null) return failed(reason('unknown-here', `the job of round ${goal.round} is not here`));
  const ref = jobRef(job);
  const stale = goalReason('stale-candidate', `${ref} is not at the Candidate that was corrected`);
  if ((await (await bench.repository.engine()).resolve(ref)) !== old.tip) return failed(stale);
  const path = await placeOf(bench, job, request.policy);
  const place = await ensureWorkspace(bench, { id: job.id, path, branch: ref, commit: old.tip });
  if (place.kind === 'refused') return failed(reason('workspace', sayRefused(place, goal.id)));
  await failpoint('goal.before-branch');
  const moved = await moveBranchWithCheckouts(bench, {
    ref,
    old: old.tip,
    new: request.new.tip,
    reason: `owl: candidate of ${goal.id}`,
    move: () => request.record((tx) => moveIn(tx, job, request)),
  });
  await failpoint('goal.after-branch');
  switch (moved.kind) {
    case 'moved':
      return { kind: 'moved' };
    case 'lost':
      return failed(stale);
    case 'waits':
      return failed(
        reason('workspace', `the worktree of the Round cannot follow: ${moved.message}`, { paths: moved.paths }),
      );
  }
}

async function moveIn(tx: Tx, { id, onto }: Job, { goal, old, new: next }: CandidateMove): Promise<void> {
  const now = foundJob(id, await tx.job(id));
  const base = { ref: goal.base?.ref ?? onto?.ref ?? '', oid: next.base };
  tx.putJob({ ...now, tip: next.tip, onto: base, revision: now.revision + 1, updated: tx.now });
  tx.move({ ref: jobRef(now), old: old.tip, new: next.tip }, `owl: candidate of ${goal.id}`);
}
