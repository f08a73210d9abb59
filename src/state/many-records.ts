// Records of many pieces of work through one door: what a look at each, or at each folder, would cost thousands of times (10).

import type { OwlError } from '../domain/errors.js';
import type { Oid } from '../domain/git.js';
import type { Goal } from '../domain/goal.js';
import type { Job } from '../domain/job.js';
import type { TreeEntry } from '../git/engine.js';
import { decodeJob, type WorkPlace } from './codec.js';
import { decodeGoal } from './goal-codec.js';
import { type Area, recordPath, WORK_KINDS, type WorkKind } from './layout.js';
import { isUnreadable, type Objects, readLeniently, type Tree } from './objects.js';
import type { Loaded } from './types.js';

/** A record that is there: found, damaged or newer. */
export type Row<T> = Extract<Loaded<T>, { readonly kind: 'found' | 'damaged' | 'newer' }>;
/** Records of one shard by id. */
export type RowsOf<T> = ReadonlyMap<string, Row<T>>;
export type Rows = RowsOf<Job>;

/** How a kind of work is read. */
export interface WorkReader<T> {
  readonly kind: WorkKind;
  /** Does a record mean the same whenever it is read? Then it is not read twice. */
  readonly timeless: boolean;
  decode(place: WorkPlace, data: Buffer): Row<T>;
}

export const JOBS: WorkReader<Job> = { kind: 'job', timeless: false, decode: decodeJob };
export const GOALS: WorkReader<Goal> = { kind: 'goal', timeless: true, decode: decodeGoal };

/** Folders of work in one area, by id: those of a shard, or of several. */
export interface Folders {
  readonly tree: Tree;
  readonly area: Area;
}

/** So many are asked for at once: while these are decoded, Git reads as many more. */
const AT_ONCE = 500;
/** Shards are put together until they have so many. */
const TOGETHER = 1000;

/** The record of each of these ids, read from the records themselves. */
export async function readRecords<T>(
  objects: Objects,
  of: WorkReader<T>,
  { tree, area }: Folders,
  ids: Iterable<string>,
  now: number,
): Promise<RowsOf<T>> {
  const rows = new Map<string, Row<T>>();
  // The folder holds the record: the same folder in the same place is the same record.
  const keyOf = (id: string): string => `${of.kind} ${area} ${id} ${tree.get(id)?.oid ?? ''}`;
  const unread: string[] = [];
  for (const id of ids) {
    const known = of.timeless ? (objects.records.get(keyOf(id)) as Row<T> | undefined) : undefined;
    if (known === undefined) unread.push(id);
    else rows.set(id, known);
  }
  let next = 0;
  const goOn = async (): Promise<void> => {
    while (next < unread.length) {
      const some = unread.slice(next, next + AT_ONCE);
      next += AT_ONCE;
      for (const [id, row] of await readSome(objects, of, { tree, area }, some, now)) {
        rows.set(id, row);
        if (of.timeless && row.kind === 'found') objects.records.set(keyOf(id), row);
      }
    }
  };
  await Promise.all([goOn(), goOn()]);
  return rows;
}

/** One shard with its folders and the records in them, or why it cannot be read. */
export type ShardRead<T> = { readonly shard: string; readonly oid: Oid } & (
  | { readonly kind: 'read'; readonly tree: Tree; readonly rows: RowsOf<T> }
  | { readonly kind: 'unreadable'; readonly error: OwlError }
);

/** All records of these shards of one area, a number of shards at once. */
export async function* readShards<T>(
  objects: Objects,
  of: WorkReader<T>,
  area: Area,
  shards: Tree,
  now: number,
): AsyncGenerator<ShardRead<T>> {
  const entries = [...shards];
  const trees = await readTrees(
    objects,
    entries.map(([, { oid }]) => oid),
  );
  const keyOf = (oid: Oid): string => `${of.kind} ${area} ${oid}`;
  let held: { readonly shard: string; readonly oid: Oid; readonly tree: Tree }[] = [];
  let folders = new Map<string, TreeEntry>();
  const readHeld = async (): Promise<readonly ShardRead<T>[]> => {
    const rows = await readRecords(objects, of, { tree: folders, area }, folders.keys(), now);
    const read = held.map(({ tree, ...one }) => {
      const own = new Map([...tree.keys()].map((id) => [id, rows.get(id) as Row<T>]));
      if (of.timeless && [...own.values()].every(({ kind }) => kind === 'found'))
        objects.records.set(keyOf(one.oid), own);
      return { ...one, kind: 'read' as const, tree, rows: own };
    });
    held = [];
    folders = new Map();
    return read;
  };
  for (const [at, [shard, { oid }]] of entries.entries()) {
    const tree = trees[at] as Tree | OwlError;
    if (isUnreadable(tree)) {
      yield { shard, oid, kind: 'unreadable', error: tree };
      continue;
    }
    const known = of.timeless ? (objects.records.get(keyOf(oid)) as RowsOf<T> | undefined) : undefined;
    if (known !== undefined) {
      yield { shard, oid, kind: 'read', tree, rows: known };
      continue;
    }
    // Where an id lies in two shards, each is read by itself.
    if (folders.size >= TOGETHER || [...tree.keys()].some((id) => folders.has(id))) yield* await readHeld();
    held.push({ shard, oid, tree });
    for (const [id, entry] of tree) folders.set(id, entry);
  }
  yield* await readHeld();
}

const damagedAt = (of: WorkReader<unknown>, area: Area, id: string, why: string): Row<never> => ({
  kind: 'damaged',
  path: recordPath(of.kind, area, id),
  why,
});

async function readSome<T>(
  objects: Objects,
  of: WorkReader<T>,
  { tree: shard, area }: Folders,
  ids: readonly string[],
  now: number,
): Promise<RowsOf<T>> {
  const rows = new Map<string, Row<T>>();
  const folders: { readonly id: string; readonly oid: Oid }[] = [];
  for (const id of ids) {
    const entry = shard.get(id);
    if (entry?.mode === '040000') folders.push({ id, oid: entry.oid });
    else rows.set(id, damagedAt(of, area, id, 'not a folder'));
  }
  const trees = await readTrees(
    objects,
    folders.map(({ oid }) => oid),
  );
  const blobs: { readonly id: string; readonly oid: Oid }[] = [];
  for (const [at, { id }] of folders.entries()) {
    const tree = trees[at];
    const entry = isUnreadable(tree) ? undefined : tree?.get(WORK_KINDS[of.kind].file);
    if (isUnreadable(tree)) rows.set(id, damagedAt(of, area, id, 'its folder is missing among the objects'));
    else if (entry === undefined) rows.set(id, damagedAt(of, area, id, 'there is no record in its folder'));
    else blobs.push({ id, oid: entry.oid });
  }
  const data = await objects.blobs(blobs.map((blob) => blob.oid));
  for (const [at, { id }] of blobs.entries()) {
    const bytes = data[at] ?? null;
    if (bytes === null) rows.set(id, damagedAt(of, area, id, 'its object is missing or not to be read'));
    else rows.set(id, of.decode({ path: recordPath(of.kind, area, id), id, area, now }, bytes));
  }
  return rows;
}

/** In order; an error for what cannot be read. */
const readTrees = (objects: Objects, oids: readonly Oid[]): Promise<readonly (Tree | OwlError)[]> =>
  readLeniently(
    oids,
    (all) => objects.trees(all),
    (oid) => objects.tree(oid),
    (error) => error,
  );
