// Plan and implement: the Runs of the Round's Job, carried by the same engine as any Job's; at the end there is a Candidate (G11, G12).

import type { Goal } from '../../domain/goal.js';
import { moveGoal } from '../../domain/goal-machine.js';
import { goalReason } from '../../domain/goal-reasons.js';
import type { Job, Reason, Run } from '../../domain/job.js';
import { stands } from '../../domain/machine.js';
import { reason } from '../../domain/reasons.js';
import { promptOf } from '../../domain/round-prompt.js';
import { failpoint } from '../../system/failpoint.js';
import { currentRound, foundGoal } from '../goals.js';
import { foundJob } from '../jobs.js';
import { sayTaken } from '../run/capacity.js';
import { claimJob } from '../run/claim.js';
import { carryOut } from '../run/one-run.js';
import type { Workbench } from '../workbench.js';
import { type Held, releaseGoal } from './claim.js';
import { failStep } from './fail.js';
import { moveOn } from './move-on.js';
import { AS_IT_IS, currentRoundJob, requeueJob } from './round-jobs.js';
import { passMoments } from './skills.js';
import type { StepResult } from './step.js';

/** One step of the Round's Job: its plan Run, or its execute Run. */
export async function roundStep(
  bench: Workbench,
  held: Held,
  options: { readonly maxParallel: number; readonly onRun: (run: Run) => void },
): Promise<StepResult> {
  const { goal, status } = held;
  const found = await currentRoundJob(await bench.store.snapshot(), goal);
  if (found === null)
    return failStep(bench, held, { why: reason('unknown-here', `the job of round ${goal.round} is not here`) });
  const job = await renewJob(bench, held, found);
  if (status === 'plan' && job.phase === 'execute' && job.goal !== null)
    return moveOn(bench, held, { to: 'implement', change: {}, said: 'no plan is wanted' });
  const wanted = status === 'plan' ? 'plan' : 'execute';
  // A process that died after its Run was settled left the rest to us.
  if (job.state !== 'pending' || job.phase !== wanted) return settleRound(bench, held, job, null);
  const claimed = await claimJob(bench, { id: job.id, maxParallel: options.maxParallel, goal });
  if (claimed.kind === 'full') return waits(bench, held, goalReason('no-room', sayTaken(claimed.live)));
  if (claimed.kind === 'not-now') return waits(bench, held, reason('interrupted', claimed.error.message));
  const settled = await carryOut(bench, claimed);
  options.onRun(settled.run);
  const now = foundGoal(goal.id, await (await bench.store.snapshot()).goal(goal.id));
  // What this Run answered, or was stopped from answering, is not what is asked any more.
  if (!stands(now, goal.occurrence)) return { kind: 'superseded', goal: now };
  return settleRound(bench, held, settled.job, settled.run);
}

/**
 * The Round's request may have been edited since its Job was told it: the Round's record is what counts, and what was planned or done
 * for what was asked before does not answer it (G11, G42). Throws OwlError `refused` when the Job has no Runs left.
 */
async function renewJob(bench: Workbench, { goal, status }: Held, { id }: Job): Promise<Job> {
  const updated = await bench.store.update<Job>({ step: 'goal-prompt' }, async (tx) => {
    const job = foundJob(id, await tx.job(id));
    const round = await currentRound(tx, goal);
    if (round === null || job.state === 'active') return job;
    const text = promptOf(goal, round, await tx.rounds(goal.id), await tx.evidence(goal.id));
    if (text === (await tx.prompt(id))) return job;
    tx.putPrompt(id, text);
    requeueJob(tx, goal, job, { ...AS_IT_IS, phase: status === 'plan' && job.planned ? 'plan' : 'execute' });
    tx.event({ event: 'job.edited', subject: `job ${id}: its round asks for something else`, job: id, goal: goal.id });
    return foundJob(id, await tx.job(id));
  });
  return updated.result;
}

/** What the Run left decides what becomes of the Goal. */
async function settleRound(bench: Workbench, held: Held, job: Job, run: Run | null): Promise<StepResult> {
  const { goal, status } = held;
  if (run?.superseded === true) return { kind: 'superseded', goal };
  switch (job.state) {
    case 'pending':
      if (status === 'plan' && job.phase === 'execute') {
        return moveOn(bench, held, { to: 'implement', change: {}, said: 'planned', job: job.id });
      }
      // A usage limit, or somebody stopped it: the Goal stays where it is.
      return waits(bench, held, job.reason);
    case 'active':
      return waits(bench, held, reason('interrupted', `run ${job.runs} of job ${job.id} is live`));
    case 'review':
      if (job.no_change !== null) return failStep(bench, held, { why: goalReason('no-change', job.no_change) });
      return makeCandidate(bench, held, job);
    case 'done':
      return failStep(bench, held, { why: goalReason('no-change', 'everything it did is on the target already') });
    case 'blocked':
    case 'escalated':
    case 'exhausted':
    case 'cancelled': {
      const why = job.reason ?? reason('exhausted', `job ${job.id} is ${job.state}`);
      return failStep(bench, held, { why });
    }
  }
}

/** The clean commit of the execute Run, with the base it stands on, is the Candidate (G12). */
async function makeCandidate(bench: Workbench, held: Held, job: Job): Promise<StepResult> {
  const { goal } = held;
  const tip = job.tip;
  const onto = job.onto;
  if (tip === null || onto === null)
    return failStep(bench, held, { why: reason('unknown-here', `job ${job.id} has no tip`) });
  if (!(await passMoments(bench, goal, ['success', 'exit']))) return { kind: 'superseded', goal };
  await failpoint('goal.before-candidate');
  const updated = await bench.store.update<Goal | null>({ step: 'goal-candidate' }, async (tx) => {
    const now = foundGoal(goal.id, await tx.goal(goal.id));
    if (!stands(now, goal.occurrence)) return null;
    const id = bench.ids.run();
    tx.putCandidate({
      schema: 1,
      kind: 'candidate',
      id,
      goal: goal.id,
      round: goal.round,
      base: onto.oid,
      tip,
      made_by: 'implement',
      replaces: now.candidate?.id ?? null,
      made: tx.now,
    });
    const next = moveGoal(
      now,
      { event: 'advance', to: 'quality', op: tx.op, at: tx.now },
      {
        claim: now.claim,
        base: onto,
        candidate: { id, base: onto.oid, tip },
        gates: { quality: null, governance: null },
      },
    );
    tx.putGoal(next);
    tx.event({
      event: 'goal.advanced',
      subject: `goal ${goal.id}: round ${goal.round} has a candidate, ${tip}; quality`,
      goal: goal.id,
      job: job.id,
      round: goal.round,
    });
    return next;
  });
  await failpoint('goal.after-candidate');
  return updated.result === null ? { kind: 'superseded', goal } : { kind: 'on', goal: updated.result };
}

async function waits(bench: Workbench, held: Held, why: Reason | null): Promise<StepResult> {
  return { kind: 'waits', goal: await releaseGoal(bench, held, { reason: why }) };
}
