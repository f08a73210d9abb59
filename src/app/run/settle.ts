// Writing the end of a Run: the Run's record always, the Job's status only while the occurrence it began under stands (01).

import { afterCount, type Settlement } from '../../domain/closure.js';
import type { Oid } from '../../domain/git.js';
import type { Goal } from '../../domain/goal.js';
import { repinned } from '../../domain/goal-base.js';
import type { Job, Run } from '../../domain/job.js';
import { moveJob, stands } from '../../domain/machine.js';
import type { RefUpdate } from '../../git/engine.js';
import type { Pin, Tx } from '../../state/types.js';
import { foundJob } from '../jobs.js';
import { tokenOf, type Workbench } from '../workbench.js';

/** The Goal that a Run is made for, as it was when that was claimed: who decided about it since asks for something else. */
export type Asker = Pick<Goal, 'id' | 'occurrence'>;

export interface RunEnd {
  readonly run: Run;
  readonly settlement: Settlement;
  /** Fields of the Job that this Run found out, beside what the settlement says. */
  readonly job: Partial<Job>;
  /** Kept before the state commit: log, prompt, outputs, snapshots. */
  readonly pins: readonly Pin[];
  /** Digest of the gates of the Run's configuration; where it is known, the Goal follows the base of its Round's Run (G11). */
  readonly gates?: string | undefined;
  /** Finer than what the settlement gives: a Job whose work has landed. */
  readonly landed?: boolean;
}

export interface Settled {
  readonly job: Job;
  readonly run: Run;
  readonly superseded: boolean;
}

/** Settles a Run in one write. Called again after a crash it finds the Run settled and changes nothing. */
export async function settleRun(bench: Workbench, end: RunEnd): Promise<Settled> {
  const lost = bench.fence !== undefined && !(await bench.fence.holds());
  const updated = await bench.store.update<Settled>({ step: 'settle' }, async (tx) => {
    const job = foundJob(end.run.job, await tx.job(end.run.job));
    const stored = await tx.run(end.run.job, end.run.id);
    if (stored.kind === 'found' && stored.record.outcome !== null) {
      return { job, run: stored.record, superseded: stored.record.superseded };
    }
    for (const pin of end.pins) tx.keep(pin);
    const stood = job.state === 'active' && job.claim?.run === end.run.id && stands(job, end.run.occurrence);
    const superseded = lost || !stood;
    const run: Run = {
      ...end.run,
      outcome: end.settlement.outcome,
      closure: end.settlement.closure,
      reason: end.settlement.reason,
      counted: end.settlement.counted,
      superseded,
      ended: tx.now,
    };
    tx.putRun(run);
    if (superseded) {
      tx.event({
        event: 'run.superseded',
        subject: `job ${job.id}: run ${run.number} came after another decision; its result is kept`,
        job: job.id,
        run: run.id,
      });
      return { job, run, superseded };
    }
    const counted = afterCount(job, end.settlement);
    const to = end.landed === true ? 'done' : counted.state;
    const settled = moveJob(
      job,
      { event: 'settle', to, op: tx.op, at: tx.now },
      {
        ...end.job,
        claim: null,
        ...tokenOf(bench),
        ttl: counted.ttl,
        reason: counted.reason,
        closure: end.settlement.closure,
        not_before: end.settlement.notBefore,
      },
    );
    tx.putJob(settled);
    await repinGoal(tx, settled, run, end.gates);
    tx.event({
      event: end.landed === true ? 'job.landed' : 'run.settled',
      subject: saySettled(settled, run),
      job: job.id,
      run: run.id,
    });
    return { job: settled, run, superseded };
  });
  return updated.result;
}

function saySettled(job: Job, run: Run): string {
  const why = job.reason === null ? '' : ` on ${job.reason.code}: ${job.reason.text}`;
  return `job ${job.id}: run ${run.number} (${run.phase}) ${run.outcome}; ${job.state}${why}`;
}

/** Records what a Run found out on its way, before the agent starts: base, tip, configuration. */
export async function recordProgress(
  bench: Workbench,
  run: Run,
  jobChange: Partial<Job>,
  said: { readonly subject: string; readonly gates: string; readonly asker: Asker | null },
): Promise<Settled> {
  const updated = await bench.store.update<Settled>({ step: 'progress' }, async (tx) => {
    const job = foundJob(run.job, await tx.job(run.job));
    const superseded = !(await isStillAsked(tx, run, job, said.asker));
    if (superseded) return { job, run, superseded };
    const next: Job = { ...job, ...jobChange, revision: job.revision + 1, updated: tx.now };
    tx.putJob(next);
    await repinGoal(tx, next, run, said.gates);
    tx.putRun(run);
    tx.event({ event: 'run.agent', subject: said.subject, job: job.id, run: run.id });
    return { job: next, run, superseded };
  });
  return updated.result;
}

/** What is begun in this write is what the Job, and the Goal it is for, ask for in it (G4). */
async function isStillAsked(tx: Tx, run: Run, job: Job, asker: Asker | null): Promise<boolean> {
  if (job.state !== 'active' || job.claim?.run !== run.id || !stands(job, run.occurrence)) return false;
  if (asker === null) return true;
  const goal = await tx.goal(asker.id);
  return goal.kind === 'found' && stands(goal.record, asker.occurrence);
}

/** In the write that moves the base of a Round's Job (G11). */
async function repinGoal(tx: Tx, job: Job, run: Run, gates: string | undefined): Promise<void> {
  if (job.goal === null || gates === undefined) return;
  const goal = await tx.goal(job.goal);
  if (goal.kind !== 'found') return;
  const next = repinned(goal.record, job, { config: run.config?.commit ?? null, gates }, tx);
  if (next !== null) tx.putGoal(next);
}

/** Keeps commits alive without any change of a record. */
export async function keepOnly(
  bench: Workbench,
  job: string,
  pins: readonly { readonly commit: Oid; readonly subject: string }[],
): Promise<void> {
  await bench.store.update({ step: 'keep' }, async (tx) => {
    for (const pin of pins) tx.keep({ job, commit: pin.commit, subject: pin.subject });
  });
}

/** Records where a Job's branch begins, and `more`, and makes the branch, as one change under an intent (01, Writes). */
export async function recordMove(
  bench: Workbench,
  run: Run,
  change: Pick<Job, 'onto' | 'tip'>,
  move: RefUpdate,
  { asker = null, more }: { readonly asker?: Asker | null | undefined; readonly more?: (tx: Tx) => Promise<void> } = {},
): Promise<'done' | 'refused' | 'superseded'> {
  const updated = await bench.store.update<'done' | 'superseded'>({ step: 'branch' }, async (tx) => {
    const job = foundJob(run.job, await tx.job(run.job));
    if (!(await isStillAsked(tx, run, job, asker))) return 'superseded';
    tx.putJob({ ...job, ...change, revision: job.revision + 1, updated: tx.now });
    await more?.(tx);
    tx.move(move, `owl: begin ${job.id}`);
    tx.event({ event: 'run.based', subject: `job ${job.id}: branch cut at ${move.new}`, job: job.id, run: run.id });
    return 'done';
  });
  return updated.refused.length > 0 ? 'refused' : updated.result;
}
