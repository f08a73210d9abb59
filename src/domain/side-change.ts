// What one side of two states did to a piece of work since they parted: a person decided, or it went on by itself (05, S4). Pure.

import { AUTOMATED, GOAL_STATUSES, type Goal } from './goal.js';
import { CLOSED_STATES, type Job } from './job.js';

/** `automatic`: a claim, or how a Run or step ended. `decision`: any other decision of a person, handler or Skill. */
export type SideChange = 'automatic' | 'cancel' | 'reopen' | 'decision';

export function changeOfJob(base: Job, side: Job): SideChange {
  if (side.state === 'cancelled') return 'cancel';
  if (CLOSED_STATES.has(base.state) && !CLOSED_STATES.has(side.state)) return 'reopen';
  if (side.state === 'active') return 'automatic';
  // Found on its base: nobody decided that.
  if (side.state === 'done') return side.merged?.by === 'hand' ? 'automatic' : 'decision';
  if (side.state !== 'pending') return 'automatic';
  if (base.state === 'active') return 'automatic';
  return base.state === 'pending' && side.last_run !== base.last_run ? 'automatic' : 'decision';
}

export function changeOfGoal(base: Goal, side: Goal): SideChange {
  if (side.status === 'cancelled') return 'cancel';
  if ((base.status === 'done' || base.status === 'cancelled') && !isClosed(side)) return 'reopen';
  const began = base.status === 'todo' || AUTOMATED.has(base.status);
  if (!began || side.round !== base.round) return 'decision';
  if (side.status === 'failed') return 'automatic';
  // The same step in a new occurrence was decided; without one, its worker wrote down what it found.
  if (side.status === base.status) return side.occurrence.number === base.occurrence.number ? 'automatic' : 'decision';
  return order(side) > order(base) && order(side) <= GOAL_STATUSES.indexOf('review') ? 'automatic' : 'decision';
}

const isClosed = ({ status }: Goal): boolean => status === 'done' || status === 'cancelled';
const order = ({ status }: Goal): number => GOAL_STATUSES.indexOf(status);

/**
 * Which of two sides may speak, where both went on by themselves from one state: the one whose claim on the remote is the later
 * (S7). Null: a person decided, or neither claim is.
 */
export function laterClaim<T extends Job | Goal>(
  ours: T,
  theirs: T,
  changes: readonly [SideChange, SideChange],
): T | null {
  if (changes.some((change) => change !== 'automatic')) return null;
  // What is on the target is there, whoever might have done it.
  const arrived = [ours, theirs].filter((side) => side.kind === 'goal' && side.status === 'review');
  if (arrived.length === 1) return arrived[0] ?? null;
  const [one, other] = [ours.token ?? 0, theirs.token ?? 0];
  return one === other ? null : one > other ? ours : theirs;
}

/**
 * A Round that is merged on one side, while a person spoke of the very same Round on the other and did not know: an edit leaves the Goal
 * in review, any other decision is for a person again, since a Round is merged once (G32). Null: it is not so.
 */
export function settleArrived(
  base: Goal,
  { ours, theirs }: { readonly ours: Goal; readonly theirs: Goal },
  changes: readonly [SideChange, SideChange],
): 'ours' | 'theirs' | 'neither' | null {
  const here = changes[0] === 'automatic' && changes[1] === 'decision';
  const there = changes[0] === 'decision' && changes[1] === 'automatic';
  const [came, other] = here ? [ours, theirs] : [theirs, ours];
  if (!(here || there) || came.status !== 'review' || came.round !== other.round) return null;
  if (other.status !== base.status) return 'neither';
  return here ? 'ours' : 'theirs';
}

/**
 * Which of two changes counts: an automatic one yields to a decision, cancel wins over all but reopen, else neither.
 * The order of the two does not matter.
 */
export function settleChanges(ours: SideChange, theirs: SideChange): 'ours' | 'theirs' | 'neither' {
  if (ours === theirs) return 'neither';
  if (ours === 'automatic') return 'theirs';
  if (theirs === 'automatic') return 'ours';
  if (ours === 'cancel') return theirs === 'reopen' ? 'neither' : 'ours';
  if (theirs === 'cancel') return ours === 'reopen' ? 'neither' : 'theirs';
  return 'neither';
}
