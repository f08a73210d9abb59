// Settling what is contested: one side's version becomes the record again, in a new occurrence; the other stays in the history
// (05, S3). Also: which records are contested, and what each side says.

import type { Oid } from '../domain/git.js';
import { CLOSED_GOALS, type GoalStatus } from '../domain/goal.js';
import { CLOSED_STATES, type JobState, type Merged } from '../domain/job.js';
import { keptMerge, type MergeSide } from '../domain/side-merge.js';
import type { NewObject } from '../git/engine.js';
import { newBlob } from '../git/objects.js';
import { canonical, parseJson } from './canonical.js';
import { type ContestedRecord, DELETED, parseContested, SIDES, sidePath } from './contested.js';
import { indexAnew } from './index-anew.js';
import {
  AREAS,
  isWorkId,
  recordPath,
  sha256,
  tombstonePath,
  WORK_KINDS,
  type WorkKind,
  workPath,
  workRoot,
} from './layout.js';
import { listFolder, lookUp } from './objects.js';
import { loadOpen } from './shards.js';
import type { StateSnapshot } from './snapshot.js';
import type { StoreEnv } from './store-env.js';
import { editTree } from './tree.js';

/** One version of a contested record, as JSON; `record` null: it was deleted there. */
export interface ContestedSide {
  readonly side: string;
  readonly record: Readonly<Record<string, unknown>> | null;
  /** Object ids of its files, by path in the folder of the work. */
  readonly files: ReadonlyMap<string, Oid>;
}

export interface ContestedWork extends ContestedRecord {
  readonly versions: readonly ContestedSide[];
}

/** All contested records of a state, in order of id. They lie in open work. */
export async function loadContested(
  env: Pick<StoreEnv, 'objects'>,
  root: Oid | null,
): Promise<readonly ContestedWork[]> {
  const found: ContestedWork[] = [];
  for (const kind of Object.keys(WORK_KINDS) as readonly WorkKind[]) {
    for (const id of kind === 'job' ? await unreadJobs(env, root) : await idsWithSides(env, root, kind)) {
      const entry = await lookUp(env.objects, root, recordPath(kind, 'open', id));
      const record = entry === null ? null : parseContested((await env.objects.blob(entry.oid)).toString('utf8'));
      if (record === null) continue;
      const versions = await Promise.all(record.sides.map((side) => loadSide(env, root, record, side)));
      found.push({ ...record, versions });
    }
  }
  return found.sort((one, two) => (one.id < two.id ? -1 : 1));
}

/** From the index: what cannot be read there is few. */
async function unreadJobs({ objects }: Pick<StoreEnv, 'objects'>, root: Oid | null): Promise<readonly string[]> {
  const rows = await loadOpen(objects, root, 0);
  return [...rows].flatMap(([id, row]) => (row.kind === 'damaged' && row.contested !== undefined ? [id] : []));
}

async function idsWithSides(
  { objects }: Pick<StoreEnv, 'objects'>,
  root: Oid | null,
  kind: WorkKind,
): Promise<readonly string[]> {
  const shards = [...(await listFolder(objects, root, workRoot(kind, 'open'))).values()];
  const folders = (await objects.trees(shards.map((shard) => shard.oid))).flatMap((tree) => [...tree.values()]);
  const works = folders.filter((entry) => entry.mode === '040000' && isWorkId(entry.name));
  const trees = await objects.trees(works.map((entry) => entry.oid));
  return works.flatMap((entry, at) => (trees[at]?.has(SIDES) === true ? [entry.name] : []));
}

async function loadSide(
  { objects }: Pick<StoreEnv, 'objects'>,
  root: Oid | null,
  { of, id }: ContestedRecord,
  side: string,
): Promise<ContestedSide> {
  const files = new Map<string, Oid>();
  const walk = async (folder: string, prefix: string): Promise<void> => {
    for (const entry of (await listFolder(objects, root, folder)).values()) {
      const path = `${prefix}${entry.name}`;
      if (entry.mode === '040000') await walk(`${folder}/${entry.name}`, `${path}/`);
      else files.set(path, entry.oid);
    }
  };
  await walk(`${workPath(of, 'open', id)}/${SIDES}/${side}`, '');
  const main = files.get(WORK_KINDS[of].file);
  const value = main === undefined ? null : parseJson((await objects.blob(main)).toString('utf8'));
  return { side, files, record: typeof value === 'object' ? (value as ContestedSide['record']) : null };
}

/** Which side of a contested record another state has as its own; null: neither, it knew an older version. */
export async function sideIn(
  env: Pick<StoreEnv, 'objects'>,
  root: Oid | null,
  work: ContestedWork,
): Promise<string | null> {
  for (const { side, files } of work.versions) {
    let equal = true;
    for (const [path, oid] of files) equal &&= (await fileIn(env, root, work, path)) === oid;
    if (equal) return side;
  }
  return null;
}

async function fileIn(
  { objects }: Pick<StoreEnv, 'objects'>,
  root: Oid | null,
  { of, id }: ContestedRecord,
  path: string,
): Promise<Oid | null> {
  if (path === DELETED) return (await lookUp(objects, root, tombstonePath(id)))?.oid ?? null;
  for (const area of AREAS) {
    const entry = await lookUp(objects, root, `${workPath(of, area, id)}/${path}`);
    if (entry !== null) return entry.oid;
  }
  return null;
}

/** The tree in which each of these is as its side says, index made again; its objects are written. Work that is not contested stays. */
export async function settleSides(
  env: StoreEnv,
  snapshot: Pick<StateSnapshot, 'root' | 'now'>,
  taken: ReadonlyMap<string, string>,
): Promise<Oid> {
  const editor = editTree(env.objects, snapshot.root);
  const made: NewObject[] = [];
  for (const work of await loadContested(env, snapshot.root)) {
    const { of, id } = work;
    const version = work.versions.find(({ side }) => side === taken.get(id));
    if (version === undefined) continue;
    const from = workPath(of, 'open', id);
    for (const side of work.versions)
      for (const path of side.files.keys()) await editor.remove(`${from}/${sidePath(side.side, path)}`);
    const grave = version.files.get(DELETED);
    if (grave !== undefined) {
      await editor.remove(from);
      await editor.put(tombstonePath(id), { mode: '100644', oid: grave });
      continue;
    }
    for (const [path, oid] of version.files) await editor.put(`${from}/${path}`, { mode: '100644', oid });
    const blob = newBlob(env.objects.format, canonical(decidedRecord(work, version)));
    made.push(blob);
    await editor.put(`${from}/${WORK_KINDS[of].file}`, { mode: '100644', oid: blob.oid });
    if (!isClosed(version.record)) continue;
    const folder = await editor.get(from);
    await editor.remove(from);
    if (folder !== null) await editor.put(workPath(of, 'closed', id), folder);
  }
  const root = (await editor.seal()) as Oid;
  await env.engine.write([...made, ...editor.made]);
  return (await indexAnew(env, root, snapshot.now)).root;
}

/** The version that counts, with both clocks one above the greatest: a worker of any side is superseded (S4). */
function decidedRecord(work: ContestedWork, version: ContestedSide): unknown {
  const numbers = (of: (record: Readonly<Record<string, unknown>>) => unknown): number =>
    Math.max(0, ...work.versions.map(({ record }) => Number(record === null ? 0 : of(record)) || 0));
  const occurrence = (record: Readonly<Record<string, unknown>>): unknown =>
    (record['occurrence'] as { readonly number?: unknown } | undefined)?.number;
  return {
    ...version.record,
    ...mergedBeside(work, version),
    revision: numbers((record) => record['revision']) + 1,
    // Of what was chosen: two clones that choose alike decide the same.
    occurrence: { number: numbers(occurrence) + 1, decision: sha256(`${work.report} ${version.side}`).slice(0, 16) },
  };
}

/** A merge that another version knows stays recorded beside one that closed the Job (G35). */
function mergedBeside(work: ContestedWork, version: ContestedSide): { readonly merged?: Merged } {
  const chosen = work.of === 'job' ? mergeSide(version) : null;
  for (const other of work.versions) {
    const side = other === version ? null : mergeSide(other);
    const merged = chosen === null || side === null ? null : keptMerge(chosen, side);
    if (merged !== null) return { merged };
  }
  return {};
}

/** Null: it was deleted there, or is not what a Job's record is. */
export function mergeSide({ record }: ContestedSide): MergeSide | null {
  if (record === null || typeof record['state'] !== 'string') return null;
  const { state, merged, reverted, dropped } = record as unknown as MergeSide;
  const named = typeof merged === 'object' && merged !== null && typeof merged.ref === 'string';
  return { state, merged: named ? merged : null, reverted: reverted === true, dropped: dropped ?? null };
}

const isClosed = (record: ContestedSide['record']): boolean =>
  CLOSED_STATES.has(record?.['state'] as JobState) || CLOSED_GOALS.has(record?.['status'] as GoalStatus);
