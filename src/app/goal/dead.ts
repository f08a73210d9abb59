// What a process that died while it carried a Goal left: its gate, the Run of its Round's Job, a merge on its way (01, Liveness; G32).

import { isOwlError, type OwlError } from '../../domain/errors.js';
import type { Goal } from '../../domain/goal.js';
import { isAutomated } from '../../domain/goal-machine.js';
import { reason } from '../../domain/reasons.js';
import { isAlive } from '../../system/processes.js';
import { settleDeadGate } from '../gates/recover.js';
import { settleLeftovers } from '../leftovers.js';
import { refuseUnknown } from '../publish/note.js';
import { isDead } from '../run/dead.js';
import { settleDead } from '../run/recover.js';
import type { Workbench } from '../workbench.js';
import { releaseGoal } from './claim.js';
import { currentRoundJob } from './round-jobs.js';

/**
 * Ends what it started, and finds out what it had published; its claim stays. Null: the Goal may go on. Otherwise why it has to
 * wait: OwlError `busy` for a process that cannot be proven ours, `remote` while nobody knows whether its merge arrived.
 */
export async function endDeadWork(bench: Workbench, goal: Goal): Promise<OwlError | null> {
  const { claim } = goal;
  if (claim !== null && isAlive(claim, await bench.environment.process()) === 'dead') {
    const foreign = await endDeadGate(bench, goal, claim.run);
    if (foreign !== null) return foreign;
    await settleLeftovers(bench);
  }
  try {
    await refuseUnknown(bench, { kind: 'goal', id: goal.id }, { continuing: 'merge' });
    return null;
  } catch (error) {
    if (isOwlError(error, 'busy') || isOwlError(error, 'remote')) return error;
    throw error;
  }
}

async function endDeadGate(bench: Workbench, goal: Goal, marker: string): Promise<OwlError | null> {
  const job = await currentRoundJob(await bench.store.snapshot(), goal);
  if (job !== null && (await isDead(bench, job)))
    bench.say(await settleDead(bench, job, 'git owl was ended while it ran'));
  return settleDeadGate(bench, goal.id, marker);
}

/** For somebody who does not go on with it: what it started is ended, and nobody carries it. Returns what was done, one sentence. */
export async function settleDeadGoal(bench: Workbench, goal: Goal, why: string): Promise<string> {
  const { status, claim } = goal;
  if (claim === null) return `goal ${goal.id} is carried by nobody`;
  const foreign = await endDeadGate(bench, goal, claim.run);
  if (foreign !== null) return foreign.message;
  // Why it failed stands, whoever looked at it since.
  const change = isAutomated(status) ? { reason: reason('interrupted', why) } : {};
  await releaseGoal(bench, { goal, marker: claim.run }, change);
  return `goal ${goal.id}: ${status} was ended (${why})`;
}
