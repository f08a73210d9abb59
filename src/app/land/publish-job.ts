// `execution.publish`: the base is the remote's, and the remote is served first (J34, G32). The merge is made on the remote's
// commit and pushed under the lease of the target; what is here follows.

import { sayGuarded } from '../../config/guard.js';
import { type Oid, type RefName, remoteRef } from '../../domain/git.js';
import { HANDOFF_PATH } from '../../domain/handoff.js';
import type { Job, Merged } from '../../domain/job.js';
import { needsVerifying } from '../../domain/landing.js';
import { moveJob } from '../../domain/machine.js';
import { reason } from '../../domain/reasons.js';
import { landingCommit } from '../../git/merge.js';
import { guardedIn } from '../guarded.js';
import { ownTip } from '../jobs.js';
import type { Lease } from '../lease/hold.js';
import { withLease } from '../lease/lease.js';
import { currentPolicy, wishOf } from '../policy.js';
import { findSent } from '../publish/look.js';
import { readPublication } from '../publish/note.js';
import { type Published, publishCommit, type Target } from '../publish/publish.js';
import { type JobMergeDetail, settleJobMerge } from '../publish/settle.js';
import { sharedState } from '../state-share/part.js';
import { putWholeJob } from '../state-share/put-job.js';
import { askTrust } from '../trusted.js';
import type { Workbench } from '../workbench.js';
import { contained, overtaken } from './before.js';
import { dropLanding } from './landing-note.js';
import { mergeMessage } from './message.js';
import { beginLanding, mergedEvent } from './move-base.js';
import { escalate, type Landed, type LandRequest } from './outcome.js';
import { fetchTarget } from './target.js';
import { checkAgain } from './verify-again.js';

/** Verifications and pushes together, before a target that keeps moving is given up (J34). */
const TRIES = 6;

/** A merge of an earlier try that arrived on the remote after all: settled, and never made again. Null: there is none. */
export async function settleArrived(bench: Workbench, job: Job): Promise<Landed | null> {
  const note = await readPublication<JobMergeDetail>(bench, job);
  if (note === null || note.value.act !== 'merge') return null;
  const found = await findSent<JobMergeDetail>(bench, note.value);
  return found.kind === 'there' ? settleJobMerge(bench, note.value, found.sent) : null;
}

/** Merges on the remote. The state is written whatever comes of it. */
export async function publishJob(bench: Workbench, request: LandRequest, target: Target): Promise<Landed> {
  const { job } = request;
  const unit = { kind: 'job' as const, id: job.id, occurrence: job.occurrence };
  const leased = await withLease(bench, { target: target.branch, remote: target.remote, unit }, (lease) =>
    publishUnder(bench, request, target, lease),
  );
  switch (leased.kind) {
    case 'worked':
      return leased.value;
    case 'held':
      return { kind: 'busy', why: leased.why };
    case 'unreachable':
      return { kind: 'unpublished', why: leased.why, known: true };
    case 'impossible':
      if (leased.damaged) return { kind: 'busy', why: leased.why };
      // The compare-and-swap of the target decides alone: others may have worked in vain, nothing more.
      bench.say(`${target.remote} takes no leases (${leased.why}); going on without one`);
      return publishUnder(bench, request, target, null);
  }
}

async function publishUnder(
  bench: Workbench,
  request: LandRequest,
  target: Target,
  lease: Lease | null,
): Promise<Landed> {
  let { job, current } = request;
  const engine = await bench.repository.engine();
  const ref = remoteRef(target.remote, target.branch);
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const other = await overtaken(bench, request.job);
    if (other !== null) return other;
    const base = await fetchTarget(bench, target);
    if ('why' in base) return { kind: 'unpublished', why: base.why, known: true };
    // The configuration is the target's as it is now, and may name commands that nobody has said yes to.
    if (base.oid !== current.at.oid) {
      current = await currentPolicy(bench, wishOf(job));
      await askTrust(bench, current.loaded);
    }
    const tip = await ownTip(bench, job);
    if (tip === null) return { kind: 'gone' };
    if (tip === base.oid || (await engine.isAncestor(tip, base.oid)) === 'ancestor')
      return (await settleArrived(bench, job)) ?? contained(bench, { ...request, job, current }, base.ref);
    if (needsVerifying(job, { tip, base: base.oid }, current.loaded.policy)) {
      const again = await checkAgain(bench, { ...request, job, current }, tip, base);
      if (again.kind !== 'ready') return again;
      job = again.job;
      if (request.byItself && job.verification?.checks.length === 0) return { kind: 'unverified', job };
      continue;
    }
    const guarded = await guardedIn(bench, current.loaded, base.oid, tip);
    if (guarded.length > 0 && !request.allowGuarded)
      return { kind: 'guarded', paths: guarded, said: sayGuarded(current.loaded.policy, guarded) };
    const unconfirmed = await lease?.confirm();
    if (unconfirmed?.kind === 'unreachable') return { kind: 'unpublished', why: unconfirmed.why, known: true };
    if (unconfirmed?.kind === 'lost') return { kind: 'busy', why: unconfirmed.why };
    try {
      const at = { ref, base: base.oid, tip, lease };
      const published = await publishMerge(bench, { ...request, job, current }, target, at);
      if (published.kind === 'superseded' || published.kind === 'busy') return published;
      if (published.kind !== 'moved') return await outcome(bench, { ...request, job }, target, published);
      bench.say(`job ${job.id}: ${target.branch} of ${target.remote} has moved meanwhile`);
    } finally {
      await dropLanding(bench, job.id);
    }
  }
  return { kind: 'busy', why: `${target.branch} of ${target.remote} moves faster than it can be merged into` };
}

interface At {
  readonly ref: RefName;
  readonly base: Oid;
  readonly tip: Oid;
  readonly lease: Lease | null;
}

type NewMerge = Omit<Merged, 'at'> & { readonly after: Oid };

async function makeMerge(bench: Workbench, { job, current }: LandRequest, at: At): Promise<NewMerge> {
  const made = await landingCommit(bench.repository, {
    base: at.base,
    tip: at.tip,
    message: mergeMessage(job, at.lease?.token ?? null),
    identity: await bench.repository.identity(),
    signing: current.loaded.policy.signing,
    handoffPath: HANDOFF_PATH,
  });
  const { commit: after, commits, files } = made;
  return { by: 'owl', ref: at.ref, before: at.base, after, commits, files };
}

/** The merge of exactly this tip onto exactly this base that was sent, and did not arrive so far: the same is sent once more (G32). */
async function sentBefore(bench: Workbench, job: Job, at: At): Promise<NewMerge | null> {
  const note = await readPublication<JobMergeDetail>(bench, job);
  if (note === null || note.value.act !== 'merge') return null;
  const sent = note.value.sent.find(({ expected, detail }) => expected === at.base && detail.tip === at.tip);
  return sent === undefined ? null : { ...sent.detail.merged, after: sent.commit };
}

async function publishMerge(
  bench: Workbench,
  request: LandRequest,
  target: Target,
  at: At,
): Promise<Published<JobMergeDetail> | Extract<Landed, { readonly kind: 'superseded' | 'busy' }>> {
  const { job } = request;
  const merged = (await sentBefore(bench, job, at)) ?? (await makeMerge(bench, request, at));
  const begun = await beginLanding(bench, job, {
    job: job.id,
    ref: at.ref,
    tip: at.tip,
    merged,
    owner: await bench.environment.process(),
    published: true,
  });
  if (begun.kind !== 'begun') return begun;
  const op = bench.ids.operation();
  const time = bench.clock.timestamp();
  const record = moveJob(
    begun.job,
    { event: 'merge', to: 'done', op, at: time },
    { merged: { ...merged, at: time }, reason: null, tip: at.tip },
  );
  const detail = { tip: at.tip, merged, record };
  return publishCommit<JobMergeDetail>(bench, {
    unit: { kind: 'job', id: job.id },
    act: 'merge',
    target,
    send: {
      commit: merged.after,
      expected: at.base,
      detail: request.request === undefined ? detail : { ...detail, request: request.request },
    },
    state: () =>
      sharedState(bench, {
        remote: target.remote,
        units: [{ kind: 'job', id: job.id }],
        op,
        event: mergedEvent(job, { ref: at.ref, merged }),
        change: (tx) => putWholeJob(bench, tx, record),
      }),
  });
}

async function outcome(
  bench: Workbench,
  request: LandRequest,
  target: Target,
  published: Exclude<Published<JobMergeDetail>, { kind: 'moved' }>,
): Promise<Landed> {
  const { job } = request;
  switch (published.kind) {
    case 'published':
      return settleJobMerge(bench, { unit: { kind: 'job', id: job.id }, ...target }, published.sent);
    case 'declined': {
      const text = `${target.remote} does not take it on ${target.branch}: ${published.why}`;
      return escalate(bench, request, reason('declined-by-server', text), 'merge_failed_escalated');
    }
    case 'unanswered':
      return { kind: 'unpublished', why: published.why, known: true };
    case 'unknown':
      return { kind: 'unpublished', why: published.why, known: false };
    case 'held':
      return published.code === 'state-busy' ? { kind: 'busy', why: published.why } : { kind: 'held', held: published };
  }
}
