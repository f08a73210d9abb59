// A Goal as it goes into a shared state: its record as it will be, its Rounds, Candidates and Evidence, and the Jobs of its
// Rounds; nothing else of this clone (G32).

import type { Evidence, Goal } from '../../domain/goal.js';
import type { UnitId } from '../../state/onto.js';
import type { Tx } from '../../state/types.js';
import { roundJobs } from '../goal/round-jobs.js';
import type { Workbench } from '../workbench.js';
import { putWholeJob } from './put-job.js';

/** The Goal and the Jobs of its Rounds, as they are now. */
export async function goalUnits(bench: Workbench, goal: Pick<Goal, 'id'>): Promise<readonly UnitId[]> {
  const jobs = await roundJobs(await bench.store.snapshot(), goal);
  return [{ kind: 'goal', id: goal.id }, ...jobs.map(({ id }) => ({ kind: 'job' as const, id }))];
}

/** `evidence`: what is written with the record, instead of what is stored under the same id. */
export async function putWholeGoal(
  bench: Workbench,
  tx: Tx,
  record: Goal,
  evidence: readonly Evidence[],
): Promise<void> {
  const here = await bench.store.snapshot();
  tx.putGoal(record);
  for (const round of await here.rounds(record.id)) tx.putRound(round);
  for (const candidate of await here.candidates(record.id)) tx.putCandidate(candidate);
  const replaced = new Set(evidence.map(({ id }) => id));
  for (const one of await here.evidence(record.id)) if (!replaced.has(one.id)) tx.putEvidence(one);
  for (const one of evidence) tx.putEvidence(one);
  for (const job of await roundJobs(here, record)) await putWholeJob(bench, tx, job);
}
