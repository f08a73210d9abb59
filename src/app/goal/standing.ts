// What a Goal merged, in any of its Rounds, and whether the target has that still (03, "Contained"): `goal revert` takes it back, where
// the Goal's status allows that and all lies on one target; else it is named with the plain Git that undoes it (G50, G52).

import type { Evidence, Goal } from '../../domain/goal.js';
import { type Brought, revertable, roundMerges, standingNote } from '../../domain/undo.js';
import type { Workbench } from '../workbench.js';
import { lookContained } from './contained.js';

/** Merges that stand on their target as far as is known here, without a fetch; the newest first. */
export async function standingMerges(
  bench: Pick<Workbench, 'repository'>,
  goal: Pick<Goal, 'status' | 'integration'>,
  all: readonly Evidence[],
): Promise<readonly Brought[]> {
  const ours = new Set(revertable(goal, all).map(({ merge }) => merge));
  const found: Brought[] = [];
  for (const { round, merge, target } of roundMerges(all)) {
    const at = await (await bench.repository.engine()).resolve(target.ref);
    const seen = at === null ? 'unknown' : await lookContained(bench, { merge, reverted: false }, at);
    if (seen === 'contained') found.push({ round, merge, ref: target.ref, ours: ours.has(merge) });
  }
  return found;
}

/** For a person who has just decided about it, one line each. */
export async function standingNotes(
  bench: Workbench,
  goal: Pick<Goal, 'id' | 'status' | 'integration'>,
): Promise<readonly string[]> {
  const all = await (await bench.store.snapshot()).evidence(goal.id);
  return (await standingMerges(bench, goal, all)).map((one) => standingNote(goal.id, one));
}
