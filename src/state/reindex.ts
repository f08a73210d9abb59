// Rewrites the index of each touched shard, and the counts, in the same commit as the records (01, Records).

import type { Job } from '../domain/job.js';
import { CLOSED_STATES } from '../domain/job.js';
import { isRoundJob } from '../domain/names.js';
import type { OpenCounts } from '../domain/open-counts.js';
import { formatCounts } from './counts.js';
import { type Area, COUNTS_PATH, indexPath, shardOf, shardPath, workRoot } from './layout.js';
import { lookUp } from './objects.js';
import { formatIndex, loadShard } from './shards.js';
import type { StateSnapshot } from './snapshot.js';
import type { TreeEditor } from './tree.js';

/** Where the records of a change were and are; a Job that is deleted is in `before` alone. */
export interface Change {
  readonly before: ReadonlyMap<string, Job | null>;
  readonly after: ReadonlyMap<string, Job>;
  /** Ids of which anything at all was written. */
  readonly touched: ReadonlySet<string>;
}

export type PutFile = (path: string, data: Buffer | string) => Promise<void>;

export const areaOf = (job: Pick<Job, 'state'>): Area => (CLOSED_STATES.has(job.state) ? 'closed' : 'open');

/** Call it when all records are in the editor. Returns the counts of open work after the change. */
export async function reindex(
  snapshot: StateSnapshot,
  editor: TreeEditor,
  change: Change,
  putFile: PutFile,
): Promise<OpenCounts> {
  for (const shard of new Set([...change.touched].map(shardOf))) {
    const path = shardPath('job', 'open', shard);
    const tree = await editor.seal(path);
    if (tree === ((await lookUp(snapshot.objects, snapshot.root, path))?.oid ?? null)) continue;
    if (tree === null) {
      await editor.remove(indexPath('job', shard));
      continue;
    }
    const rows = new Map(await loadShard(snapshot.objects, snapshot.root, shard, snapshot.now));
    for (const id of change.before.keys()) rows.delete(id);
    for (const [id, job] of change.after) {
      if (areaOf(job) === 'open' && shardOf(id) === shard) rows.set(id, { kind: 'found', record: job });
    }
    await putFile(indexPath('job', shard), formatIndex(tree, rows));
  }
  return recount(snapshot, editor, change, putFile);
}

async function recount(
  snapshot: StateSnapshot,
  editor: TreeEditor,
  change: Change,
  putFile: PutFile,
): Promise<OpenCounts> {
  const root = workRoot('job', 'open');
  const tree = await editor.seal(root);
  const counts: Record<string, number> = { ...(await snapshot.jobCounts()) };
  const add = (job: Job | null | undefined, by: number): void => {
    if (job === null || job === undefined || areaOf(job) === 'closed' || isRoundJob(job)) return;
    counts[job.state] = Math.max(0, (counts[job.state] ?? 0) + by);
    if (counts[job.state] === 0) delete counts[job.state];
  };
  for (const [id, old] of change.before) {
    add(old, -1);
    add(change.after.get(id), 1);
  }
  const unchanged = tree === ((await lookUp(snapshot.objects, snapshot.root, root))?.oid ?? null);
  // Of a state without Jobs too, as every clone that derives the index again has it (`index-anew.ts`).
  const known = (await lookUp(snapshot.objects, snapshot.root, COUNTS_PATH)) !== null;
  if (!unchanged || !known) await putFile(COUNTS_PATH, formatCounts(tree, counts));
  return counts;
}
