// `cancel`: closes a Job or a Goal; nothing is removed (J30, G53).

import { cancelJob } from '../app/decide/cancel.js';
import { callerOf } from '../app/goal/control.js';
import { cancelGoal } from '../app/goal/decide/close.js';
import { currentRoundJob } from '../app/goal/round-jobs.js';
import { findWork } from '../app/goals.js';
import { settleLeftovers } from '../app/leftovers.js';
import { keepWorktree } from '../app/place.js';
import { type PublishedUnit, readPublication } from '../app/publish/note.js';
import { refuseRoundJob } from '../app/round-job.js';
import { findLive, liveOf, stopWork } from '../app/run/stop.js';
import { openWorkbench, type Workbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import type { Goal } from '../domain/goal.js';
import { goalMayHappen } from '../domain/goal-machine.js';
import type { Job } from '../domain/job.js';
import { mayHappen } from '../domain/machine.js';
import type { Report } from '../output/report.js';
import { decided } from './decided.js';
import { goalDecided, withStanding } from './goal-decided.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  if (!bench.dryRun) await settleLeftovers(bench);
  const work = await findWork(await bench.store.snapshot(), request.args['id'] ?? '');
  if (work.kind === 'goal') return cancelWholeGoal(bench, work.goal);
  refuseRoundJob(work.job, 'cancel');
  await saySent(bench, { kind: 'job', id: work.job.id });
  await endWork(bench, work.job, request.flag('force'));
  const updated = await cancelJob(bench, work.job.id);
  const begun = work.job.onto !== null;
  const anew = work.job.state === 'review' ? '; reopened it begins anew (drop and restore keep the review)' : '';
  if (bench.dryRun)
    return decided(bench, updated, `would be cancelled${begun ? '; branch and worktree would stay' : ''}${anew}`);
  return decided(bench, updated, `is cancelled${begun ? '; branch and worktree stay' : ''}${anew}`, [
    `git owl reopen ${updated.result.id}`,
  ]);
}

/** From any status that is not terminal: what is uncommitted in the Round's worktree is kept, whatever it is (G53). */
async function cancelWholeGoal(bench: Workbench, goal: Goal): Promise<Report> {
  if (goalMayHappen(goal.status, 'cancel')) await endGoal(bench, goal);
  const updated = await cancelGoal(bench, goal.id);
  const said = bench.dryRun
    ? 'would be cancelled; everything of it would stay'
    : 'is cancelled; everything of it stays';
  return withStanding(bench, updated.result, await goalDecided(bench, updated, said));
}

/** Whatever carries it, an agent of its Round, a gate or a check of one, is ended first. */
async function endGoal(bench: Workbench, goal: Goal): Promise<void> {
  const sending = await saySent(bench, { kind: 'goal', id: goal.id });
  if (!sending && !bench.dryRun) {
    const live = await findLive(bench, await bench.store.snapshot(), { kind: 'goal', goal });
    // One that asks for this itself is not ended before it has its answer.
    const asks = live?.invocation !== undefined && callerOf(bench) !== null;
    if (live !== null && !asks) bench.say(`goal ${goal.id}: ${(await stopWork(bench, live, false)).note}`);
  }
  const job = await currentRoundJob(await bench.store.snapshot(), goal);
  if (job !== null) await endWork(bench, job, true);
}

/** A push cannot be taken back: what arrives is recorded, and the work stays cancelled (G35). Is it being sent just now? */
async function saySent(bench: Workbench, unit: PublishedUnit): Promise<boolean> {
  const sent = await readPublication(bench, unit);
  if (sent === null) return false;
  const { act, step } = sent.value;
  const how = step === 'sending' ? 'is being sent' : 'was sent, and may still arrive';
  bench.say(`${unit.kind} ${unit.id}: its ${act} ${how}; what arrives is recorded`);
  return step === 'sending';
}

async function endWork(bench: Workbench, job: Job, force: boolean): Promise<void> {
  if (job.state === 'active' && !bench.dryRun) {
    const live = await liveOf(bench, await bench.store.snapshot(), { kind: 'job', job });
    const stopped = await stopWork(bench, live, false);
    bench.say(`job ${job.id}: ${stopped.note}`);
  } else if (mayHappen(job.state, 'cancel') && job.onto !== null) {
    await keepWorktree(bench, job, null, force, 'cancel');
  }
}
