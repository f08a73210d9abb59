// Looks at everything the state holds and at the refs around it, and says what is wrong and how to mend it (01, S9, 07.30). Reading only.

import { OwlError } from '../domain/errors.js';
import type { Oid } from '../domain/git.js';
import type { Job } from '../domain/job.js';
import { canonicalLine } from './canonical.js';
import { decodeTombstone } from './codec.js';
import { loadCounts } from './counts.js';
import type { Finding } from './finding.js';
import { derived, history, listSafely, lost, newer, treeSafely, unread } from './fsck-find.js';
import { checkGoals } from './fsck-goals.js';
import { checkBranches, checkIntents, checkKept, checkOccupied } from './fsck-refs.js';
import { checkTracked } from './fsck-remote.js';
import { checkRuns } from './fsck-runs.js';
import {
  AREAS,
  COUNTS_PATH,
  indexPath,
  isWorkId,
  META_PATH,
  STATE_REF,
  shardOf,
  shardPath,
  tombstonePath,
  WORK_KINDS,
  workRoot,
} from './layout.js';
import { loadState } from './load-state.js';
import { JOBS, type Rows, readShards } from './many-records.js';
import { lookUp } from './objects.js';
import { countRows, parseIndex } from './shards.js';
import { createSnapshot, type StateSnapshot } from './snapshot.js';
import { openEnv, type StoreDeps } from './store.js';
import type { StoreEnv } from './store-env.js';

/** Everything that is wrong, worst first. An empty list: all records, indexes and refs of ours agree. */
export async function checkState(deps: StoreDeps): Promise<readonly Finding[]> {
  return inspect(await openEnv(deps));
}

export async function inspect(env: StoreEnv): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  let snapshot: StateSnapshot | null = null;
  try {
    snapshot = await loadState(env);
  } catch (error) {
    if (!(error instanceof OwlError)) throw error;
    findings.push({
      severity: 'error',
      kind: 'look',
      where: STATE_REF,
      what: error.message,
      ...(error.data['missing'] === true ? MISSING : OVERWRITTEN),
    });
  }
  const known = new Map<string, 'open' | 'closed' | 'deleted'>();
  if (snapshot?.root) {
    await checkMeta(snapshot, findings);
    await checkRecords(snapshot, findings, known);
    await checkCounts(snapshot, findings);
  }
  if (snapshot !== null) {
    await checkKept(env, known, findings);
    await checkBranches(env, snapshot, known, findings);
  }
  await checkTracked(env, checkRecords, findings);
  await checkIntents(env, findings);
  await checkOccupied(env, findings);
  const weight = (finding: Finding): number => (finding.severity === 'error' ? 0 : 1);
  return findings.sort((one, two) => weight(one) - weight(two) || (one.where < two.where ? -1 : 1));
}

/** `known`: is told of every id that there is. */
async function checkRecords(
  snapshot: StateSnapshot,
  findings: Finding[],
  known = new Map<string, 'open' | 'closed' | 'deleted'>(),
): Promise<void> {
  await checkWork(snapshot, known, findings);
  await checkGoals(snapshot, known, findings);
  await checkTombstones(snapshot, known, findings);
}

const OVERWRITTEN = {
  repair: 'earlier values of the branch are in its reflog; a clone or the remote may have it whole',
  next: 'git reflog show refs/heads/refine/state',
};

/** With a branch its reflog goes; the commits stay until Git prunes them. */
const MISSING = {
  repair:
    'its last commit is one of the dangling ones, with Owl-Op in its message, and a clone or the remote may have it: git branch refine/state <commit> brings it back',
  next: 'git fsck --no-reflogs',
};

async function checkMeta(snapshot: StateSnapshot, findings: Finding[]): Promise<void> {
  const meta = await snapshot.loadMeta();
  if (meta.kind === 'damaged') findings.push(lost(META_PATH, meta.why));
  if (meta.kind === 'newer')
    findings.push(newer(META_PATH, `schema ${meta.schema}, written by ${meta.writer ?? 'a newer version'}`));
}

async function checkWork(
  snapshot: StateSnapshot,
  known: Map<string, 'open' | 'closed' | 'deleted'>,
  findings: Finding[],
): Promise<void> {
  for (const area of AREAS) {
    const shards = await listSafely(snapshot, workRoot('job', area), findings);
    for await (const read of readShards(snapshot.objects, JOBS, area, shards, snapshot.now)) {
      const { shard } = read;
      const path = shardPath('job', area, shard);
      if (read.kind === 'unreadable') {
        findings.push(lost(path, read.error.message));
        continue;
      }
      const { tree, rows } = read;
      for (const [id, row] of rows) {
        if (!isWorkId(id) || shardOf(id) !== shard)
          findings.push(lost(`${path}/${id}`, 'no Job can lie under this name'));
        else if (row.kind === 'damaged') findings.push(unread(row));
        else if (row.kind === 'newer')
          findings.push(newer(row.path, `schema ${row.schema}, written by ${row.writer ?? 'a newer version'}`));
        if (known.has(id)) findings.push(lost(`${path}/${id}`, 'the Job lies in open and in closed work'));
        known.set(id, area);
      }
      await checkRuns(snapshot, path, tree, findings);
      if (area === 'open') await checkIndex(snapshot, shard, read.oid, rows, findings);
    }
  }
  for (const shard of (await listSafely(snapshot, WORK_KINDS.job.index, findings)).keys()) {
    if ((await lookUp(snapshot.objects, snapshot.root, shardPath('job', 'open', shard))) === null) {
      findings.push(derived(indexPath('job', shard), 'the index of a folder that is not there'));
    }
  }
}

async function checkIndex(
  snapshot: StateSnapshot,
  shard: string,
  tree: Oid,
  rows: Rows,
  findings: Finding[],
): Promise<void> {
  const path = indexPath('job', shard);
  const entry = await lookUp(snapshot.objects, snapshot.root, path);
  const data = entry === null ? null : (await snapshot.objects.blobs([entry.oid]))[0];
  const index =
    data === null || data === undefined ? null : parseIndex(data.toString('utf8'), shard, tree, snapshot.now);
  if (index === null) {
    findings.push(
      derived(
        path,
        entry === null ? 'there is no index of this folder' : 'it is not the index of the folder beside it',
      ),
    );
    return;
  }
  const record = (id: string): Job | null => {
    const row = rows.get(id);
    return row?.kind === 'found' ? row.record : null;
  };
  const listed = [...index.rows].every(
    ([id, row]) => row.kind === 'found' && canonicalLine(row.record) === canonicalLine(record(id)),
  );
  const whole = [...rows.keys()].every((id) => index.rows.has(id) || index.unread.includes(id));
  if (!listed || !whole || index.rows.size + index.unread.length !== rows.size)
    findings.push(derived(path, 'it says other things than the records'));
}

async function checkCounts(snapshot: StateSnapshot, findings: Finding[]): Promise<void> {
  const tree = (await lookUp(snapshot.objects, snapshot.root, workRoot('job', 'open')))?.oid ?? null;
  const counts = await loadCounts(snapshot.objects, snapshot.root, tree);
  const rows = await createSnapshot(snapshot.objects, snapshot.tip, snapshot.root, snapshot.now).openRows();
  if (counts === null ? tree !== null : canonicalLine(counts) !== canonicalLine(countRows(rows.values()))) {
    findings.push(
      derived(
        COUNTS_PATH,
        counts === null ? 'it is not of the open work beside it' : 'it counts other Jobs than there are',
      ),
    );
  }
}

async function checkTombstones(
  snapshot: StateSnapshot,
  known: Map<string, 'open' | 'closed' | 'deleted'>,
  findings: Finding[],
): Promise<void> {
  for (const [shard, entry] of await listSafely(snapshot, 'tombstones', findings)) {
    const tree = await treeSafely(snapshot, `tombstones/${shard}`, entry.oid, findings);
    const files = [...(tree?.values() ?? [])];
    const data = await snapshot.objects.blobs(files.map((file) => file.oid));
    for (const [at, file] of files.entries()) {
      const id = file.name.replace(/\.json$/, '');
      const path = tombstonePath(id);
      const bytes = data[at] ?? null;
      const read = bytes === null ? null : decodeTombstone(path, bytes);
      if (read === null || read.kind === 'damaged') findings.push(lost(path, read?.why ?? 'its object is missing'));
      else if (read.kind === 'newer') findings.push(newer(path, `schema ${read.schema}`));
      if (known.has(id)) {
        findings.push({
          severity: 'error',
          kind: 'look',
          where: path,
          what: `${id} was deleted and has a record in ${known.get(id)} work`,
          repair: 'the history shows which came last; until it is settled it is not touched',
          next: history(path),
        });
      }
      known.set(id, 'deleted');
    }
  }
}
