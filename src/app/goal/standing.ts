// What a Goal merged, in any of its Rounds, and whether the target has that still (03, "Contained"): `goal revert` takes back only
// what its current Round brought; what an earlier one left there is named with the plain Git that undoes it (G50, G52).

import type { Evidence, Goal } from '../../domain/goal.js';
import { type Brought, standingNote } from '../../domain/undo.js';
import type { Workbench } from '../workbench.js';
import { lookContained } from './contained.js';
import { isTakenBack } from './integration.js';

/** Merges that stand on their target as far as is known here, without a fetch; the newest first. */
export async function standingMerges(
  bench: Pick<Workbench, 'repository'>,
  all: readonly Evidence[],
): Promise<readonly Brought[]> {
  const found = new Map<string, Brought>();
  for (const { type, status, commits, target, round } of all) {
    const { merge } = commits;
    if (type !== 'integration' || status !== 'done' || merge === undefined || target === null) continue;
    const at = await (await bench.repository.engine()).resolve(target.ref);
    const seen = at === null ? 'unknown' : await lookContained(bench, { merge, reverted: isTakenBack(all, merge) }, at);
    if (seen === 'contained') found.set(merge, { round, merge, ref: target.ref });
  }
  return [...found.values()].reverse();
}

/** For a person who has just decided about it, one line each. */
export async function standingNotes(bench: Workbench, { id }: Pick<Goal, 'id'>): Promise<readonly string[]> {
  return (await standingMerges(bench, await (await bench.store.snapshot()).evidence(id))).map(standingNote);
}
