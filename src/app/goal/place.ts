// The place of a Goal among its siblings: those of its Feature, or those without one (G3).

import { OwlError } from '../../domain/errors.js';
import type { Goal } from '../../domain/goal.js';
import type { Tx } from '../../state/types.js';
import { lastPosition, positionAmong } from '../queue-places.js';

/** `order`: the place wanted, from 1; undefined: the last. Throws OwlError `usage`. */
export async function goalPosition(
  tx: Tx,
  goal: Pick<Goal, 'id' | 'feature'>,
  order: number | undefined,
): Promise<string> {
  if (order === undefined && goal.feature === null) return lastPosition(tx);
  if (order !== undefined && order < 1) throw new OwlError('usage', '--order takes a place, from 1');
  const siblings = (await tx.openGoals()).filter((other) => other.feature === goal.feature && other.id !== goal.id);
  return positionAmong(siblings, (order ?? siblings.length + 1) - 1);
}
