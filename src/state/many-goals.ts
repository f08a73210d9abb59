// The records of many Goals at once, through one door: what a look at each would cost thousands of times.

import type { Oid } from '../domain/git.js';
import type { Goal } from '../domain/goal.js';
import type { TreeEntry } from '../git/engine.js';
import { AREAS, type Area, isWorkId, shardOf, tombstonePath, workRoot } from './layout.js';
import { GOALS, readRecords } from './many-records.js';
import { isUnreadable, listFolder, type Tree } from './objects.js';
import type { StateSnapshot } from './snapshot.js';
import type { Loaded } from './types.js';

/** Each as `snapshot.goal` has it. */
export async function loadGoals(
  snapshot: StateSnapshot,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Loaded<Goal>>> {
  const found = new Map<string, Loaded<Goal>>();
  const wanted = ids.filter(isWorkId);
  try {
    await loadPlain(snapshot, wanted, found);
  } catch (error) {
    // A folder that is broken: one by one, so that it is told of those alone that lie in it.
    if (!isUnreadable(error)) throw error;
  }
  for (const id of ids) if (!found.has(id)) found.set(id, await snapshot.goal(id));
  return found;
}

/** Those that lie in exactly one place; the others are left to be looked at one by one. */
async function loadPlain(
  snapshot: StateSnapshot,
  ids: readonly string[],
  found: Map<string, Loaded<Goal>>,
): Promise<void> {
  const { objects, now } = snapshot;
  const shards = [...new Set(ids.map(shardOf))];
  const open = await foldersOf(snapshot, workRoot('goal', 'open'), shards);
  const closed = await foldersOf(snapshot, workRoot('goal', 'closed'), shards);
  const tombstones = await foldersOf(snapshot, tombstonePath('x').split('/', 1)[0] ?? '', shards);
  const places: Record<Area, string[]> = { open: [], closed: [] };
  for (const id of ids) {
    if (tombstones.has(`${id}.json`)) continue;
    const [isOpen, isClosed] = [open.has(id), closed.has(id)];
    if (isOpen !== isClosed) places[isOpen ? 'open' : 'closed'].push(id);
    else if (!isOpen) found.set(id, { kind: 'unknown' });
  }
  for (const area of AREAS) {
    const tree = area === 'open' ? open : closed;
    const rows = await readRecords(objects, GOALS, { tree, area }, places[area], now);
    // What is broken is remembered by the snapshot when it is looked at alone.
    for (const [id, row] of rows) if (row.kind === 'found') found.set(id, row);
  }
}

/** All that lies in these shards below a folder. */
async function foldersOf({ objects, root }: StateSnapshot, folder: string, shards: readonly string[]): Promise<Tree> {
  const there = await listFolder(objects, root, folder);
  const trees = await objects.trees(
    shards.flatMap((shard): Oid[] => {
      const entry = there.get(shard);
      return entry?.mode === '040000' ? [entry.oid] : [];
    }),
  );
  const all = new Map<string, TreeEntry>();
  for (const tree of trees) for (const [name, entry] of tree) all.set(name, entry);
  return all;
}
