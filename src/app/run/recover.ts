// Settling Runs whose process is gone (J5; 01, Liveness): their agent is ended first, what they left is kept, the Job is pending
// again in its place.

import { handoffMadeBy } from '../../domain/handoff.js';
import type { Job, Run } from '../../domain/job.js';
import { reason } from '../../domain/reasons.js';
import { changedFiles } from '../../git/diff.js';
import { isAlive } from '../../system/processes.js';
import { endGroup, endMarked } from '../../system/processes-end.js';
import { findJob, jobRef } from '../jobs.js';
import type { Workbench } from '../workbench.js';
import { removeLocksOfDead } from '../workspace/left-locks.js';
import { isDead } from './dead.js';
import { forget } from './forget.js';
import { logFiles } from './kept-log.js';
import { noteOfRun, type RunNote } from './run-note.js';
import { scratchOf } from './scratch.js';
import { settleRun } from './settle.js';

/** Settles every dead Run of this clone. Returns one sentence for each. */
export async function settleDeadRuns(bench: Workbench): Promise<readonly string[]> {
  const said: string[] = [];
  for (const job of await (await bench.store.snapshot()).openJobs()) {
    if (!(await isDead(bench, job))) continue;
    said.push(await settleDead(bench, job, 'git owl was ended while it ran'));
  }
  return said;
}

/**
 * Settles one dead Run as `interrupted`, after the process group that it started was ended. A group that cannot be proven ours
 * is reported, and the Job waits. Returns what was done, one sentence.
 */
export async function settleDead(bench: Workbench, job: Job, why: string): Promise<string> {
  const claim = job.claim;
  if (claim === null) return `job ${job.id} has no live Run`;
  const elsewhere = isAlive(claim, await bench.environment.process()) === 'elsewhere';
  const { note, foreign, ended } = await endStarted(bench, claim.run);
  if (foreign !== null) {
    return `job ${job.id}: its Run is dead, but process group ${foreign} cannot be proven to be its agent; the job waits until it is gone`;
  }
  const locks = ended && !elsewhere ? await removeLocksOfDead(bench, job.id) : [];
  const loaded = await (await bench.store.snapshot()).run(job.id, claim.run);
  if (loaded.kind !== 'found') return `job ${job.id}: the record of its Run is ${loaded.kind}; run git owl fsck`;
  const left = await whatItLeft(bench, job, loaded.record);
  const run: Run = {
    ...loaded.record,
    ...left.run,
    ended_by: 'gone',
    notes: [...loaded.record.notes, why, ...locks.map((path) => `removed ${path}, left by what was killed`)],
  };
  const scratch = scratchOf(bench, run.id);
  const files = new Map(await logFiles(scratch));
  const settled = await settleRun(bench, {
    run,
    // What never started an agent costs nothing (J3): a Run of this host has a note from its agent's start to its end.
    settlement: {
      state: 'pending',
      outcome: 'interrupted',
      closure: null,
      reason: reason('interrupted', why),
      counted: note === null ? elsewhere && run.agent !== null : note.pid !== undefined && note.free !== true,
      notBefore: null,
    },
    job: left.job,
    pins:
      files.size === 0
        ? []
        : [{ job: job.id, commit: left.job.tip ?? job.tip, subject: `log of run ${run.number}`, files }],
  });
  await forget(bench, run.id);
  return `job ${job.id}: run ${run.number} was dead (${why}); the job is ${settled.job.state}${locks.map((path) => `; removed ${path}, which was left`).join('')}`;
}

interface Ended {
  readonly note: RunNote | null;
  /** A group that nothing proves ours: nothing was ended. */
  readonly foreign: number | null;
  /** Nothing that carries the marker is left here. */
  readonly ended: boolean;
}

/** Ends the agent, and whatever else a dead process of ours started under this marker. */
export async function endStarted(bench: Workbench, marker: string): Promise<Ended> {
  const note = (await bench.notes.read<RunNote>(noteOfRun(marker)))?.value ?? null;
  if (note?.pid !== undefined) {
    const group = await endGroup(note.pid, note.start ?? '', { marker });
    if (group.kind === 'not-ours') return { note, foreign: note.pid, ended: false };
  }
  const left = await endMarked(marker);
  return { note, foreign: null, ended: left !== 'inspection-failed' && left.survivors.length === 0 };
}

/** Takes away notes and scratch of Runs that were settled by a process killed just after it. A live Run keeps its own. */
export async function forgetSettled(bench: Workbench, notes: readonly string[]): Promise<void> {
  const runs = notes.filter((name) => name.startsWith('runs/'));
  if (runs.length === 0) return;
  const snapshot = await bench.store.snapshot();
  for (const name of runs) {
    const note = await bench.notes.read<{ readonly job: string }>(name);
    if (note === null) continue;
    const found = await snapshot.run(note.value.job, name.slice('runs/'.length));
    if (found.kind === 'found' && found.record.outcome !== null) await forget(bench, found.record.id);
  }
}

/** Where the branch stands, and what its commits did about the Handoff, when an agent was started on it at `job.tip` (J23). */
async function whatItLeft(
  bench: Workbench,
  job: Job,
  run: Run,
): Promise<{ readonly run: Partial<Run>; readonly job: Partial<Job> }> {
  const engine = await bench.repository.engine();
  const tip = await engine.resolve(jobRef(job));
  const known = run.agent !== null && job.tip !== null && (await engine.exists([job.tip]))[0] === true;
  if (!known || job.tip === null || tip === null) return { run: {}, job: {} };
  const made = handoffMadeBy(await changedFiles(bench.repository, job.tip, tip, { renames: false }));
  const stands = run.phase === 'plan' || made === 'none' ? job.handoff : made;
  return { run: { tip_after: tip, handoff: made }, job: { tip, handoff: stands } };
}

/** Settles the Run of one Job when it is dead, for a command that needs the Job. */
export async function settleDeadOf(bench: Workbench, text: string): Promise<void> {
  const job = await findJob(await bench.store.snapshot(), text);
  if (await isDead(bench, job)) bench.say(await settleDead(bench, job, 'git owl was ended while it ran'));
}
