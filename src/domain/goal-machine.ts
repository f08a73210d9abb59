// The transition table of Goals: the only place where a status changes (03). Pure.

import { OwlError } from './errors.js';
import { AUTOMATED, type AutomatedStatus, CLOSED_GOALS, type Evidence, type Goal, type GoalStatus } from './goal.js';

/** What can happen to a Goal: decisions of people, handlers and Skills, and what the workflow itself does. */
export type GoalEvent =
  | 'move'
  | 'round'
  | 'edit'
  | 'retry'
  | 'approve'
  | 'decline'
  | 'revert'
  | 'reconcile'
  | 'cancel'
  | 'reopen'
  /** Out of the queue, into `plan` (G4). */
  | 'start'
  /** A step succeeded. */
  | 'advance'
  /** A step failed without a handler, or its window closed. */
  | 'fail'
  /** An Error event opened a window (G41). */
  | 'window'
  /** Claim, base, Candidate or evidence of the step that runs. */
  | 'record';

type Row = Readonly<Partial<Record<GoalEvent, readonly GoalStatus[]>>>;

const step = (status: AutomatedStatus, next: GoalStatus, moves: readonly GoalStatus[]): Row => ({
  move: moves,
  round: ['todo'],
  edit: [status],
  retry: ['plan', 'implement', 'quality', 'governance'],
  cancel: ['cancelled'],
  advance: [next],
  fail: ['failed'],
  window: [status],
  record: [status],
  reconcile: ['review'],
});

/** From a status, by an event, to one of these. What is not in the table is refused. */
export const GOAL_TABLE: Readonly<Record<GoalStatus, Row>> = {
  backlog: { move: ['todo'], round: ['todo'], edit: ['backlog'], cancel: ['cancelled'] },
  todo: { move: ['backlog'], round: ['todo'], edit: ['todo'], start: ['plan'], cancel: ['cancelled'] },
  plan: step('plan', 'implement', ['backlog', 'todo', 'implement', 'quality', 'governance']),
  implement: step('implement', 'quality', ['backlog', 'todo', 'plan', 'quality', 'governance']),
  quality: step('quality', 'governance', ['backlog', 'todo', 'plan', 'implement', 'governance']),
  governance: step('governance', 'review', ['backlog', 'todo', 'plan', 'implement', 'quality']),
  review: {
    approve: ['done'],
    decline: ['todo'],
    round: ['todo'],
    revert: ['failed'],
    edit: ['review'],
    cancel: ['cancelled'],
    record: ['review'],
  },
  failed: {
    move: ['backlog', 'todo', 'plan', 'implement', 'quality', 'governance'],
    retry: ['plan', 'implement', 'quality', 'governance'],
    round: ['todo'],
    edit: ['failed'],
    reconcile: ['review'],
    cancel: ['cancelled'],
    record: ['failed'],
  },
  done: { reopen: ['review'], revert: ['failed'], record: ['done'] },
  // Cancelled after its merge was published (G35): that it is taken back is recorded, and it stays cancelled.
  cancelled: { reopen: ['backlog', 'review'], revert: ['cancelled'], record: ['cancelled'] },
};

/** These open a new occurrence though the status stays (01); another status always does. */
const DECISIONS: ReadonlySet<GoalEvent> = new Set(['round', 'edit', 'retry', 'decline', 'reopen', 'start']);

/** @public Verbs that are open in this status, for `goal advance`, reviews and help. */
export const nextGoalEvents = (status: GoalStatus): readonly GoalEvent[] =>
  Object.keys(GOAL_TABLE[status]) as GoalEvent[];

export const goalMayHappen = (status: GoalStatus, event: GoalEvent): boolean => GOAL_TABLE[status][event] !== undefined;

export const isAutomated = (status: GoalStatus): status is AutomatedStatus => AUTOMATED.has(status);

export interface GoalMove {
  readonly event: GoalEvent;
  readonly to: GoalStatus;
  /** Operation id: becomes the decision of the new occurrence. */
  readonly op: string;
  readonly at: string;
}

/**
 * The Goal after the event. A new occurrence clears claim, window, reason and `failed_in`, unless `change` says otherwise.
 * Moving it to the status that it has returns the same object: nothing is to be written (01).
 * Throws OwlError `wrong-state`, naming the status it found, when the table does not have the move.
 */
export function moveGoal(goal: Goal, move: GoalMove, change: Partial<Goal> = {}): Goal {
  if (move.event === 'move' && move.to === goal.status) return goal;
  const targets = GOAL_TABLE[goal.status][move.event];
  if (targets === undefined || !targets.includes(move.to)) throw wrongStatus(goal, move.event, move.to);
  const decided = move.to !== goal.status || DECISIONS.has(move.event);
  const cleared: Partial<Goal> = decided ? { claim: null, window: null, reason: null, failed_in: null } : {};
  return {
    ...goal,
    ...cleared,
    ...change,
    status: move.to,
    revision: goal.revision + 1,
    occurrence: decided ? { number: goal.occurrence.number + 1, decision: move.op } : goal.occurrence,
    updated: move.at,
    closed: CLOSED_GOALS.has(move.to) ? (goal.closed ?? move.at) : null,
  };
}

/** The verb for a status that `move` does not reach. */
const VERB_FOR: Readonly<Partial<Record<GoalStatus, string>>> = {
  cancelled: 'git owl cancel',
  done: 'git owl goal approve',
};

export function wrongStatus(goal: Pick<Goal, 'id' | 'status'>, event: GoalEvent, to?: GoalStatus): OwlError {
  const open = Object.entries(GOAL_TABLE)
    .filter(([, row]) => row[event] !== undefined)
    .map(([status]) => status);
  const fits = GOAL_TABLE[goal.status][event];
  const verb = event === 'move' && to !== undefined ? VERB_FOR[to] : undefined;
  const why = fits === undefined ? `${event} needs ${open.join(' or ')}` : `from there it can go to ${fits.join(', ')}`;
  // After `goal revert` nothing is left to decline: another Round is asked for (G44, G52).
  const rounds = event === 'decline' && GOAL_TABLE[goal.status].round !== undefined;
  const anew = rounds ? [`git owl goal round ${goal.id} "<what to do better>"`] : [];
  return new OwlError('wrong-state', `goal ${goal.id} is ${goal.status}; ${why}`, {
    preserved: ['nothing was changed'],
    next: [verb === undefined ? `git owl show ${goal.id}` : `${verb} ${goal.id}`, ...anew],
    data: { goal: goal.id, status: goal.status },
  });
}

/** Everything that belongs to one Round alone: gone with the Round, or when the Goal goes back into the queue to begin again. */
export const FRESH_ROUND = {
  target: null,
  base: null,
  candidate: null,
  gates: { quality: null, governance: null },
  integration: null,
  allow_guarded: null,
} as const satisfies Partial<Goal>;

/** What a Goal needs before a person can put it into a status; null: nothing is missing. */
export function lacking(goal: Goal, to: GoalStatus): string | null {
  if (isAutomated(to) && goal.base === null) return 'its round was never started; it starts from todo';
  if ((to === 'quality' || to === 'governance') && goal.candidate === null) return 'it has no candidate yet';
  if (to === 'governance' && goal.gates.quality === null) return 'its candidate has not passed quality';
  return null;
}

export interface StepFacts {
  /** Is the plan of the Round made, or was none wanted? */
  readonly planned: boolean;
  /** The Evidence that `gates` names, as it is stored. */
  readonly quality: Pick<Evidence, 'status' | 'candidate'> | null;
  readonly governance: Pick<Evidence, 'status' | 'candidate'> | null;
}

/** `retry`: the first step whose evidence is not valid for the current Candidate (11, Goals). */
export function retryStep(goal: Pick<Goal, 'candidate'>, facts: StepFacts): AutomatedStatus {
  const { candidate } = goal;
  if (candidate === null) return facts.planned ? 'implement' : 'plan';
  const holds = (evidence: StepFacts['quality']): boolean =>
    evidence?.status === 'passed' &&
    evidence.candidate?.base === candidate.base &&
    evidence.candidate.tip === candidate.tip;
  return holds(facts.quality) ? 'governance' : 'quality';
}
