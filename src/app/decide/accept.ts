// `accept`: done without a merge by us; the worktree goes, the branch stays (J30).

import type { Job } from '../../domain/job.js';
import { verifiedState } from '../../domain/landing.js';
import { mayHappen, moveJob, wrongState } from '../../domain/machine.js';
import { failpoint } from '../../system/failpoint.js';
import { baseNow } from '../base-now.js';
import { workTip } from '../claims/standing.js';
import { findLandedJob, mergedBy, sayLanded } from '../collect/landed.js';
import { findJob } from '../jobs.js';
import { refuseWhileLanding } from '../land/landing-note.js';
import { clearWorktree, removeWorktreeOf } from '../place.js';
import { currentPolicy, wishOf } from '../policy.js';
import { refuseUnknown } from '../publish/note.js';
import { refuseRoundJob } from '../round-job.js';
import { answeredBefore, requestOf } from '../try.js';
import type { Workbench } from '../workbench.js';

export interface Accepted {
  readonly job: Job;
  readonly repeated: boolean;
  readonly notes: readonly string[];
  /** Git-ignored files that go with the worktree. */
  readonly ignored: readonly string[];
}

/** Throws OwlError `wrong-state`, `uncommitted` (unless `force`), `workspace`. */
export async function acceptJob(
  bench: Workbench,
  id: string,
  options: { readonly force: boolean; readonly dryRun: boolean },
): Promise<Accepted> {
  const found = await findJob(await bench.store.snapshot(), id);
  refuseRoundJob(found, 'accept');
  const request = requestOf(bench, 'accept', found);
  const before = await answeredBefore<Job>(bench, request);
  if (before !== null) return { job: before, repeated: true, notes: [], ignored: [] };
  await refuseUnknown(bench, { kind: 'job', id: found.id });
  if (!mayHappen(found.state, 'accept')) throw wrongState(found, 'accept');
  const policy = await currentPolicy(bench, wishOf(found)).catch(() => null);
  // Somebody may have merged it by ordinary tooling: that is what is said and recorded then (J31).
  const landed = await findLandedJob(bench, found);
  const merged = landed === null ? null : await mergedBy(bench, landed);
  const notes = [landed === null ? 'the base has not moved: accept merges nothing' : sayLanded(landed)];
  const tip = await workTip(bench, found);
  if (landed === null && verifiedState(found, tip, (await baseNow(bench, found))?.oid ?? null) === 'void')
    notes.push('its verification is void: the branch or its base moved since');
  const cleared = await clearWorktree(bench, found, policy?.loaded.policy ?? null, options.force, 'accept');
  if (options.dryRun) return { job: found, repeated: false, notes, ignored: cleared.ignored };
  const updated = await bench.store.update<Job>({ step: 'accept', request }, async (tx) => {
    const job = await findJob(tx, found.id);
    await refuseWhileLanding(bench, job.id);
    const moved = moveJob(
      job,
      { event: 'accept', to: 'done', op: tx.op, at: tx.now },
      { reason: null, tip: tip ?? job.tip, ...(merged === null ? {} : { merged: { ...merged, at: tx.now } }) },
    );
    tx.putJob(moved);
    const base = landed === null ? 'the base has not moved' : sayLanded(landed);
    tx.event({ event: 'job.accepted', subject: `job ${job.id}: accepted; ${base}`, job: job.id });
    return moved;
  });
  await failpoint('accept.before-worktree');
  const left = await removeWorktreeOf(bench, updated.result, policy?.loaded.policy ?? null);
  if (left !== null) notes.push(left);
  return { job: updated.result, repeated: updated.repeated, notes, ignored: cleared.ignored };
}
