// All records as of one commit of `refine/state`: reading only, each record validated, what is absent told from what is damaged (01).

import { OwlError } from '../domain/errors.js';
import type { Oid } from '../domain/git.js';
import type { Job, Run } from '../domain/job.js';
import { joinCounts } from '../domain/open-counts.js';
import { queueOrder } from '../domain/queue.js';
import { decodeMeta, decodeRun } from './codec.js';
import { loadCounts } from './counts.js';
import { type GoalReads, goalReads } from './goal-reads.js';
import {
  type Area,
  isRunId,
  isWorkId,
  META_PATH,
  promptPath,
  runPath,
  runsPath,
  shardPath,
  type WorkKind,
  workPath,
  workRoot,
} from './layout.js';
import { JOBS, type Row, type Rows, readShards } from './many-records.js';
import { isUnreadable, listFolder, lookUp, type Objects } from './objects.js';
import { countRows, loadOpen } from './shards.js';
import type { Damage, Loaded, Meta, Snapshot } from './types.js';
import { areaIn, loadWork } from './work-record.js';

/** The tree of one state commit, and the moment it is looked at, in ms since the epoch. */
export interface StateRoot {
  readonly root: Oid | null;
  readonly now: number;
  readonly objects: Objects;
}

/** What the store itself needs beside the contract. */
export interface StateSnapshot extends Snapshot, StateRoot, GoalReads {
  /** The state's own record: damaged and newer are told, not thrown. */
  loadMeta(): Promise<Loaded<Meta>>;
  area(id: string): Promise<Area | null>;
  openRows(): Promise<Rows>;
  /** Open Jobs alone, by state. */
  jobCounts(): Promise<Readonly<Record<string, number>>>;
}

/** `root` is the tree of commit `tip`; both null where there is no state yet. `now` in ms since the epoch. */
export function createSnapshot(objects: Objects, tip: Oid | null, root: Oid | null, now: number): StateSnapshot {
  const met = new Map<string, Damage>();
  let open: Promise<Rows> | undefined;

  const tell = <T>(row: Loaded<T>): Loaded<T> => {
    if (row.kind === 'damaged') {
      const kind = row.contested === undefined ? 'damaged' : 'contested';
      met.set(row.path, { path: row.path, kind, why: row.why });
    }
    if (row.kind === 'newer') {
      const why = `schema ${row.schema}, written by ${row.writer ?? 'a newer version'}`;
      met.set(row.path, { path: row.path, kind: 'newer', why });
    }
    return row;
  };

  /** What is missing among the objects is damaged, never absent. */
  async function guarded<T>(path: string, read: () => Promise<Loaded<T>>): Promise<Loaded<T>> {
    try {
      return tell(await read());
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      return tell<T>({ kind: 'damaged', path, why: error.message });
    }
  }

  async function withWriter<T>(row: Loaded<T>): Promise<Loaded<T>> {
    if (row.kind !== 'newer' || row.writer !== null) return row;
    const meta = await loadMeta();
    return { ...row, writer: meta.kind === 'found' ? meta.record.writer : null };
  }

  const loadMeta = (): Promise<Loaded<Meta>> =>
    guarded(META_PATH, async () => {
      const entry = await lookUp(objects, root, META_PATH);
      return entry === null ? { kind: 'unknown' } : decodeMeta(META_PATH, await objects.blob(entry.oid));
    });

  const area = (id: string): Promise<Area | null> => areaIn({ objects, root, now }, 'job', id);

  const openRows = (): Promise<Rows> => (open ??= loadOpen(objects, root, now));

  const found = (rows: Iterable<Row<Job>>): Job[] => {
    const jobs = [];
    for (const row of rows) if (tell(row).kind === 'found' && row.kind === 'found') jobs.push(row.record);
    return jobs.sort(queueOrder);
  };

  async function runs(job: string): Promise<Run[]> {
    const at = await area(job);
    if (at === null) return [];
    const entries = [...(await listFolder(objects, root, runsPath(at, job))).values()];
    const data = await objects.blobs(entries.map((entry) => entry.oid));
    const all: Run[] = [];
    for (const [index, entry] of entries.entries()) {
      const id = entry.name.replace(/\.json$/, '');
      const path = runPath(at, job, id);
      const bytes = data[index] ?? null;
      const row: Loaded<Run> =
        bytes === null ? { kind: 'damaged', path, why: 'its object is missing' } : decodeRun(path, job, id, bytes);
      if (tell(row).kind === 'found' && row.kind === 'found') all.push(row.record);
    }
    return all.sort((one, two) => one.number - two.number || (one.id < two.id ? -1 : 1));
  }

  async function jobCounts(): Promise<Readonly<Record<string, number>>> {
    const tree = (await lookUp(objects, root, workRoot('job', 'open')))?.oid ?? null;
    return (await loadCounts(objects, root, tree)) ?? countRows((await openRows()).values());
  }

  async function idsOf(kind: WorkKind): Promise<readonly string[]> {
    const ids = new Set<string>();
    for (const folder of [workRoot(kind, 'open'), workRoot(kind, 'closed'), 'tombstones']) {
      const shards = [...(await listFolder(objects, root, folder)).values()];
      for (const tree of await objects.trees(shards.map((entry) => entry.oid))) {
        for (const name of tree.keys()) ids.add(name.replace(/\.json$/, ''));
      }
    }
    return [...ids].filter(isWorkId).sort();
  }

  const goals = goalReads({ objects, root, now, tell, guarded, withWriter });

  return {
    ...goals,
    tip,
    root,
    now,
    objects,
    loadMeta,
    area,
    openRows,
    meta: async () => {
      const meta = await loadMeta();
      if (meta.kind === 'found') return meta.record;
      if (meta.kind === 'unknown' || meta.kind === 'deleted') return null;
      throw metaError(meta);
    },
    job: async (id) =>
      isWorkId(id)
        ? withWriter(await guarded(workPath('job', 'open', id), () => loadWork({ objects, root, now }, JOBS, id)))
        : { kind: 'unknown' },
    prompt: async (id) => {
      const at = await area(id);
      const entry = at === null ? null : await lookUp(objects, root, promptPath(at, id));
      return entry === null ? null : (await objects.blob(entry.oid)).toString('utf8');
    },
    openJobs: async () => found((await openRows()).values()),
    closedJobs: async () => {
      const jobs: Job[] = [];
      const shards = await listFolder(objects, root, workRoot('job', 'closed'));
      for await (const read of readShards(objects, JOBS, 'closed', shards, now)) {
        if (read.kind === 'read') jobs.push(...found(read.rows.values()));
        else tell({ kind: 'damaged', path: shardPath('job', 'closed', read.shard), why: read.error.message });
      }
      return jobs.sort(queueOrder);
    },
    jobIds: () => idsOf('job'),
    goalIds: () => idsOf('goal'),
    runs,
    run: async (job, run) => {
      const at = isRunId(run) ? await area(job) : null;
      if (at === null) return { kind: 'unknown' };
      const path = runPath(at, job, run);
      return withWriter(
        await guarded<Run>(path, async () => {
          const entry = await lookUp(objects, root, path);
          return entry === null ? { kind: 'unknown' } : decodeRun(path, job, run, await objects.blob(entry.oid));
        }),
      );
    },
    jobCounts,
    openCounts: async () => joinCounts(await jobCounts(), await goals.goalCounts()),
    damages: async () => {
      found((await openRows()).values());
      await goals.openGoals();
      await goals.features();
      await loadMeta();
      return [...met.values()].sort((one, two) => (one.path < two.path ? -1 : 1));
    },
  };
}

/** Why the state as a whole cannot be written or its own record not be read. */
export function metaError(meta: Exclude<Loaded<Meta>, { readonly kind: 'found' | 'unknown' | 'deleted' }>): OwlError {
  const preserved = ['nothing was changed'];
  if (meta.kind === 'newer') {
    const writer = meta.writer === null ? 'a newer git owl' : `git owl ${meta.writer}`;
    return new OwlError(
      'newer-state',
      `refine/state has schema ${meta.schema}, written by ${writer}; this program knows schema 1`,
      {
        preserved,
        next: ['npm install --global git-owl@latest'],
        data: { schema: meta.schema, writer: meta.writer },
      },
    );
  }
  return new OwlError('damaged-state', `${meta.path} in refine/state is damaged: ${meta.why}`, {
    preserved,
    next: ['git owl fsck'],
  });
}
