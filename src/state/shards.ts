// The index of open work: one blob a shard, so that a list of 10 000 Jobs reads 256 blobs; and the counts by state (01, 10 P4).
// Derived from the records alone. A blob that was not derived from the very tree beside it is never believed.

import type { Oid } from '../domain/git.js';
import type { Goal } from '../domain/goal.js';
import type { Job } from '../domain/job.js';
import { isRoundJob } from '../domain/names.js';
import { canonicalLine, parseJson } from './canonical.js';
import { decodeJob, readJob, type WorkPlace } from './codec.js';
import { decodeGoal } from './goal-codec.js';
import { indexPath, isWorkId, recordPath, shardOf, shardPath, WORK_KINDS, type WorkKind, workRoot } from './layout.js';
import { isUnreadable, listFolder, lookUp, type Objects, type Tree } from './objects.js';
import type { Loaded } from './types.js';

/** A record that is there: found, damaged or newer. */
export type Row<T> = Extract<Loaded<T>, { readonly kind: 'found' | 'damaged' | 'newer' }>;
/** Records of one shard by id. */
export type RowsOf<T> = ReadonlyMap<string, Row<T>>;
export type Rows = RowsOf<Job>;

/** How a kind of work is read. */
export interface WorkReader<T> {
  readonly kind: WorkKind;
  decode(place: WorkPlace, data: Buffer): Row<T>;
}

export const JOBS: WorkReader<Job> = { kind: 'job', decode: decodeJob };
export const GOALS: WorkReader<Goal> = { kind: 'goal', decode: decodeGoal };

/** First line: the tree it was derived from. Then one record a line, in order of id; `!<id>` for one that cannot be read. */
export function formatIndex(tree: Oid, rows: Rows): string {
  const lines = [...rows]
    .sort(([one], [two]) => (one < two ? -1 : 1))
    .map(([id, row]) => (row.kind === 'found' ? canonicalLine(row.record) : `!${id}`));
  return `${[tree, ...lines].join('\n')}\n`;
}

/**
 * The rows of an index blob, or null when it is not the index of this tree or any line is not what we write.
 * Ids on `!` lines are to be read from their records.
 */
export function parseIndex(
  text: string,
  shard: string,
  tree: Oid,
  now: number,
): { readonly rows: Map<string, Row<Job>>; readonly unread: readonly string[] } | null {
  const lines = text.split('\n');
  if (lines.shift() !== tree || lines.pop() !== '') return null;
  const unread = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  const values = parseJson(`[${lines.filter((line) => !line.startsWith('!')).join(',')}]`);
  if (!Array.isArray(values)) return null;
  const rows = new Map<string, Row<Job>>();
  const folder = shardPath('job', 'open', shard);
  const sound = (id: unknown): id is string => typeof id === 'string' && isWorkId(id) && shardOf(id) === shard;
  for (const value of values as readonly ({ readonly id?: unknown } | null)[]) {
    const id = value?.id;
    if (!sound(id) || rows.has(id)) return null;
    const row = readJob({ path: `${folder}/${id}/${WORK_KINDS.job.file}`, id, area: 'open', now }, value);
    if (row.kind !== 'found') return null;
    rows.set(id, row);
  }
  return unread.every((id) => sound(id) && !rows.has(id)) ? { rows, unread } : null;
}

/** The record of each of these ids below a shard's tree, read from the records themselves. */
export async function readRecords<T>(
  objects: Objects,
  of: WorkReader<T>,
  shard: { readonly tree: Tree; readonly area: 'open' | 'closed' },
  ids: readonly string[],
  now: number,
): Promise<RowsOf<T>> {
  const rows = new Map<string, Row<T>>();
  const pathOf = (id: string): string => recordPath(of.kind, shard.area, id);
  const damaged = (id: string, why: string): void => {
    rows.set(id, { kind: 'damaged', path: pathOf(id), why });
  };
  const folders = ids.filter((id) => shard.tree.get(id)?.mode === '040000');
  for (const id of ids) if (!folders.includes(id)) damaged(id, 'not a folder');
  const trees = await readTrees(
    objects,
    folders.map((id) => shard.tree.get(id)?.oid as Oid),
  );
  const blobs: { readonly id: string; readonly oid: Oid }[] = [];
  for (const [at, id] of folders.entries()) {
    const tree = trees[at];
    const entry = tree?.get(WORK_KINDS[of.kind].file);
    if (tree === null || tree === undefined) damaged(id, 'its folder is missing among the objects');
    else if (entry === undefined) damaged(id, 'there is no record in its folder');
    else blobs.push({ id, oid: entry.oid });
  }
  const data = await objects.blobs(blobs.map((blob) => blob.oid));
  for (const [at, { id }] of blobs.entries()) {
    const bytes = data[at] ?? null;
    if (bytes === null) damaged(id, 'its object is missing or not to be read');
    else rows.set(id, of.decode({ path: pathOf(id), id, area: shard.area, now }, bytes));
  }
  return rows;
}

async function readTrees(objects: Objects, oids: readonly Oid[]): Promise<readonly (Tree | null)[]> {
  try {
    return await objects.trees(oids);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  }
  const trees: (Tree | null)[] = [];
  for (const oid of oids) {
    try {
      trees.push(await objects.tree(oid));
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      trees.push(null);
    }
  }
  return trees;
}

/** All records of one shard of open or closed work, from the records. */
export async function deriveShard<T>(
  objects: Objects,
  of: WorkReader<T>,
  area: 'open' | 'closed',
  tree: Oid,
  now: number,
): Promise<RowsOf<T>> {
  const entries = await objects.tree(tree);
  return readRecords(objects, of, { tree: entries, area }, [...entries.keys()], now);
}

/** All records of one open shard: from its index where that is of this tree, else from the records. */
export async function loadShard(objects: Objects, root: Oid | null, shard: string, now: number): Promise<Rows> {
  const folder = await lookUp(objects, root, shardPath('job', 'open', shard));
  if (folder === null) return new Map();
  const index = await lookUp(objects, root, indexPath('job', shard));
  const [data] = index === null ? [null] : await objects.blobs([index.oid]);
  return rowsOf(objects, shard, folder.oid, data ?? null, now);
}

async function rowsOf(objects: Objects, shard: string, tree: Oid, index: Buffer | null, now: number): Promise<Rows> {
  const parsed = index === null ? null : parseIndex(index.toString('utf8'), shard, tree, now);
  if (parsed === null) return deriveShard(objects, JOBS, 'open', tree, now);
  if (parsed.unread.length === 0) return parsed.rows;
  const read = await readRecords(objects, JOBS, { tree: await objects.tree(tree), area: 'open' }, parsed.unread, now);
  return new Map([...parsed.rows, ...read]);
}

/** All open work, in at most one blob a shard. A shard that is missing among the objects is told as one damaged row. */
export async function loadOpen(objects: Objects, root: Oid | null, now: number): Promise<Rows> {
  const shards = [...(await listFolder(objects, root, workRoot('job', 'open')))];
  const index = await listFolder(objects, root, WORK_KINDS.job.index);
  const known = shards.flatMap(([shard]) => index.get(shard) ?? []);
  const blobs = new Map<string, Buffer | null>();
  for (const [at, data] of (await objects.blobs(known.map((entry) => entry.oid))).entries()) {
    blobs.set(known[at]?.name ?? '', data);
  }
  const all = new Map<string, Row<Job>>();
  for (const [shard, entry] of shards) {
    try {
      const rows = await rowsOf(objects, shard, entry.oid, blobs.get(shard) ?? null, now);
      for (const [id, row] of rows) all.set(id, row);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      const path = shardPath('job', 'open', shard);
      all.set(path, { kind: 'damaged', path, why: 'the folder is missing among the objects' });
    }
  }
  return all;
}

/** Jobs of Rounds are not counted: their Goal is (03). */
export function countRows(rows: Iterable<Row<Job>>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const row of rows) {
    if (row.kind !== 'found' || isRoundJob(row.record)) continue;
    counts[row.record.state] = (counts[row.record.state] ?? 0) + 1;
  }
  return counts;
}
