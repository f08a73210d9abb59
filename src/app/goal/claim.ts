// The right to carry a Goal through a step: a claim in its record, as a Run's (01, Liveness; G4, G42).

import { OwlError } from '../../domain/errors.js';
import type { AutomatedStatus, Goal } from '../../domain/goal.js';
import { isAutomated, moveGoal } from '../../domain/goal-machine.js';
import { goalCommands } from '../../domain/goal-next.js';
import { stands } from '../../domain/machine.js';
import { isAlive } from '../../system/processes.js';
import { foundGoal } from '../goals.js';
import { loadTaken, sayTaken } from '../run/capacity.js';
import { liveInvocation, whereWeAre } from '../skill/live.js';
import { tokenOf, type Workbench } from '../workbench.js';

/** A Goal in a step that this process carries. `marker` names its scratch folder and marks its processes. */
export interface Held {
  readonly goal: Goal;
  readonly status: AutomatedStatus;
  readonly marker: string;
}

export type GoalClaim =
  | { readonly kind: 'held'; readonly held: Held }
  /** Somebody carries it, or it may not go on. The error is what a person who named it is told. */
  | { readonly kind: 'not-now'; readonly error: OwlError }
  /** `max_parallel` Jobs and Goals are at work. */
  | { readonly kind: 'full'; readonly live: number };

/**
 * Takes the Goal as it is now. A dead claim of this host is taken over; a live one is somebody's. `stepOf`: the step that is carried,
 * where that is not its own status; null: it is. Throws what that and the store throw.
 */
export async function claimGoal(
  bench: Workbench,
  id: string,
  maxParallel: number,
  stepOf: ((goal: Goal) => AutomatedStatus) | null = null,
): Promise<GoalClaim> {
  const here = await whereWeAre(bench);
  const { identity } = here;
  const marker = bench.ids.run();
  const updated = await bench.store.update<GoalClaim>({ step: 'goal-claim' }, async (tx) => {
    const goal = foundGoal(id, await tx.goal(id));
    const status = stepOf === null ? goal.status : stepOf(goal);
    if (!isAutomated(status) || (stepOf === null && goal.window !== null))
      return { kind: 'not-now', error: nothingToCarry(goal) };
    const handler = await liveInvocation(here, tx, goal);
    if (handler !== null) {
      const error = new OwlError('busy', `${handler.skill} is still at work in the checkout of goal ${id}`, {
        preserved: ['nothing was changed'],
        next: ['git owl status'],
      });
      return { kind: 'not-now', error };
    }
    if (goal.claim !== null && isAlive(goal.claim, identity) !== 'dead') {
      const error = new OwlError('busy', `goal ${id} is carried by process ${goal.claim.pid} on ${goal.claim.host}`, {
        preserved: ['nothing was changed'],
        next: ['git owl status'],
      });
      return { kind: 'not-now', error };
    }
    const live = await loadTaken(bench, tx, id);
    if (live >= maxParallel) return { kind: 'full', live };
    const claim = { run: marker, ...identity, since: tx.now };
    // Why it waited is over with that; why it failed is not.
    const reason = stepOf === null ? null : goal.reason;
    const held = moveGoal(
      goal,
      { event: 'record', to: goal.status, op: tx.op, at: tx.now },
      {
        claim,
        reason,
        ...tokenOf(bench),
      },
    );
    tx.putGoal(held);
    tx.event({ event: 'goal.claimed', subject: `goal ${id}: ${status} begins`, goal: id, round: goal.round });
    return { kind: 'held', held: { goal: held, status, marker } };
  });
  return updated.result;
}

/** What is told to whom asked for this very Goal. */
export const whyNotTaken = (id: string, claim: Exclude<GoalClaim, { kind: 'held' }>): OwlError =>
  claim.kind === 'full' ? noRoom('goal', id, claim.live) : claim.error;

/** Throws `nothingToCarry` for a Goal that no process may take. */
export function checkCarried(goal: Goal): void {
  if ((goal.status !== 'todo' && !isAutomated(goal.status)) || goal.window !== null) throw nothingToCarry(goal);
}

export const noRoom = (kind: 'job' | 'goal', id: string, live: number): OwlError =>
  new OwlError('busy', `${kind} ${id} was not taken: ${sayTaken(live)}`, {
    preserved: [`${kind} ${id} keeps its place`],
    next: ['git owl status'],
  });

/** In a handler's window only a decision moves it (G41). */
function nothingToCarry(goal: Goal): OwlError {
  const { id, status, window } = goal;
  const why =
    window === null
      ? `is ${status}; there is no step to carry out`
      : `failed in ${window.step}, and its handler has until ${window.deadline}`;
  return new OwlError('wrong-state', `goal ${id} ${why}`, {
    preserved: ['nothing was changed'],
    next: goalCommands(goal),
  });
}

/** Gives it back as it is: somebody stops, or waits for something. Nothing where another decision came. */
export async function releaseGoal(
  bench: Workbench,
  held: Pick<Held, 'goal' | 'marker'>,
  change: Partial<Pick<Goal, 'reason'>> = {},
): Promise<Goal> {
  const { id, occurrence } = held.goal;
  const updated = await bench.store.update<Goal>({ step: 'goal-release' }, async (tx) => {
    const now = foundGoal(id, await tx.goal(id));
    if (!stands(now, occurrence) || now.claim?.run !== held.marker) return now;
    const next = moveGoal(now, { event: 'record', to: now.status, op: tx.op, at: tx.now }, { ...change, claim: null });
    tx.putGoal(next);
    tx.event({
      event: 'goal.released',
      subject: `goal ${id}: ${now.status} waits${change.reason == null ? '' : `: ${change.reason.text}`}`,
      goal: id,
      round: now.round,
    });
    return next;
  });
  return updated.result;
}
