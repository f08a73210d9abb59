// What the state says of an id that a ref, a registration or a folder carries: read after these were listed (M1).

import type { RecordFacts } from '../../domain/collect.js';
import type { Goal } from '../../domain/goal.js';
import type { Job, Run } from '../../domain/job.js';
import { isWorkId } from '../../state/layout.js';
import type { Loaded, Snapshot } from '../../state/types.js';
import { isAlive } from '../../system/processes.js';
import { isDead } from '../run/dead.js';
import type { Workbench } from '../workbench.js';

/** The record of an id, of either kind of work. */
export async function loadRecord(bench: Workbench, snapshot: Snapshot, id: string): Promise<RecordFacts> {
  if (!isWorkId(id)) return { kind: 'unknown' };
  const loaded = await snapshot.job(id);
  switch (loaded.kind) {
    case 'found':
      return {
        kind: 'job',
        job: loaded.record,
        live: loaded.record.state === 'active' && !(await isDead(bench, loaded.record)),
      };
    case 'unknown':
      return loadGoalRecord(bench, snapshot, id);
    case 'deleted':
      return { kind: 'deleted', at: loaded.at };
    default:
      return unreadable(loaded);
  }
}

/** As `loadRecord`, of a Goal alone. */
export const loadGoalRecord = async (bench: Workbench, snapshot: Snapshot, id: string): Promise<RecordFacts> =>
  goalFacts(bench, await snapshot.goal(id));

export async function goalFacts(bench: Workbench, loaded: Loaded<Goal>): Promise<RecordFacts> {
  switch (loaded.kind) {
    case 'found':
      return { kind: 'goal', goal: loaded.record, live: await isCarried(bench, loaded.record) };
    case 'unknown':
      return { kind: 'unknown' };
    case 'deleted':
      return { kind: 'deleted', at: loaded.at };
    default:
      return unreadable(loaded);
  }
}

async function isCarried(bench: Workbench, { claim }: Pick<Goal, 'claim'>): Promise<boolean> {
  return claim !== null && isAlive(claim, await bench.environment.process()) !== 'dead';
}

const unreadable = (loaded: Extract<Loaded<unknown>, { readonly kind: 'damaged' | 'newer' }>): RecordFacts => ({
  kind: 'unreadable',
  why: loaded.kind === 'damaged' ? loaded.why : `it has schema ${loaded.schema}, written by a newer git owl`,
});

export interface FoundRun {
  readonly job: string | null;
  readonly run: 'settled' | 'unsettled' | 'none' | 'unreadable';
}

/** The record of a Run whose Job may not be known. Looking through closed Jobs is rare: a killed command left something. */
export async function findRun(snapshot: Snapshot, run: string, hint: string | null): Promise<FoundRun> {
  if (hint !== null) return judgeRun(hint, await snapshot.run(hint, run));
  const open = await snapshot.openJobs();
  const near = open.find((job) => job.last_run === run || job.claim?.run === run);
  if (near !== undefined) return judgeRun(near.id, await snapshot.run(near.id, run));
  for (const id of await snapshot.jobIds()) {
    const loaded = await snapshot.run(id, run);
    if (loaded.kind !== 'unknown') return judgeRun(id, loaded);
  }
  return { job: null, run: 'none' };
}

function judgeRun(job: Job['id'], loaded: Loaded<Run>): FoundRun {
  if (loaded.kind === 'found') return { job, run: loaded.record.outcome === null ? 'unsettled' : 'settled' };
  return { job, run: loaded.kind === 'damaged' || loaded.kind === 'newer' ? 'unreadable' : 'none' };
}
