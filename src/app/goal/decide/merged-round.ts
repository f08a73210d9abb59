// A Round is merged once: what it brought, and what took that back, is in its target's history for good, and only a new Round brings it
// again (G32, G44, G52).

import { OwlError } from '../../../domain/errors.js';
import type { Goal } from '../../../domain/goal.js';
import type { Tx } from '../../../state/types.js';

/** Throws OwlError `refused` where the current Round was merged, whatever became of that. */
export async function refuseMergedRound(tx: Tx, goal: Goal): Promise<void> {
  const refusal = await mergedRound(tx, goal);
  if (refusal !== null) throw refusal;
}

/** Why nothing merges the current Round; null: it was not merged so far. */
export async function mergedRound(tx: Pick<Tx, 'evidence'>, { id, round, reason }: Goal): Promise<OwlError | null> {
  const merged = (await tx.evidence(id)).some(
    (one) => one.type === 'integration' && one.status === 'done' && one.round === round,
  );
  if (!merged && reason?.code !== 'reverted') return null;
  const what = reason?.code === 'reverted' ? 'was reverted' : `has merged its round ${round} already`;
  return new OwlError('refused', `goal ${id} ${what}; a new round brings its work again`, {
    preserved: ['nothing was changed'],
    next: [`git owl goal round ${id} "<what to do better>" --from ${round}`],
  });
}
