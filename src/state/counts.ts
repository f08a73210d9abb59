// How many open Jobs are in which state: one blob beside the records, so that a shell prompt reads no record (01; 10, P2 and P3).
// Derived from the records alone, and believed only beside the very tree that it was counted from.

import { isOid, type Oid } from '../domain/git.js';
import { joinCounts, type OpenCounts } from '../domain/open-counts.js';
import { canonical, parseJson } from './canonical.js';
import { loadRoot } from './guard.js';
import { COUNTS_PATH, GOAL_COUNTS_PATH, STATE_REF, type WorkKind, workRoot } from './layout.js';
import { lookUp, type Objects } from './objects.js';
import type { StoreEnv } from './store-env.js';

type CountedKind = 'jobs' | 'goals';

/** The blob that names the tree of open work it was counted from. */
export const formatCounts = (tree: Oid | null, counts: OpenCounts, of: CountedKind = 'jobs'): string =>
  canonical({ schema: 1, kind: 'counts', [of]: { tree, counts } });

/** Counts of open work by state: from the blob when it is of this very tree, else null. */
export async function loadCounts(
  objects: Objects,
  root: Oid | null,
  tree: Oid | null,
  of: CountedKind = 'jobs',
): Promise<OpenCounts | null> {
  const entry = await lookUp(objects, root, of === 'jobs' ? COUNTS_PATH : GOAL_COUNTS_PATH);
  if (entry === null) return null;
  const [data] = await objects.blobs([entry.oid]);
  const value = data === null || data === undefined ? null : (parseJson(data.toString('utf8')) as CountsRecord | null);
  const found = value?.[of];
  if (found === undefined || found.tree !== tree || (tree !== null && !isOid(tree))) return null;
  const counts = Object.entries(found.counts ?? {});
  const sound = counts.every(([, count]) => Number.isSafeInteger(count) && count >= 0);
  return sound ? Object.fromEntries(counts) : null;
}

type CountsRecord = Readonly<
  Partial<Record<CountedKind, { readonly tree?: unknown; readonly counts?: Readonly<Record<string, number>> }>>
>;

/** The counts as the state has them now; null where only the records can tell. Throws what `loadState` throws. */
export async function loadCountsNow(env: StoreEnv): Promise<OpenCounts | null> {
  const tip = await env.engine.resolve(STATE_REF);
  if (tip === null) return {};
  const root = await loadRoot(env.objects, tip);
  const treeOf = async (kind: WorkKind): Promise<Oid | null> =>
    (await lookUp(env.objects, root, workRoot(kind, 'open')))?.oid ?? null;
  const [jobs, goals] = await Promise.all([treeOf('job'), treeOf('goal')]);
  const ofJobs = await loadCounts(env.objects, root, jobs);
  const ofGoals = goals === null ? {} : await loadCounts(env.objects, root, goals, 'goals');
  return ofJobs === null || ofGoals === null ? null : joinCounts(ofJobs, ofGoals);
}
