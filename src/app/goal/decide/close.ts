// `cancel`, `reopen` and `goal delete`: nothing but the records changes (G53; 11, Goals).

import { OwlError } from '../../../domain/errors.js';
import { CLOSED_GOALS, type Goal } from '../../../domain/goal.js';
import { FRESH_ROUND, moveGoal } from '../../../domain/goal-machine.js';
import type { Updated } from '../../../state/types.js';
import { findGoal } from '../../goals.js';
import { refuseUnknown } from '../../publish/note.js';
import { requestOf, updateOrTry } from '../../try.js';
import type { Workbench } from '../../workbench.js';
import { decideGoal } from '../control.js';
import { standsMerged } from '../integration.js';
import { roundJobs } from '../round-jobs.js';

/** Who works on it is superseded; the caller stops it first. Throws OwlError `wrong-state`. */
export const cancelGoal = (bench: Workbench, id: string): Promise<Updated<Goal>> =>
  decideGoal(bench, { goal: id, verb: 'cancel' }, (goal, tx) => {
    // Selecting the status that it already has writes nothing (01).
    if (goal.status === 'cancelled') return null;
    const move = { event: 'cancel', to: 'cancelled', op: tx.op, at: tx.now } as const;
    return { goal: moveGoal(goal, move), event: 'goal.cancelled', said: `cancelled, was ${goal.status}` };
  });

/**
 * A cancelled Goal goes to the backlog, a done one to review; one whose Round is merged and was cancelled after that, too, or it
 * would be done and merged a second time. Throws OwlError `wrong-state`.
 */
export const reopenGoal = (bench: Workbench, id: string): Promise<Updated<Goal>> =>
  decideGoal(bench, { goal: id, verb: 'reopen' }, async (goal, tx) => {
    const to = goal.status === 'cancelled' && !standsMerged(goal, await tx.evidence(goal.id)) ? 'backlog' : 'review';
    const change = to === 'backlog' && goal.candidate === null ? FRESH_ROUND : {};
    const next = moveGoal(goal, { event: 'reopen', to, op: tx.op, at: tx.now }, change);
    return { goal: next, event: 'goal.reopened', said: `open again, ${to}` };
  });

/** Leaves a tombstone; branches and what is kept stay. Throws OwlError `wrong-state`, `superseded`. */
export async function deleteGoal(bench: Workbench, id: string): Promise<Updated<{ readonly id: string }>> {
  const found = await findGoal(await bench.store.snapshot(), id);
  const request = requestOf(bench, 'goal delete', found);
  return updateOrTry(bench, { step: 'goal-delete', ...(request === undefined ? {} : { request }) }, async (tx) => {
    const goal = await findGoal(tx, found.id);
    await refuseUnknown(bench, { kind: 'goal', id: goal.id }, { closed: true });
    if (goal.status !== 'backlog' && !CLOSED_GOALS.has(goal.status)) {
      throw new OwlError('wrong-state', `goal ${goal.id} is ${goal.status}; delete needs backlog, done or cancelled`, {
        preserved: ['nothing was changed'],
        next: [`git owl cancel ${goal.id}`],
        data: { goal: goal.id, status: goal.status },
      });
    }
    for (const job of await roundJobs(tx, goal)) tx.bury(job.id);
    tx.buryGoal(goal.id);
    tx.event({ event: 'goal.deleted', subject: `goal ${goal.id}: deleted: ${goal.title}`, goal: goal.id });
    return { id: goal.id };
  });
}
