// A step succeeded: the next status, in one write. Who carries the Goal goes on carrying it, and its place is nobody else's (J4).

import type { Goal } from '../../domain/goal.js';
import { moveGoal } from '../../domain/goal-machine.js';
import { stands } from '../../domain/machine.js';
import { foundGoal } from '../goals.js';
import type { Workbench } from '../workbench.js';
import type { Held } from './claim.js';
import { passMoments } from './skills.js';
import type { StepResult } from './step.js';

export interface MoveOn {
  readonly to: 'implement' | 'governance';
  readonly change: Partial<Goal>;
  /** What succeeded, for the event. */
  readonly said: string;
  /** The Job whose Run it was. */
  readonly job?: string | undefined;
}

export async function moveOn(bench: Workbench, { goal }: Held, { to, change, said, job }: MoveOn): Promise<StepResult> {
  if (!(await passMoments(bench, goal, ['success', 'exit']))) return { kind: 'superseded', goal };
  const updated = await bench.store.update<Goal | null>({ step: 'goal-advance' }, async (tx) => {
    const now = foundGoal(goal.id, await tx.goal(goal.id));
    if (!stands(now, goal.occurrence)) return null;
    const next = moveGoal(now, { event: 'advance', to, op: tx.op, at: tx.now }, { claim: now.claim, ...change });
    tx.putGoal(next);
    tx.event({
      event: 'goal.advanced',
      subject: `goal ${goal.id}: ${said}; ${to}`,
      goal: goal.id,
      round: goal.round,
      job,
    });
    return next;
  });
  return updated.result === null ? { kind: 'superseded', goal } : { kind: 'on', goal: updated.result };
}
