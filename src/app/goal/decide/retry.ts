// `retry` of a Goal that failed: it goes on with the first step whose evidence is not valid for the current Candidate (11, Goals).

import { OwlError } from '../../../domain/errors.js';
import type { AutomatedStatus, Goal } from '../../../domain/goal.js';
import { isAutomated, moveGoal, retryStep, wrongStatus } from '../../../domain/goal-machine.js';
import type { Job } from '../../../domain/job.js';
import type { Tx, Updated } from '../../../state/types.js';
import { checkRetry, type RetryRequest } from '../../decide/retry.js';
import type { Workbench } from '../../workbench.js';
import { type Decision, decideGoal } from '../control.js';
import { currentRoundJob, requeueJob } from '../round-jobs.js';
import { refuseMergedRound } from './merged-round.js';

/** Throws OwlError `wrong-state`, `refused`, `usage`, `superseded`, and what finding a Goal throws. */
export function retryGoal(
  bench: Workbench,
  id: string,
  request: RetryRequest,
  given: Pick<Decision, 'reason' | 'expectRevision'> = {},
): Promise<Updated<Goal>> {
  checkRetry(request);
  return decideGoal(bench, { goal: id, verb: 'retry', content: request, ...given }, async (goal, tx) => {
    // While a step runs by itself there is nothing to retry; in the window of its Error event there is (G41).
    if (isAutomated(goal.status) && goal.window === null) throw wrongStatus(goal, 'retry');
    await refuseMergedRound(tx, goal);
    const job = await currentRoundJob(tx, goal);
    const to = await stepOf(tx, goal, job);
    const next = moveGoal(goal, { event: 'retry', to, op: tx.op, at: tx.now });
    if (to === 'plan' || to === 'implement') requeueJob(tx, goal, job, { ...request, phase: null });
    else refuseWords(goal, to, request);
    return { goal: next, event: 'goal.retried', said: `goes on with ${to}` };
  });
}

/** A Goal whose Round was never started begins with its first step. */
async function stepOf(tx: Tx, goal: Goal, job: Job | null): Promise<AutomatedStatus> {
  const evidence = await tx.evidence(goal.id);
  const named = (id: string | null) => evidence.find((one) => one.id === id) ?? null;
  const planned = job !== null && job.phase === 'execute';
  const { quality, governance } = goal.gates;
  return retryStep(goal, { planned, quality: named(quality), governance: named(governance) });
}

/** Quality and governance judge what is there: nobody reads a message, and no branch is cut again. */
function refuseWords(goal: Goal, to: AutomatedStatus, request: RetryRequest): void {
  if (request.message === undefined && !request.restart && request.ttl === undefined) return;
  throw new OwlError(
    'usage',
    `goal ${goal.id} goes on with ${to}, where no agent works on it; a new round asks for more`,
    {
      preserved: ['nothing was changed'],
      next: [`git owl retry ${goal.id}`, `git owl goal round ${goal.id} "<what to do better>"`],
    },
  );
}
