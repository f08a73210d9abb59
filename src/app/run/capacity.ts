// `max_parallel` counts Jobs and Goals together, in the very state that is being changed (J4, G4).

import type { Goal } from '../../domain/goal.js';
import type { Job } from '../../domain/job.js';
import { takenPlaces } from '../../domain/queue.js';
import type { Snapshot } from '../../state/types.js';
import { isAlive } from '../../system/processes.js';
import { liveInvocation, whereWeAre } from '../skill/live.js';
import { loadForeign } from '../sync/foreign.js';
import type { Workbench } from '../workbench.js';

/** Places that others than `but` take. A claim of this host whose process is provably gone takes none. */
export async function loadTaken(
  bench: Pick<Workbench, 'environment' | 'notes'>,
  snapshot: Pick<Snapshot, 'openJobs' | 'openGoals' | 'invocations'>,
  but: string | null,
): Promise<number> {
  const here = await whereWeAre(bench);
  const foreign = await loadForeign(bench);
  const ours = <T extends Job | Goal>(all: readonly T[]): readonly T[] => all.filter((one) => !foreign.waits(one));
  // What another clone has at work takes no place here.
  const jobs = ours(await snapshot.openJobs());
  // A Skill or handler takes the place of its Goal.
  const goals = await Promise.all(
    ours(await snapshot.openGoals()).map(async ({ id, claim }) => ({
      id,
      claim: claim ?? (await liveInvocation(here, snapshot, { id }))?.claim ?? null,
    })),
  );
  return takenPlaces({ jobs, goals }, (claim) => isAlive(claim, here.identity) === 'dead', but);
}

/** What a person is told of whom no place was found. */
export const sayTaken = (live: number): string =>
  live === 1 ? '1 Job or Goal is at work already' : `${live} Jobs and Goals are at work already`;
