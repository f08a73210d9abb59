// The integration of our own that names the current Candidate, still on the target by fresh looks (G54).

import type { Oid } from '../../domain/git.js';
import type { Evidence, Goal } from '../../domain/goal.js';
import { decideReconcile } from '../../domain/reconcile.js';
import { isTakenBack } from '../../domain/undo.js';
import type { Workbench } from '../workbench.js';
import { pinnedPolicy } from './current-target.js';
import { type Observed, sayLacking, whereLacking } from './observe.js';
import { bringUp, type Found, factsOf, refusedGoal } from './reconcile-facts.js';

/** Throws OwlError `refused`, naming what is missing. */
export async function ownIntegration(
  bench: Workbench,
  goal: Goal,
  all: readonly Evidence[],
  observed: Observed,
): Promise<Found> {
  const integration = await onTarget(bench, goal, all, observed);
  const loaded = await pinnedPolicy(bench, goal);
  const decided = decideReconcile(await factsOf(bench, goal, all, loaded));
  if (decided.kind === 'refused') throw refusedGoal(goal, decided.why);
  return { goal, integration, observed, loaded, quality: decided.quality, governance: decided.governance };
}

/** Begun, or not known to have arrived, is enough: that it is there is what was looked for. */
const COUNTS: ReadonlySet<Evidence['status']> = new Set(['begun', 'unknown', 'done']);

async function onTarget(bench: Workbench, goal: Goal, all: readonly Evidence[], observed: Observed): Promise<Evidence> {
  const { local, published } = observed;
  let why = 'no integration of its current round names its candidate';
  let next: readonly string[] = [];
  for (const one of all.toReversed()) {
    const { merge } = one.commits;
    if (one.type !== 'integration' || one.round !== goal.round || !COUNTS.has(one.status) || merge === undefined)
      continue;
    if (one.candidate?.tip !== goal.candidate?.tip || one.candidate?.base !== goal.candidate?.base) continue;
    const reverted = isTakenBack(all, merge as Oid);
    const lacking = await whereLacking(bench, { merge, reverted }, [local, published]);
    if (lacking === null) return one;
    why = `its integration ${sayLacking(lacking)}`;
    next = bringUp(observed, lacking.ref);
  }
  throw refusedGoal(goal, why, next);
}
