// `goal approve`: done, without merging or pushing; only while the target, and the published one, contains the integration (G51).

import { OwlError } from '../../../domain/errors.js';
import type { Evidence, Goal } from '../../../domain/goal.js';
import { goalMayHappen, moveGoal, wrongStatus } from '../../../domain/goal-machine.js';
import { isTakenBack } from '../../../domain/undo.js';
import type { Updated } from '../../../state/types.js';
import { findGoal } from '../../goals.js';
import { answeredBefore, requestOf } from '../../try.js';
import type { Workbench } from '../../workbench.js';
import { decideGoal } from '../control.js';
import { observeTarget, sayLacking, targetOf, whereLacking } from '../observe.js';

/** Throws OwlError `wrong-state`, `refused`, `remote`, `superseded`, and what finding a Goal throws. */
export async function approveGoal(
  bench: Workbench,
  id: string,
  asked: { readonly reason: string | undefined; readonly expectRevision: number | undefined },
): Promise<Updated<Goal>> {
  const snapshot = await bench.store.snapshot();
  const found = await findGoal(snapshot, id);
  const before = await answeredBefore<Goal>(bench, requestOf(bench, 'goal approve', found));
  if (before !== null) return { result: before, commit: null, repeated: true, refused: [] };
  // Approving what is done already changes nothing (01).
  if (found.status === 'done') return { result: found, commit: null, repeated: false, refused: [] };
  if (!goalMayHappen(found.status, 'approve')) throw wrongStatus(found, 'approve');
  await checkContained(bench, found, await snapshot.evidence(found.id));
  return decideGoal(bench, { goal: found.id, verb: 'approve', ...asked }, (goal, tx) => {
    if (goal.integration !== found.integration) {
      throw new OwlError('superseded', `goal ${goal.id} was decided about while its target was looked at`, {
        preserved: ['nothing was changed'],
        next: [`git owl show ${goal.id}`],
      });
    }
    const next = moveGoal(goal, { event: 'approve', to: 'done', op: tx.op, at: tx.now });
    return { goal: next, event: 'goal.approved', said: `approved, round ${goal.round}` };
  });
}

async function checkContained(bench: Workbench, goal: Goal, all: readonly Evidence[]): Promise<void> {
  const preserved = ['nothing was changed'];
  const next = [`git owl show ${goal.id}`, `git owl goal decline ${goal.id} "<what to do>"`];
  const integration = all.find((one) => one.id === goal.integration);
  if (integration === undefined)
    throw new OwlError('refused', `goal ${goal.id} has no integration to approve`, { preserved, next });
  const { merge } = integration.commits;
  if (merge === undefined)
    throw new OwlError('refused', `the integration of goal ${goal.id} names no merge`, { preserved, next });
  const observed = await observeTarget(bench, goal, 'as-it-is');
  const lacking = await whereLacking(bench, { merge, reverted: isTakenBack(all, merge) }, [targetOf(observed)]);
  if (lacking === null) return;
  const why = `goal ${goal.id} cannot be approved: its integration ${sayLacking(lacking)}`;
  throw new OwlError('refused', why, { preserved, next });
}
