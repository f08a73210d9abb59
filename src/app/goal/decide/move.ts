// `goal move`: a status by decision, of a person or of a handler in its window (G41, G42). Between backlog and todo it is state alone (G1).

import { OwlError } from '../../../domain/errors.js';
import type { Goal, GoalStatus } from '../../../domain/goal.js';
import { FRESH_ROUND, isAutomated, lacking, moveGoal } from '../../../domain/goal-machine.js';
import type { Updated } from '../../../state/types.js';
import type { Workbench } from '../../workbench.js';
import { callerOf, decideGoal } from '../control.js';
import { AS_IT_IS, currentRoundJob, requeueJob } from '../round-jobs.js';
import { refuseMergedRound } from './merged-round.js';

export interface MoveRequest {
  readonly to: GoalStatus;
  readonly reason: string | undefined;
  readonly expectRevision: number | undefined;
  /** Also while a step of it is at work, which is superseded. */
  readonly force: boolean;
  /** Guarded paths of the current Candidate are allowed; void for another one (11, Goals). */
  readonly allowGuarded: boolean;
}

/** Throws OwlError `wrong-state`, `refused`, `superseded`, and what finding a Goal throws. */
export function moveGoalTo(bench: Workbench, id: string, request: MoveRequest): Promise<Updated<Goal>> {
  const { reason, expectRevision, ...content } = request;
  const decision = { goal: id, verb: 'move', content, reason, expectRevision };
  return decideGoal(bench, decision, async (goal, tx) => {
    const moved = moveGoal(
      goal,
      { event: 'move', to: request.to, op: tx.op, at: tx.now },
      isAutomated(request.to) ? allowed(goal, request) : FRESH_ROUND,
    );
    if (moved === goal) return null;
    if (request.to !== 'backlog') await refuseMergedRound(tx, goal);
    if (isAutomated(goal.status) && goal.window === null && !request.force && !isAskedFor(bench))
      throw refused(goal, `is at work: ${goal.status}`, `git owl goal move ${goal.id} ${request.to} --force`);
    const missing = lacking(goal, request.to);
    if (missing !== null) throw refused(goal, `cannot go to ${request.to}: ${missing}`, `git owl show ${goal.id}`);
    if (request.to === 'plan' || request.to === 'implement')
      requeueJob(tx, goal, await currentRoundJob(tx, goal), { ...AS_IT_IS, phase: PHASES[request.to] });
    const guarded = request.allowGuarded ? ', with guarded paths allowed' : '';
    return { goal: moved, event: 'goal.moved', said: `from ${goal.status} to ${request.to}${guarded}` };
  });
}

/** By a Skill of that very step: it waits for the Skill, and looks at what was decided before it goes on (G42, G63). */
const isAskedFor = (bench: Workbench): boolean => (callerOf(bench)?.occurrence ?? null) !== null;

const PHASES = { plan: 'plan', implement: 'execute' } as const;

/** What is allowed is recorded with the very Candidate it was said for. */
function allowed(goal: Goal, request: MoveRequest): Partial<Goal> {
  if (!request.allowGuarded) return {};
  if (goal.candidate !== null) return { allow_guarded: goal.candidate.id };
  throw refused(goal, 'has no candidate whose guarded paths could be allowed', `git owl show ${goal.id}`);
}

const refused = (goal: Goal, why: string, next: string): OwlError =>
  new OwlError('refused', `goal ${goal.id} ${why}`, { preserved: ['nothing was changed'], next: [next] });
