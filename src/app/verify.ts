// `verify`: fetch, replay and checks on the tip as it is, with no agent and no Run spent; settles review or blocked (J29).

import { OwlError } from '../domain/errors.js';
import type { Job, Reason } from '../domain/job.js';
import { mayHappen, moveJob, stands, wrongState } from '../domain/machine.js';
import { needJobBranch } from './claims/follow-record.js';
import { findLandedJob, landByHand } from './collect/landed.js';
import { findJob, foundJob, ownTip } from './jobs.js';
import { refuseWhileLanding } from './land/landing-note.js';
import { clearWorktree } from './place.js';
import { baseRef, fetchedPolicy, wishOf } from './policy.js';
import { refuseUnknown } from './publish/note.js';
import { reverify } from './reverify.js';
import { refuseRoundJob } from './round-job.js';
import { isSameConflict } from './run/branch.js';
import { namedOutputs } from './run/kept-log.js';
import { askTrust } from './trusted.js';
import { answeredBefore, requestOf } from './try.js';
import type { Workbench } from './workbench.js';

export interface Verified {
  readonly job: Job;
  readonly superseded: boolean;
  readonly repeated: boolean;
}

/** `force`: uncommitted work is kept and left out. Throws OwlError `wrong-state`, `uncommitted`, `workspace`, `unknown-id`, and what reading the policy throws. */
export async function verifyJob(bench: Workbench, id: string, options: { readonly force: boolean }): Promise<Verified> {
  const job = await findJob(await bench.store.snapshot(), id);
  refuseRoundJob(job, 'verify');
  const request = requestOf(bench, 'verify', job);
  const before = await answeredBefore<Job>(bench, request);
  if (before !== null) return { job: before, superseded: false, repeated: true };
  await refuseUnknown(bench, { kind: 'job', id: job.id });
  if (!mayHappen(job.state, 'verify')) throw wrongState(job, 'verify');
  const current = await fetchedPolicy(bench, wishOf(job));
  const byHand = await findLandedJob(bench, job);
  const landed = byHand === null ? null : await landByHand(bench, byHand, request);
  if (landed !== null) return { job: landed, superseded: false, repeated: false };
  await needJobBranch(bench, job);
  await askTrust(bench, current.loaded);
  const tip = await ownTip(bench, job);
  if (tip === null) {
    throw new OwlError('missing-branch', `job ${job.id} has no branch to verify`, {
      preserved: ['nothing was changed'],
      next: [`git owl retry ${job.id}`],
    });
  }
  const base = baseRef(current);
  const marker = bench.ids.run();
  await refuseWhileLanding(bench, job.id);
  const result = await orOvertaken(bench, job, async () => {
    await clearWorktree(bench, job, current.loaded.policy, options.force, 'verify');
    return reverify(bench, { job, tip, base, current, label: 'verify', marker });
  });
  if (result.kind === 'checked' && result.interrupted)
    throw new OwlError('refused', `the verification of job ${job.id} was stopped`, {
      preserved: ['the job is as it was'],
      next: [`git owl verify ${job.id}`],
    });
  const outcome = outcomeOf(result);
  let stood = true;
  const updated = await bench.store.update<Job>({ step: 'verify', request }, async (tx) => {
    const now = foundJob(job.id, await tx.job(job.id));
    await refuseWhileLanding(bench, job.id);
    stood = stands(now, job.occurrence);
    if (!stood) return now;
    if (result.kind === 'checked') {
      tx.keep({
        job: job.id,
        commit: result.tip,
        subject: `outputs of verify at ${tx.now}`,
        files: namedOutputs(result.outputs),
      });
    }
    const settled = moveJob(
      now,
      { event: 'verify', to: outcome.to, op: tx.op, at: tx.now },
      {
        reason: outcome.reason,
        degraded: outcome.to === 'review' ? false : now.degraded,
        closure: outcome.to === 'review' ? 'resolved' : 'blocked',
        ...(result.kind === 'checked'
          ? {
              tip: result.tip,
              onto: base,
              verification: result.verification,
              conflicts: 0,
              no_change: result.ownChange ? null : now.no_change,
            }
          : { verification: null }),
        ...(result.kind === 'conflict' && !isSameConflict(now, base.oid) ? { conflicts: now.conflicts + 1 } : {}),
      },
    );
    tx.putJob(settled);
    tx.event({
      event: outcome.to === 'done' ? 'job.landed' : 'job.verified',
      subject: `job ${job.id}: verified without an agent; ${settled.state}${outcome.reason === null ? '' : `: ${outcome.reason.text}`}`,
      job: job.id,
    });
    return settled;
  });
  return { job: updated.result, superseded: !stood, repeated: updated.repeated };
}

/** A merge, or another decision, that took the worktree away meanwhile is why it fails, not the worktree (07.28). */
async function orOvertaken<T>(bench: Workbench, job: Job, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    await refuseWhileLanding(bench, job.id);
    const now = await (await bench.store.snapshot()).job(job.id);
    if (now.kind !== 'found' || (stands(now.record, job.occurrence) && now.record.state === job.state)) throw error;
    throw new OwlError('busy', `job ${job.id} was changed by another process meanwhile: it is ${now.record.state}`, {
      preserved: ['this verification changed nothing'],
      next: [`git owl show ${job.id}`],
      cause: error,
    });
  }
}

function outcomeOf(result: Awaited<ReturnType<typeof reverify>>): {
  readonly to: 'review' | 'blocked' | 'done';
  readonly reason: Reason | null;
} {
  switch (result.kind) {
    case 'landed':
      return { to: 'done', reason: null };
    case 'conflict':
    case 'stopped':
      return { to: 'blocked', reason: result.reason };
    case 'checked':
      return result.failed === null ? { to: 'review', reason: null } : { to: 'blocked', reason: result.failed };
  }
}
