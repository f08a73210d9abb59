// The base moved, or something was not verified at exactly this tip: replay and checks again before anything lands (J34).

import { userFileLabel } from '../../config/user-file.js';
import { branchRef, type Oid, type RefName } from '../../domain/git.js';
import type { Job, Merged } from '../../domain/job.js';
import { moveJob, stands } from '../../domain/machine.js';
import { reason } from '../../domain/reasons.js';
import { foundJob } from '../jobs.js';
import { reverify } from '../reverify.js';
import { namedOutputs } from '../run/kept-log.js';
import type { Workbench } from '../workbench.js';
import { escalate, type Landed, type LandRequest } from './outcome.js';

type Again = { readonly kind: 'ready'; readonly job: Job } | Landed;

/** Replays onto the base as it is now and verifies again; no unverified content is ever merged (J34). */
export async function checkAgain(
  bench: Workbench,
  landing: LandRequest,
  tip: Oid,
  base: { readonly ref: string; readonly oid: Oid },
): Promise<Again> {
  const { job, current, request } = landing;
  const why = whyAgain(bench, landing, base);
  bench.say(`job ${job.id}: ${why}; replaying and verifying again`);
  const result = await reverify(bench, { job, tip, base, current, label: 'merge', marker: bench.ids.run() });
  switch (result.kind) {
    case 'conflict':
      return escalate(
        bench,
        landing,
        reason('landing-conflict', `${result.reason.text}${unpushed(landing, base)}`, {
          paths: result.reason.paths,
          onto: result.reason.onto,
        }),
        'merge_conflict_escalated',
      );
    case 'stopped':
      return escalate(
        bench,
        landing,
        reason('landing-failed', result.reason.text, { paths: result.reason.paths }),
        'merge_failed_escalated',
      );
    case 'landed':
      return landedAlready(bench, landing, base);
    case 'checked':
      break;
  }
  if (result.interrupted) return { kind: 'busy', why: 'it was stopped while checks ran' };
  let stood = true;
  const key = result.failed === null ? {} : { request };
  const updated = await bench.store.update<Job>({ step: 'merge', ...key }, async (tx) => {
    const now = foundJob(job.id, await tx.job(job.id));
    stood = stands(now, job.occurrence);
    if (!stood) return now;
    tx.keep({
      job: job.id,
      commit: result.tip,
      subject: `outputs of merge at ${tx.now}`,
      files: namedOutputs(result.outputs),
    });
    const facts = { tip: result.tip, onto: base, verification: result.verification, conflicts: 0 };
    // One that was accepted is not in anybody's review any more: that it cannot land is an escalation.
    const accepted = now.state === 'done';
    const next =
      result.failed === null
        ? { ...now, ...facts, revision: now.revision + 1, updated: tx.now }
        : moveJob(
            now,
            {
              event: accepted ? 'merge' : 'block',
              to: accepted ? 'escalated' : 'blocked',
              op: tx.op,
              at: tx.now,
            },
            { ...facts, reason: result.failed, closure: 'blocked' },
          );
    tx.putJob(next);
    tx.event({
      event: accepted && result.failed !== null ? 'merge_failed_escalated' : 'job.verified',
      subject: `job ${job.id}: verified again on ${base.ref} before the merge; ${result.failed === null ? 'passed' : result.failed.text}`,
      job: job.id,
    });
    return next;
  });
  if (!stood) return { kind: 'superseded', job: updated.result };
  return { kind: result.failed === null ? 'ready' : 'blocked', job: updated.result };
}

function whyAgain(
  bench: Workbench,
  { job, provenElsewhere }: LandRequest,
  base: { readonly ref: string; readonly oid: Oid },
): string {
  if (job.onto?.oid !== base.oid) return `${base.ref} has moved since it was verified`;
  return provenElsewhere === true
    ? `its checks passed in another clone, which counts here only with sync: { trust: true } in ${userFileLabel(bench.environment)}`
    : 'its tip is not verified';
}

/** Runs work on the remote's base: what only the local one has they never see, and would conflict with again and again (J7, J34). */
function unpushed({ current }: LandRequest, base: { readonly ref: string }): string {
  const theirs = current.at.ref;
  if (base.ref === theirs || base.ref !== branchRef(current.base.name) || current.base.remote === null) return '';
  return `; ${current.base.name} here has commits that ${current.base.remote} does not, and a Run does not see them before they are pushed`;
}

/** The replay left nothing: the base has it all, so somebody else landed it (J13, J31). The branch stays, as after `accept`. */
async function landedAlready(
  bench: Workbench,
  { job, request }: LandRequest,
  base: { readonly ref: string; readonly oid: Oid },
): Promise<Landed> {
  let stood = true;
  const updated = await bench.store.update<Job>({ step: 'landed', request }, async (tx) => {
    const now = foundJob(job.id, await tx.job(job.id));
    stood = stands(now, job.occurrence);
    if (!stood) return now;
    const merged: Merged = {
      by: 'hand',
      ref: base.ref as RefName,
      before: null,
      after: null,
      commits: 0,
      files: 0,
      at: tx.now,
    };
    const event = now.state === 'done' ? 'merge' : 'landed';
    const next = moveJob(now, { event, to: 'done', op: tx.op, at: tx.now }, { reason: null, merged });
    tx.putJob(next);
    tx.event({ event: 'job.landed', subject: `job ${job.id}: its work is on ${base.ref} already`, job: job.id });
    return next;
  });
  return { kind: stood ? 'landed' : 'superseded', job: updated.result };
}
