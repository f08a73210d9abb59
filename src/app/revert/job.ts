// The merge of a Job, taken back (G52): what may be, and how its record says so.

import { OwlError } from '../../domain/errors.js';
import type { EventDraft } from '../../domain/events.js';
import type { Oid } from '../../domain/git.js';
import type { Job } from '../../domain/job.js';
import { mayHappen, moveJob, wrongState } from '../../domain/machine.js';
import { reason } from '../../domain/reasons.js';
import { foundJob } from '../jobs.js';
import { publishTarget } from '../land/target.js';
import type { CurrentPolicy } from '../policy.js';
import type { PushPart } from '../publish/publish.js';
import { refuseRoundJob } from '../round-job.js';
import { sharedState } from '../state-share/part.js';
import { putWholeJob } from '../state-share/put-job.js';
import type { JobRequest } from '../try.js';
import type { Workbench } from '../workbench.js';
import { type RevertFacts, sayUndone, type Taken, type TakenMerge } from './facts.js';

/** The merge that may be taken back. Throws OwlError `wrong-state`, `refused`. */
export function checkJobRevert(job: Job): Oid {
  refuseRoundJob(job, 'revert');
  if (!mayHappen(job.state, 'revert')) throw wrongState(job, 'revert');
  const preserved = ['nothing was changed'];
  if (job.merged === null || job.reverted) {
    const why = job.reverted ? 'is reverted already' : 'was not merged: there is nothing to take back';
    throw new OwlError('wrong-state', `job ${job.id} ${why}`, { preserved, next: [`git owl show ${job.id}`] });
  }
  if (job.merged.after !== null) return job.merged.after;
  throw new OwlError('refused', `job ${job.id} was merged by other means, in no commit that could be named`, {
    preserved,
    next: ['git log', `git owl show ${job.id}`],
  });
}

export function jobTaken(job: Job, current: CurrentPolicy, request: JobRequest | undefined): Taken {
  return {
    unit: { kind: 'job', id: job.id, occurrence: job.occurrence },
    title: job.title,
    merges: [{ merge: checkJobRevert(job), before: null, trailers: [`Owl-Job: ${job.id}`] }],
    integration: null,
    target: { name: current.base.name, remote: publishTarget({ current })?.remote ?? null },
    signing: current.loaded.policy.signing,
    request,
  };
}

const revertEvent = (id: string, facts: RevertFacts): EventDraft => ({
  event: 'job.reverted',
  subject: `job ${id}: ${sayUndone(facts)}`,
  job: id,
});

/** The record after the revert of this very merge. Throws OwlError `wrong-state`. */
function revertedJob(job: Job, facts: RevertFacts, at: { readonly op: string; readonly now: string }): Job {
  const { ref, commit } = facts;
  const text = commit === null ? 'its merge was taken back' : `its merge was taken back by ${commit}`;
  return moveJob(
    job,
    { event: 'revert', to: 'done', op: at.op, at: at.now },
    { reverted: true, reason: reason('reverted', text, commit === null ? {} : { onto: { ref, oid: commit } }) },
  );
}

/** The record as it will be, and the part of the push that says so where state is shared. */
export async function jobPart(
  bench: Workbench,
  taken: Taken,
  remote: string,
  facts: RevertFacts,
): Promise<{ readonly record: Job; readonly state: () => Promise<PushPart> }> {
  const { id } = taken.unit;
  const op = bench.ids.operation();
  const job = foundJob(id, await (await bench.store.snapshot()).job(id));
  const record = revertedJob(job, facts, { op, now: bench.clock.timestamp() });
  const units = [{ kind: 'job' as const, id }];
  const event = revertEvent(id, facts);
  const change = (tx: Parameters<typeof putWholeJob>[1]): Promise<void> => putWholeJob(bench, tx, record);
  return { record, state: () => sharedState(bench, { remote, units, op, event, change }) };
}

/** Another decision since then stands; what was done to the target is said in the log all the same. */
export async function settleJob(bench: Workbench, id: string, facts: RevertFacts): Promise<Job> {
  const { request, record } = facts;
  const updated = await bench.store.update<Job>({ step: 'reverted', request }, async (tx) => {
    const now = foundJob(id, await tx.job(id));
    if (!isTakenJob(now, facts.undone)) return now;
    const asPublished = record !== undefined && record.revision === now.revision + 1;
    const next = asPublished ? record : revertedJob(now, facts, tx);
    tx.putJob(next);
    tx.event(revertEvent(id, facts));
    return next;
  });
  return updated.result;
}

/** Does its record still name this merge as delivered? */
export const isTakenJob = (job: Job, merges: readonly Pick<TakenMerge, 'merge'>[]): boolean =>
  !job.reverted && job.state === 'done' && merges.some(({ merge }) => merge === job.merged?.after);
