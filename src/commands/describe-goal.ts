// A Goal as commands publish it: its record with the Evidence of its integration; and lists of both kinds of work.

import { lookDelivered } from '../app/goal/integration.js';
import type { Workbench } from '../app/workbench.js';
import { CLOSED_GOALS, type Goal } from '../domain/goal.js';
import type { Unit } from '../domain/goal-queue.js';
import { roundMerges } from '../domain/undo.js';
import { goalFields, mergeFields, type PublishedGoal } from '../output/goal-fields.js';
import type { ListItem } from '../output/views/list.js';
import type { Snapshot } from '../state/types.js';
import { describeJobs } from './describe.js';

export async function describeGoal(
  bench: Pick<Workbench, 'clock'>,
  snapshot: Snapshot,
  goal: Goal,
): Promise<PublishedGoal> {
  const evidence = goal.integration === null ? [] : await snapshot.evidence(goal.id);
  return goalFields(goal, {
    integration: evidence.find((one) => one.id === goal.integration) ?? null,
    invocations: goal.window === null ? [] : await snapshot.invocations(goal.id),
    now: bench.clock.now(),
  });
}

/** With whether its target has its merge still. */
export async function describeDelivery(bench: Workbench, snapshot: Snapshot, goal: Goal): Promise<PublishedGoal> {
  const delivered = await lookDelivered(bench, goal, await snapshot.evidence(goal.id));
  return { ...(await describeGoal(bench, snapshot, goal)), delivered };
}

/** With what its Rounds merged: it was closed with that, or after it (G35, G51). */
async function describeClosed(bench: Workbench, snapshot: Snapshot, goal: Goal): Promise<PublishedGoal> {
  const merges = roundMerges(await snapshot.evidence(goal.id)).map(mergeFields);
  return { ...(await describeGoal(bench, snapshot, goal)), merges };
}

/** In the order given; `waits`: id -> why it is passed over. Of Goals in review, whether what waits for approval is still there (G51). */
export async function describeUnits(
  bench: Workbench,
  snapshot: Snapshot,
  units: readonly Unit[],
  waits: ReadonlyMap<string, string>,
): Promise<readonly ListItem[]> {
  const jobs = await describeJobs(
    bench,
    units.flatMap((unit) => (unit.kind === 'job' ? [unit.job] : [])),
  );
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const items: ListItem[] = [];
  for (const unit of units) {
    const why = waits.get(unit.id);
    const more = why === undefined ? {} : { waits: why };
    if (unit.kind === 'goal') {
      const { status } = unit.goal;
      const describe =
        status === 'review' ? describeDelivery : CLOSED_GOALS.has(status) ? describeClosed : describeGoal;
      items.push({ ...(await describe(bench, snapshot, unit.goal)), ...more });
    }
    const job = byId.get(unit.id);
    if (unit.kind === 'job' && job !== undefined) items.push({ ...job, ...more });
  }
  return items;
}
