// Looks at Goals, their parts and Features, each in itself and against the others (01, 03). Reading only.

import { canonicalLine } from './canonical.js';
import { type Decoded, damaged } from './codec.js';
import { loadCounts } from './counts.js';
import type { Finding } from './finding.js';
import { derived, listSafely, lost, newer, treeSafely, unread } from './fsck-find.js';
import { decodeFeature, PART_DECODERS } from './goal-codec.js';
import { countGoals } from './goal-reads.js';
import { AREAS, FEATURES_PATH, GOAL_COUNTS_PATH, isWorkId, shardOf, shardPath, workRoot } from './layout.js';
import { GOALS, readShards } from './many-records.js';
import { lookUp, type Tree } from './objects.js';
import type { StateSnapshot } from './snapshot.js';

type Known = Map<string, 'open' | 'closed' | 'deleted'>;

/** Adds the ids of Goals to those that are known. */
export async function checkGoals(snapshot: StateSnapshot, known: Known, findings: Finding[]): Promise<void> {
  for (const area of AREAS) {
    const shards = await listSafely(snapshot, workRoot('goal', area), findings);
    for await (const read of readShards(snapshot.objects, GOALS, area, shards, snapshot.now)) {
      const { shard } = read;
      const path = shardPath('goal', area, shard);
      if (read.kind === 'unreadable') {
        findings.push(lost(path, read.error.message));
        continue;
      }
      const { tree, rows } = read;
      for (const [id, row] of rows) {
        const where = `${path}/${id}`;
        if (!isWorkId(id) || shardOf(id) !== shard) findings.push(lost(where, 'no Goal can lie under this name'));
        else tell(row, findings);
        if (known.has(id)) findings.push(lost(where, 'another record has this id'));
        known.set(id, area);
        await checkParts(snapshot, where, tree.get(id)?.mode === '040000' ? tree.get(id) : undefined, findings);
        if (row.kind === 'found' && row.record.round > 0) {
          const round = `${where}/rounds/${row.record.round}.json`;
          if ((await lookUp(snapshot.objects, snapshot.root, round)) === null)
            findings.push(lost(round, 'the current Round of the Goal is not there'));
        }
      }
    }
  }
  await checkFeatures(snapshot, findings);
  await checkGoalCounts(snapshot, findings);
}

function tell(row: Decoded<unknown>, findings: Finding[]): void {
  if (row.kind === 'damaged') findings.push(unread(row));
  if (row.kind === 'newer')
    findings.push(newer(row.path, `schema ${row.schema}, written by ${row.writer ?? 'a newer version'}`));
}

async function checkParts(
  snapshot: StateSnapshot,
  path: string,
  folder: Parameters<typeof entriesOf>[2],
  findings: Finding[],
): Promise<void> {
  const goal = path.slice(path.lastIndexOf('/') + 1);
  const tree = await entriesOf(snapshot, path, folder, findings);
  for (const [part, decode] of Object.entries(PART_DECODERS)) {
    const where = `${path}/${part}`;
    const files = await entriesOf(snapshot, where, tree.get(part), findings);
    await checkFiles(snapshot, where, files, (at, name, data) => decode(at, goal, name, data), findings);
  }
}

async function checkFiles(
  snapshot: StateSnapshot,
  folder: string,
  files: Tree,
  decode: (path: string, name: string, data: Buffer) => Decoded<unknown>,
  findings: Finding[],
): Promise<void> {
  const entries = [...files.values()];
  const data = await snapshot.objects.blobs(entries.map((entry) => entry.oid));
  for (const [at, entry] of entries.entries()) {
    const path = `${folder}/${entry.name}`;
    const bytes = data[at] ?? null;
    const name = entry.name.replace(/\.json$/, '');
    tell(
      bytes === null ? damaged(path, 'its object is missing or not to be read') : decode(path, name, bytes),
      findings,
    );
  }
}

async function entriesOf(
  snapshot: StateSnapshot,
  path: string,
  entry: { readonly mode: string; readonly oid: Parameters<typeof treeSafely>[2] } | undefined,
  findings: Finding[],
): Promise<Tree> {
  if (entry?.mode !== '040000') return new Map();
  return (await treeSafely(snapshot, path, entry.oid, findings)) ?? new Map();
}

async function checkFeatures(snapshot: StateSnapshot, findings: Finding[]): Promise<void> {
  const files = await listSafely(snapshot, FEATURES_PATH, findings);
  await checkFiles(snapshot, FEATURES_PATH, files, decodeFeature, findings);
}

async function checkGoalCounts(snapshot: StateSnapshot, findings: Finding[]): Promise<void> {
  const tree = (await lookUp(snapshot.objects, snapshot.root, workRoot('goal', 'open')))?.oid ?? null;
  if (tree === null) return;
  const counts = await loadCounts(snapshot.objects, snapshot.root, tree, 'goals');
  if (counts === null) findings.push(derived(GOAL_COUNTS_PATH, 'it is not of the open Goals beside it'));
  else if (canonicalLine(counts) !== canonicalLine(countGoals(await snapshot.openGoals())))
    findings.push(derived(GOAL_COUNTS_PATH, 'it counts other Goals than there are'));
}
