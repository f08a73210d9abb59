// Mends what can be mended without a decision: indexes and counts from the records, damaged records from their own history (01, S9).

import type { Oid } from '../domain/git.js';
import type { Job } from '../domain/job.js';
import { newBlob } from '../git/objects.js';
import { decodeJob, decodeRun, encodeRecord } from './codec.js';
import { formatCounts } from './counts.js';
import type { Finding } from './finding.js';
import { inspect } from './fsck.js';
import { decodeFeature, decodeGoal, PART_DECODERS } from './goal-codec.js';
import { countGoals } from './goal-reads.js';
import {
  COUNTS_PATH,
  GOAL_COUNTS_PATH,
  type GoalPart,
  indexPath,
  isWorkId,
  recordPath,
  STATE_REF,
  shardPath,
  WORK_KINDS,
  workRoot,
} from './layout.js';
import { JOBS, type Row, readShards } from './many-records.js';
import { isUnreadable, listFolder, lookUp } from './objects.js';
import { countRows, formatIndex } from './shards.js';
import type { StateSnapshot } from './snapshot.js';
import { openEnv, type StoreDeps } from './store.js';
import type { StoreEnv } from './store-env.js';
import { editTree, type TreeEditor } from './tree.js';
import { updateState } from './update.js';

export interface Repaired {
  /** The state commit; null when nothing could be mended. */
  readonly commit: Oid | null;
  /** One sentence each. */
  readonly done: readonly string[];
  /** What is still wrong, after it. */
  readonly left: readonly Finding[];
}

/** How far back an earlier version of a record is looked for, in state commits. */
const DEPTH = 20_000;

/**
 * Derives indexes and counts anew, and with `records` puts the newest readable version of each damaged record back.
 * Never touches what is newer, deleted, or whole. Throws what StateStore.update throws.
 */
export async function repairState(deps: StoreDeps, options: { readonly records: boolean }): Promise<Repaired> {
  const env = await openEnv(deps);
  const before = await inspect(env);
  const damaged = options.records
    ? before.filter((finding) => finding.kind === 'record').map((finding) => finding.where)
    : [];
  let done: string[] = [];
  const restored = await restoreRecords(env, damaged, (line) => done.push(line));
  const wrong = before.some((finding) => finding.kind === 'derived') || restored.size > 0;
  if (!wrong) return { commit: null, done, left: before };
  const said = [...done];
  const updated = await updateState<null>(
    env,
    {
      step: 'repair',
      files: async (snapshot) => {
        done = [...said];
        return deriveAll(env, snapshot, restored, (line) => done.push(line));
      },
    },
    async (tx) => {
      tx.event({
        event: 'state.repaired',
        subject: restored.size > 0 ? `repaired ${[...restored.keys()].join(', ')}` : 'indexes derived again',
      });
      return null;
    },
  );
  return { commit: updated.commit, done, left: await inspect(env) };
}

/** Path -> bytes of the newest version that can be read, with the revision one up. */
async function restoreRecords(
  env: StoreEnv,
  paths: readonly string[],
  say: (line: string) => void,
): Promise<ReadonlyMap<string, Buffer>> {
  const restored = new Map<string, Buffer>();
  for (const path of paths) {
    const found = await findVersion(env, path);
    if (found === null) continue;
    restored.set(path, found.data);
    say(`${path} is again as it was in ${found.commit.slice(0, 10)}`);
  }
  return restored;
}

async function findVersion(
  env: StoreEnv,
  path: string,
): Promise<{ readonly data: Buffer; readonly commit: Oid } | null> {
  let at = await env.engine.resolve(STATE_REF);
  const tried = new Set<Oid>();
  for (let depth = 0; at !== null && depth < DEPTH; depth += 1) {
    try {
      const commit = await env.objects.commit(at);
      const entry = await lookUp(env.objects, commit.tree, path).catch(skipUnreadable);
      if (entry !== null && !tried.has(entry.oid)) {
        tried.add(entry.oid);
        const [blob] = await env.objects.blobs([entry.oid]);
        const data = blob === null || blob === undefined ? null : readable(env, path, blob);
        if (data !== null) return { data, commit: at };
      }
      at = commit.parents[0] ?? null;
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      return null;
    }
  }
  return null;
}

const skipUnreadable = (error: unknown): null => {
  if (isUnreadable(error)) return null;
  throw error;
};

/** The bytes to write, when this version of the file at a path is whole. */
function readable(env: StoreEnv, path: string, data: Buffer): Buffer | null {
  const job = /^(open|closed)\/jobs\/[0-9a-f]{2}\/([^/]+)\/job\.json$/.exec(path);
  if (job?.[1] !== undefined && job[2] !== undefined) {
    const read = decodeJob({ path, id: job[2], area: job[1] as 'open' | 'closed', now: env.clock.now() }, data);
    return read.kind === 'found'
      ? encodeRecord('job', path, { ...read.record, revision: read.record.revision + 1 })
      : null;
  }
  const run = /^(?:open|closed)\/jobs\/[0-9a-f]{2}\/([^/]+)\/runs\/([^/]+)\.json$/.exec(path);
  if (run?.[1] !== undefined && run[2] !== undefined)
    return decodeRun(path, run[1], run[2], data).kind === 'found' ? data : null;
  return readableGoal(env, path, data) ?? (/\/prompt$/.test(path) ? data : null);
}

/** The same of a Goal, a part of one, or a Feature; another kind of path: null. */
function readableGoal(env: StoreEnv, path: string, data: Buffer): Buffer | null {
  const goal = /^(open|closed)\/goals\/[0-9a-f]{2}\/([^/]+)\/goal\.json$/.exec(path);
  if (goal?.[1] !== undefined && goal[2] !== undefined) {
    const read = decodeGoal({ path, id: goal[2], area: goal[1] as 'open' | 'closed', now: env.clock.now() }, data);
    return read.kind === 'found'
      ? encodeRecord('goal', path, { ...read.record, revision: read.record.revision + 1 })
      : null;
  }
  const part = /^(?:open|closed)\/goals\/[0-9a-f]{2}\/([^/]+)\/([a-z]+)\/([^/]+)\.json$/.exec(path);
  if (part?.[1] !== undefined && part[3] !== undefined) {
    const decode = Object.hasOwn(PART_DECODERS, part[2] ?? '') ? PART_DECODERS[part[2] as GoalPart] : null;
    return decode?.(path, part[1], part[3], data).kind === 'found' ? data : null;
  }
  const feature = /^features\/([^/]+)\.json$/.exec(path)?.[1];
  return feature !== undefined && decodeFeature(path, feature, data).kind === 'found' ? data : null;
}

/** Files to write so that every index and the counts are what the records say, restored ones included. */
async function deriveAll(
  env: StoreEnv,
  snapshot: StateSnapshot,
  restored: ReadonlyMap<string, Buffer>,
  say: (line: string) => void,
): Promise<ReadonlyMap<string, Buffer | null>> {
  const files = new Map<string, Buffer | null>(restored);
  const editor = editTree(env.objects, snapshot.root);
  for (const [path, data] of restored)
    await editor.put(path, { mode: '100644', oid: newBlob(env.objects.format, data).oid });
  const all: Row<Job>[] = [];
  const shards = await listFolder(env.objects, snapshot.root, workRoot('job', 'open'));
  for await (const read of readShards(env.objects, JOBS, 'open', shards, snapshot.now)) {
    const { shard } = read;
    const tree = await editor.seal(shardPath('job', 'open', shard));
    if (tree === null) continue;
    const rows = new Map(read.kind === 'read' ? read.rows : []);
    for (const [path, data] of restored) {
      const id = /^open\/jobs\/[0-9a-f]{2}\/([^/]+)\/job\.json$/.exec(path)?.[1];
      if (id === undefined || !isWorkId(id) || !path.startsWith(`${shardPath('job', 'open', shard)}/`)) continue;
      rows.set(id, decodeJob({ path: recordPath('job', 'open', id), id, area: 'open', now: snapshot.now }, data));
    }
    all.push(...rows.values());
    const index = Buffer.from(formatIndex(tree, rows), 'utf8');
    if (await differs(env, snapshot, indexPath('job', shard), index)) {
      files.set(indexPath('job', shard), index);
      say(`the index of ${shardPath('job', 'open', shard)} was derived again`);
    }
  }
  for (const shard of (await listFolder(env.objects, snapshot.root, WORK_KINDS.job.index)).keys()) {
    if (!shards.has(shard)) files.set(indexPath('job', shard), null);
  }
  const counts = Buffer.from(formatCounts(await editor.seal(workRoot('job', 'open')), countRows(all)), 'utf8');
  if (await differs(env, snapshot, COUNTS_PATH, counts)) {
    files.set(COUNTS_PATH, counts);
    say('open work was counted again');
  }
  const goals = Buffer.from(await countGoalsAgain(snapshot, editor, restored), 'utf8');
  if (goals.length > 0 && (await differs(env, snapshot, GOAL_COUNTS_PATH, goals))) {
    files.set(GOAL_COUNTS_PATH, goals);
    say('open Goals were counted again');
  }
  return files;
}

/** The counts of open Goals, restored records included; empty where there are none. */
async function countGoalsAgain(
  snapshot: StateSnapshot,
  editor: TreeEditor,
  restored: ReadonlyMap<string, Buffer>,
): Promise<string> {
  const tree = await editor.seal(workRoot('goal', 'open'));
  if (tree === null) return '';
  const goals = new Map((await snapshot.openGoals()).map((goal) => [goal.id, goal]));
  for (const [path, data] of restored) {
    const id = /^open\/goals\/[0-9a-f]{2}\/([^/]+)\/goal\.json$/.exec(path)?.[1];
    const read = id === undefined ? null : decodeGoal({ path, id, area: 'open', now: snapshot.now }, data);
    if (read?.kind === 'found') goals.set(read.record.id, read.record);
  }
  return formatCounts(tree, countGoals(goals.values()), 'goals');
}

async function differs(env: StoreEnv, snapshot: StateSnapshot, path: string, data: Buffer): Promise<boolean> {
  const entry = await lookUp(env.objects, snapshot.root, path);
  return entry === null || !(await env.objects.blobs([entry.oid]))[0]?.equals(data);
}
