// The index of a state that others had a hand in: made again from the records, never taken over (01, Records).

import type { Oid } from '../domain/git.js';
import { joinCounts, type OpenCounts } from '../domain/open-counts.js';
import type { NewObject, TreeEntry } from '../git/engine.js';
import { newBlob } from '../git/objects.js';
import { formatCounts } from './counts.js';
import { COUNTS_PATH, GOAL_COUNTS_PATH, indexPath, shardPath, workRoot } from './layout.js';
import { JOBS, readShards } from './many-records.js';
import { listFolder, lookUp } from './objects.js';
import { formatIndex } from './shards.js';
import { createSnapshot } from './snapshot.js';
import type { StoreEnv } from './store-env.js';
import { editTree } from './tree.js';

export interface Indexed {
  readonly root: Oid;
  readonly open: OpenCounts;
}

/**
 * The same records with an index of ours; its objects are written. `now` decides what a record's times mean. What lies in the
 * tree `known`, which is ours, is not derived again.
 */
export async function indexAnew(env: StoreEnv, root: Oid, now: number, known: Oid | null = null): Promise<Indexed> {
  const { objects, engine } = env;
  const editor = editTree(objects, root);
  const made: NewObject[] = [];
  const put = async (path: string, text: string): Promise<void> => {
    const blob = newBlob(objects.format, text);
    made.push(blob);
    await editor.put(path, { mode: '100644', oid: blob.oid });
  };
  await editor.remove('index');
  const seal = async (): Promise<Oid> => {
    const sealed = (await editor.seal()) as Oid;
    await engine.write([...made, ...editor.made]);
    return sealed;
  };
  const changed = new Map<string, TreeEntry>();
  for (const [shard, entry] of await listFolder(objects, root, workRoot('job', 'open'))) {
    const index = await sameAs(env, known, {
      folder: shardPath('job', 'open', shard),
      oid: entry.oid,
      index: indexPath('job', shard),
    });
    if (index !== null) {
      await editor.put(indexPath('job', shard), { mode: '100644', oid: index });
      continue;
    }
    changed.set(shard, entry);
  }
  for await (const read of readShards(objects, JOBS, 'open', changed, now)) {
    if (read.kind === 'unreadable') throw read.error;
    await put(indexPath('job', read.shard), formatIndex(read.oid, read.rows));
  }
  const snapshot = createSnapshot(objects, null, await seal(), now);
  const treeOf = async (kind: 'job' | 'goal'): Promise<Oid | null> =>
    (await lookUp(objects, root, workRoot(kind, 'open')))?.oid ?? null;
  const jobs = await snapshot.jobCounts();
  await put(COUNTS_PATH, formatCounts(await treeOf('job'), jobs));
  const goalTree = await treeOf('goal');
  const goals = await snapshot.goalCounts();
  if (goalTree !== null) await put(GOAL_COUNTS_PATH, formatCounts(goalTree, goals, 'goals'));
  return { root: await seal(), open: joinCounts(jobs, goals) };
}

/** The index of a folder that the known tree has as it is. */
async function sameAs(
  { objects }: Pick<StoreEnv, 'objects'>,
  known: Oid | null,
  at: { readonly folder: string; readonly oid: Oid; readonly index: string },
): Promise<Oid | null> {
  if (known === null || (await lookUp(objects, known, at.folder))?.oid !== at.oid) return null;
  return (await lookUp(objects, known, at.index))?.oid ?? null;
}
