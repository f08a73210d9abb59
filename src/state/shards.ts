// The index of open work: one blob a shard, so that a list of 10 000 Jobs reads 256 blobs; and the counts by state (01, 10 P4).
// Derived from the records alone. A blob that was not derived from the very tree beside it is never believed.

import type { Oid } from '../domain/git.js';
import type { Job } from '../domain/job.js';
import { isRoundJob } from '../domain/names.js';
import type { TreeEntry } from '../git/engine.js';
import { canonicalLine, parseJson } from './canonical.js';
import { readJob } from './codec.js';
import { indexPath, isWorkId, shardOf, shardPath, WORK_KINDS, workRoot } from './layout.js';
import { JOBS, type Row, type Rows, readRecords, readShards } from './many-records.js';
import { isUnreadable, listFolder, lookUp, type Objects } from './objects.js';

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

/** All records of one open shard: from its index where that is of this tree, else from the records. */
export async function loadShard(objects: Objects, root: Oid | null, shard: string, now: number): Promise<Rows> {
  const folder = await lookUp(objects, root, shardPath('job', 'open', shard));
  if (folder === null) return new Map();
  const index = await lookUp(objects, root, indexPath('job', shard));
  const [data] = index === null ? [null] : await objects.blobs([index.oid]);
  const rows = await rowsOf(objects, shard, folder.oid, data ?? null, now);
  if (rows !== null) return rows;
  const tree = await objects.tree(folder.oid);
  return readRecords(objects, JOBS, { tree, area: 'open' }, tree.keys(), now);
}

/** As the index says; null: it is not of this tree. */
async function rowsOf(
  objects: Objects,
  shard: string,
  tree: Oid,
  index: Buffer | null,
  now: number,
): Promise<Rows | null> {
  const parsed = index === null ? null : parseIndex(index.toString('utf8'), shard, tree, now);
  if (parsed === null || parsed.unread.length === 0) return parsed?.rows ?? null;
  const read = await readRecords(objects, JOBS, { tree: await objects.tree(tree), area: 'open' }, parsed.unread, now);
  return new Map([...parsed.rows, ...read]);
}

/** All open work, in at most one blob a shard. A shard that is missing among the objects is told as one damaged row. */
export async function loadOpen(objects: Objects, root: Oid | null, now: number): Promise<Rows> {
  const shards = [...(await listFolder(objects, root, workRoot('job', 'open')))];
  const index = await listFolder(objects, root, WORK_KINDS.job.index);
  const all = new Map<string, Row<Job>>();
  // The same index of the same folder says the same.
  const keyOf = (shard: string, tree: Oid): string => `index ${shard} ${tree} ${index.get(shard)?.oid ?? ''}`;
  const before = new Map(
    shards.map(([shard, { oid }]) => [shard, objects.records.get(keyOf(shard, oid)) as Rows | undefined]),
  );
  const known = shards.flatMap(([shard]) => (before.get(shard) === undefined ? (index.get(shard) ?? []) : []));
  const blobs = new Map<string, Buffer | null>();
  for (const [at, data] of (await objects.blobs(known.map((entry) => entry.oid))).entries()) {
    blobs.set(known[at]?.name ?? '', data);
  }
  const rest = new Map<string, TreeEntry>();
  const missing = (shard: string): void => {
    const path = shardPath('job', 'open', shard);
    all.set(path, { kind: 'damaged', path, why: 'the folder is missing among the objects' });
  };
  for (const [shard, entry] of shards) {
    try {
      const rows = before.get(shard) ?? (await rowsOf(objects, shard, entry.oid, blobs.get(shard) ?? null, now));
      if (rows === null) rest.set(shard, entry);
      else for (const [id, row] of rows) all.set(id, row);
      if (rows !== null && isTimeless(rows)) objects.records.set(keyOf(shard, entry.oid), rows);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      missing(shard);
    }
  }
  for await (const read of readShards(objects, JOBS, 'open', rest, now)) {
    if (read.kind === 'unreadable') missing(read.shard);
    else for (const [id, row] of read.rows) all.set(id, row);
  }
  return all;
}

/** What a Job that waits for a moment means depends on now. */
const isTimeless = (rows: Rows): boolean =>
  [...rows.values()].every((row) => row.kind === 'found' && row.record.not_before === null);

/** Jobs of Rounds are not counted: their Goal is (03). */
export function countRows(rows: Iterable<Row<Job>>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const row of rows) {
    if (row.kind !== 'found' || isRoundJob(row.record)) continue;
    counts[row.record.state] = (counts[row.record.state] ?? 0) + 1;
  }
  return counts;
}
