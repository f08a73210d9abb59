// Taking a Job: the claim is a compare-and-swap made before any slow work, and two `run` never take the same one (J4).

import { OwlError } from '../../domain/errors.js';
import type { Claim, Job, JobId, Run } from '../../domain/job.js';
import { moveJob, wrongState } from '../../domain/machine.js';
import { acceptedOnly, type Needed, type QueueFacts, waiting } from '../../domain/queue.js';
import type { Snapshot } from '../../state/types.js';
import { foundJob } from '../jobs.js';
import { refuseWhileLanding } from '../land/landing-note.js';
import { tokenOf, type Workbench } from '../workbench.js';
import { loadTaken } from './capacity.js';
import type { Asker } from './settle.js';

export interface Claimed {
  readonly kind: 'claimed';
  readonly job: Job;
  readonly run: Run;
  readonly asker: Asker | null;
}

export type ClaimResult =
  | Claimed
  /** It may not run, or may not any more: somebody else was faster. The error is what a person who named it is told. */
  | { readonly kind: 'not-now'; readonly error: OwlError }
  /** `max_parallel` Jobs and Goals are at work. */
  | { readonly kind: 'full'; readonly live: number };

/** What is read of a state, or of one that is foreseen. */
export type Records = Pick<Snapshot, 'job' | 'openJobs'>;

/** What the queue needs to know of other Jobs, read from the same state. */
export async function queueFacts(snapshot: Records, jobs: readonly Job[], now: number): Promise<QueueFacts> {
  const open = new Map(jobs.map((job) => [job.id, job]));
  const needed = new Map<JobId, Needed>();
  for (const id of new Set(jobs.flatMap((job) => (job.state === 'pending' ? job.needs : [])))) {
    const here = open.get(id);
    if (here !== undefined) {
      needed.set(id, here);
      continue;
    }
    const loaded = await snapshot.job(id);
    needed.set(id, loaded.kind === 'found' ? loaded.record : { id, state: 'unknown' });
  }
  return { now, needed };
}

export interface ClaimRequest {
  readonly id: JobId;
  readonly maxParallel: number;
  /** The Goal that carries it: the Job of its Round runs for nobody else. */
  readonly goal?: Asker | undefined;
}

/** Takes this Job, if it may run in the very state that is being changed. Throws what the store throws. */
export async function claimJob(bench: Workbench, request: ClaimRequest): Promise<ClaimResult> {
  const identity = await bench.environment.process();
  const runId = bench.ids.run();
  const updated = await bench.store.update<ClaimResult>({ step: 'claim' }, async (tx) => {
    const chosen = foundJob(request.id, await tx.job(request.id));
    await refuseWhileLanding(bench, chosen.id);
    const asker = request.goal ?? null;
    const carried = asker !== null && chosen.goal === asker.id;
    const error = await notNow(bench, tx, carried ? { ...chosen, goal: null } : chosen);
    if (error !== null) return { kind: 'not-now', error };
    const live = await loadTaken(bench, tx, asker?.id ?? null);
    if (live >= request.maxParallel) return { kind: 'full', live };
    const claim: Claim = { run: runId, ...identity, since: tx.now };
    const job = moveJob(
      chosen,
      { event: 'claim', to: 'active', op: tx.op, at: tx.now },
      { claim, ...tokenOf(bench), runs: chosen.runs + 1, last_run: runId, reason: null, not_before: null },
    );
    const facts = await queueFacts(tx, [chosen], bench.clock.now());
    const warnings = acceptedOnly(chosen, facts).map(
      (need) => `needs ${need}, which was accepted and not merged: the base may lack its work`,
    );
    const run = { ...newRun(job, runId, tx.now), notes: warnings };
    tx.putJob(job);
    tx.putRun(run);
    tx.event({
      event: 'run.claimed',
      subject: `job ${job.id}: run ${run.number} (${run.phase}) begins`,
      job: job.id,
      run: runId,
    });
    return { kind: 'claimed', job, run, asker };
  });
  const { result } = updated;
  if (result.kind === 'claimed') for (const note of result.run.notes) bench.say(`job ${result.job.id}: ${note}`);
  return result;
}

/** Why this Job cannot be taken now, as this state has it; null: it can. */
export async function notNow(bench: Workbench, tx: Records, job: Job): Promise<OwlError | null> {
  const wait = waiting(job, await queueFacts(tx, [job, ...(await tx.openJobs())], bench.clock.now()));
  switch (wait.kind) {
    case 'eligible':
      return null;
    case 'waits':
      return new OwlError('refused', `job ${job.id} waits: ${wait.why}`, {
        preserved: ['nothing was changed'],
        next: [`git owl show ${job.id}`],
      });
    case 'not-queued':
      return job.state === 'pending' ? outOfRuns(job) : wrongState(job, 'claim');
  }
}

const outOfRuns = (job: Job): OwlError =>
  new OwlError('wrong-state', `job ${job.id} has no Runs left`, {
    preserved: ['nothing was changed'],
    next: [`git owl extend ${job.id} 5`],
  });

function newRun(job: Job, id: string, at: string): Run {
  return {
    schema: 1,
    kind: 'run',
    id,
    job: job.id,
    number: job.runs,
    phase: job.phase,
    outcome: null,
    closure: null,
    reason: null,
    occurrence: job.occurrence,
    superseded: false,
    counted: false,
    fetch: null,
    onto: null,
    config: null,
    tip_before: job.tip,
    tip_after: null,
    replayed: null,
    conflicts: [],
    agent: null,
    exit: null,
    ended_by: null,
    summary: null,
    usage: null,
    handoff: 'none',
    checks: [],
    notes: [],
    kept: null,
    started: at,
    ended: null,
  };
}
