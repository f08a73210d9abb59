// What a merge is asked for and what can come of it; escalations and merges left undone are written here (J35, J36).

import type { Job, Merged, Reason } from '../../domain/job.js';
import { moveJob, stands } from '../../domain/machine.js';
import { pathsBeside } from '../../domain/reasons.js';
import { foundJob } from '../jobs.js';
import type { CurrentPolicy } from '../policy.js';
import type { Held } from '../publish/publish.js';
import type { JobRequest } from '../try.js';
import type { Workbench } from '../workbench.js';

export interface LandRequest {
  readonly job: Job;
  readonly current: CurrentPolicy;
  readonly allowGuarded: boolean;
  /** Nobody asked for this merge: without checks that passed it is not made (J32). */
  readonly byItself: boolean;
  /** Its checks passed in another clone alone: that proof counts for nothing here (05, S10). */
  readonly provenElsewhere?: boolean | undefined;
  /** Idempotency key: answered with the Job as the merge left it, merged, escalated or blocked. */
  readonly request?: JobRequest | undefined;
}

export type Landed =
  | { readonly kind: 'merged'; readonly job: Job; readonly merged: Merged; readonly left: readonly string[] }
  /** State `escalated`; nothing but the Job's own branch moved (J35). */
  | { readonly kind: 'escalated'; readonly job: Job }
  /** Replayed onto a base that moved, and not acceptable there: blocked. */
  | { readonly kind: 'blocked'; readonly job: Job }
  /** The base has the work already, without a merge by us: done (J31). */
  | { readonly kind: 'landed'; readonly job: Job }
  /** The base has its commits, and they were reverted there: there is nothing that a merge would bring (J31). */
  | { readonly kind: 'reverted'; readonly ref: string }
  | { readonly kind: 'guarded'; readonly paths: readonly string[]; readonly said: readonly string[] }
  /** Nobody asked for the merge, and the base as it is now configures no checks. */
  | { readonly kind: 'unverified'; readonly job: Job }
  /** Somebody holds a lock, or an operation is in progress: nothing moved, try again (G33). */
  | { readonly kind: 'busy'; readonly why: string }
  /** Files of a checkout of the base are in the way, and a person is there to move them: nothing moved (22 of 07). */
  | { readonly kind: 'in-the-way'; readonly why: string; readonly paths: readonly string[] }
  /** The remote could not be asked, or did not answer (G32). `known`: it does not have the merge as far as could be seen. */
  | { readonly kind: 'unpublished'; readonly why: string; readonly known: boolean }
  /** Something that goes before or along with the publication stands in the way; nothing was sent. */
  | { readonly kind: 'held'; readonly held: Held }
  | { readonly kind: 'superseded'; readonly job: Job }
  | { readonly kind: 'gone' };

/** Nothing but the Job's own branch has moved; everything is kept (J35). */
export async function escalate(
  bench: Workbench,
  { job, request }: LandRequest,
  why: Reason,
  event: 'merge_conflict_escalated' | 'merge_failed_escalated',
): Promise<Landed> {
  let stood = true;
  const updated = await bench.store.update<Job>({ step: 'escalate', request }, async (tx) => {
    const now = foundJob(job.id, await tx.job(job.id));
    stood = stands(now, job.occurrence);
    if (!stood) return now;
    const escalated = moveJob(
      now,
      { event: now.state === 'done' ? 'merge' : 'escalate', to: 'escalated', op: tx.op, at: tx.now },
      { reason: why },
    );
    tx.putJob(escalated);
    const beside = pathsBeside(why.text, why.paths);
    const paths = beside.length === 0 ? '' : ` (${beside.join(', ')})`;
    tx.event({ event, subject: `job ${job.id}: not merged${paths}: ${why.text}`, job: job.id });
    return escalated;
  });
  return { kind: stood ? 'escalated' : 'superseded', job: updated.result };
}

/** Resolved and not merged: said in the log, and that the base has not moved (J36). */
export async function recordUnmerged(bench: Workbench, job: Job, why: string): Promise<void> {
  await bench.store.update({ step: 'unmerged' }, async (tx) => {
    const now = foundJob(job.id, await tx.job(job.id));
    if (!stands(now, job.occurrence) || now.merged !== null) return;
    tx.putJob({ ...now, revision: now.revision + 1, updated: tx.now });
    tx.event({
      event: 'task_unmerged',
      subject: `job ${job.id}: resolved and not merged: ${why}; the base has not moved`,
      job: job.id,
    });
  });
}
