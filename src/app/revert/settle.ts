// The state says that a merge was taken back (G52): it no longer counts as delivered, though its commits are ancestors. Repeatable.

import type { Snapshot } from '../../state/types.js';
import type { PublishedUnit } from '../publish/note.js';
import type { Workbench } from '../workbench.js';
import type { Reverted, RevertFacts, Taken } from './facts.js';
import { isTakenGoal, settleGoal } from './goal.js';
import { isTakenJob, settleJob } from './job.js';

/** Null where the state does not know the unit any more. */
export async function settleRevert(
  bench: Workbench,
  unit: PublishedUnit,
  facts: RevertFacts,
): Promise<Reverted | null> {
  const snapshot = await bench.store.snapshot();
  if ((await (unit.kind === 'job' ? snapshot.job(unit.id) : snapshot.goal(unit.id))).kind !== 'found') return null;
  return unit.kind === 'job'
    ? { kind: 'job', job: await settleJob(bench, unit.id, facts) }
    : { kind: 'goal', goal: await settleGoal(bench, unit.id, facts) };
}

/** Does its record still name this as delivered? */
export async function isDelivered(
  snapshot: Snapshot,
  unit: PublishedUnit,
  taken: Pick<Taken, 'merges' | 'integration'>,
): Promise<boolean> {
  if (unit.kind === 'job') {
    const loaded = await snapshot.job(unit.id);
    return loaded.kind === 'found' && isTakenJob(loaded.record, taken.merges);
  }
  const loaded = await snapshot.goal(unit.id);
  return loaded.kind === 'found' && isTakenGoal(loaded.record, taken);
}
