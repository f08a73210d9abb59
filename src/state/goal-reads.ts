// Goals, their parts and Features as of one commit of `refine/state`: reading only, each record validated (01, 03).

import { evidenceOrder } from '../domain/evidence.js';
import type { Candidate, Evidence, Feature, Goal, Round } from '../domain/goal.js';
import { type Invocation, invocationOrder } from '../domain/invocation.js';
import { queueOrder } from '../domain/queue.js';
import { type Decoded, damaged } from './codec.js';
import { loadCounts } from './counts.js';
import { decodeCandidate, decodeEvidence, decodeFeature, decodeInvocation, decodeRound } from './goal-codec.js';
import {
  type Area,
  FEATURES_PATH,
  featurePath,
  type GoalPart,
  isWorkId,
  partPath,
  partsPath,
  shardPath,
  workPath,
  workRoot,
} from './layout.js';
import { GOALS, readShards } from './many-records.js';
import { listFolder, lookUp } from './objects.js';
import type { StateRoot } from './snapshot.js';
import type { Loaded, Snapshot } from './types.js';
import { areaIn, loadWork } from './work-record.js';

/** How a snapshot reads one thing: what is damaged is remembered, what is missing among the objects is damaged. */
export interface Reading extends StateRoot {
  tell<T>(row: Loaded<T>): Loaded<T>;
  guarded<T>(path: string, read: () => Promise<Loaded<T>>): Promise<Loaded<T>>;
  withWriter<T>(row: Loaded<T>): Promise<Loaded<T>>;
}

export type GoalSnapshot = Pick<
  Snapshot,
  'goal' | 'openGoals' | 'closedGoals' | 'rounds' | 'candidates' | 'evidence' | 'invocations' | 'feature' | 'features'
>;

export interface GoalReads extends GoalSnapshot {
  goalArea(id: string): Promise<Area | null>;
  /** By status, from one small blob; a Goal that cannot be read is not counted. */
  goalCounts(): Promise<Readonly<Record<string, number>>>;
}

export const byTime = (one: { readonly id: string }, two: { readonly id: string }, a: string, b: string): number =>
  compare(a, b) || compare(one.id, two.id);
export const byPosition = (one: Feature, two: Feature): number =>
  compare(one.position, two.position) || compare(one.id, two.id);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export function countGoals(goals: Iterable<Goal>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const goal of goals) counts[goal.status] = (counts[goal.status] ?? 0) + 1;
  return counts;
}

export function goalReads(reading: Reading): GoalReads {
  const { objects, root, now, tell, guarded, withWriter } = reading;
  let open: Promise<readonly Goal[]> | undefined;

  async function allIn(area: Area): Promise<readonly Goal[]> {
    const goals: Goal[] = [];
    const shards = await listFolder(objects, root, workRoot('goal', area));
    for await (const read of readShards(objects, GOALS, area, shards, now)) {
      if (read.kind === 'unreadable') {
        tell({ kind: 'damaged', path: shardPath('goal', area, read.shard), why: read.error.message });
        continue;
      }
      for (const row of read.rows.values())
        if (tell(row).kind === 'found' && row.kind === 'found') goals.push(row.record);
    }
    return goals.sort(queueOrder);
  }

  const openGoals = (): Promise<readonly Goal[]> => (open ??= allIn('open'));

  /** All files of one folder, decoded; what is damaged is left out and told. */
  async function filesIn<T>(
    folder: string,
    decode: (path: string, name: string, data: Buffer) => Decoded<T>,
  ): Promise<T[]> {
    const entries = [...(await listFolder(objects, root, folder)).values()];
    const data = await objects.blobs(entries.map((entry) => entry.oid));
    const all: T[] = [];
    for (const [at, entry] of entries.entries()) {
      const path = `${folder}/${entry.name}`;
      const bytes = data[at] ?? null;
      const row: Decoded<T> =
        bytes === null
          ? damaged(path, 'its object is missing')
          : decode(path, entry.name.replace(/\.json$/, ''), bytes);
      tell<T>(row);
      if (row.kind === 'found') all.push(row.record);
    }
    return all;
  }

  async function parts<T>(
    goal: string,
    part: GoalPart,
    decode: (path: string, goal: string, name: string, data: Buffer) => Decoded<T>,
  ): Promise<T[]> {
    const at = await areaIn(reading, 'goal', goal);
    if (at === null) return [];
    return filesIn(partsPath(at, goal, part), (path, name, data) => decode(path, goal, name, data));
  }

  return {
    goalArea: (id) => areaIn(reading, 'goal', id),
    goal: async (id) =>
      isWorkId(id)
        ? withWriter(await guarded(workPath('goal', 'open', id), () => loadWork(reading, GOALS, id)))
        : { kind: 'unknown' },
    openGoals,
    closedGoals: () => allIn('closed'),
    rounds: async (goal) =>
      (await parts<Round>(goal, 'rounds', decodeRound)).sort((one, two) => one.number - two.number),
    candidates: async (goal) =>
      (await parts<Candidate>(goal, 'candidates', decodeCandidate)).sort((one, two) =>
        byTime(one, two, one.made, two.made),
      ),
    evidence: async (goal) => (await parts<Evidence>(goal, 'evidence', decodeEvidence)).sort(evidenceOrder),
    invocations: async (goal) => (await parts<Invocation>(goal, 'invocations', decodeInvocation)).sort(invocationOrder),
    feature: async (id) => {
      if (!isWorkId(id)) return { kind: 'unknown' };
      const path = featurePath(id);
      return withWriter(
        await guarded<Feature>(path, async () => {
          const entry = await lookUp(objects, root, path);
          return entry === null ? { kind: 'unknown' } : decodeFeature(path, id, await objects.blob(entry.oid));
        }),
      );
    },
    features: async () => (await filesIn<Feature>(FEATURES_PATH, decodeFeature)).sort(byPosition),
    goalCounts: async () => {
      const tree = (await lookUp(objects, root, workRoot('goal', 'open')))?.oid ?? null;
      if (tree === null) return {};
      return (await loadCounts(objects, root, tree, 'goals')) ?? countGoals(await openGoals());
    },
  };
}

/** One part of a Goal as it is stored, to compare with what is to be written. */
export async function loadPart<T>(
  reading: StateRoot,
  place: { readonly goal: string; readonly part: GoalPart; readonly name: string },
  decode: (path: string, goal: string, name: string, data: Buffer) => Decoded<T>,
): Promise<Loaded<T>> {
  const at = await areaIn(reading, 'goal', place.goal);
  if (at === null) return { kind: 'unknown' };
  const path = partPath(at, place.goal, place.part, place.name);
  const entry = await lookUp(reading.objects, reading.root, path);
  return entry === null
    ? { kind: 'unknown' }
    : decode(path, place.goal, place.name, await reading.objects.blob(entry.oid));
}
