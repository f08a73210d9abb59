// The Round's own integration evidence, and whether the target still has what it names (03, "Contained").

import type { Oid } from '../../domain/git.js';
import type { Evidence, Goal } from '../../domain/goal.js';
import { isTakenBack } from '../../domain/undo.js';
import type { Workbench } from '../workbench.js';
import { type Containment, lookContained } from './contained.js';

/** The merge of the Goal's current integration, where that was carried to its end; else null. */
function mergeOf(goal: Goal, all: readonly Evidence[]): Oid | null {
  const found = all.find(({ id }) => id === goal.integration);
  return found?.status === 'done' ? (found.commits.merge ?? null) : null;
}

/** Is the current Round merged, as far as its evidence says, and was that not taken back by us? */
export function standsMerged(goal: Goal, all: readonly Evidence[]): boolean {
  const merge = mergeOf(goal, all);
  return merge !== null && !isTakenBack(all, merge);
}

/** False also where nothing of this Round was integrated to its end. */
export async function isContained(bench: Workbench, goal: Goal, target: Oid): Promise<boolean> {
  if (goal.integration === null) return false;
  const all = await (await bench.store.snapshot()).evidence(goal.id);
  const merge = mergeOf(goal, all);
  if (merge === null) return false;
  return (await lookContained(bench, { merge, reverted: isTakenBack(all, merge) }, target)) === 'contained';
}

/** From what is known here, without a fetch: null where nothing was integrated to its end (G50, G51). */
export async function lookDelivered(
  bench: Pick<Workbench, 'repository'>,
  goal: Pick<Goal, 'integration'>,
  all: readonly Evidence[],
): Promise<Containment | null> {
  const found = all.find(({ id }) => id === goal.integration);
  const merge = found?.commits.merge;
  if (found?.status !== 'done' || merge === undefined || found.target === null) return null;
  const target = await (await bench.repository.engine()).resolve(found.target.ref);
  if (target === null) return 'unknown';
  return lookContained(bench, { merge, reverted: isTakenBack(all, merge) }, target);
}
