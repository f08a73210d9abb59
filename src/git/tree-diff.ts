// Which paths differ between two trees, from objects, without a process: for counts and for "was anything changed?".

import type { Oid } from '../domain/git.js';
import type { TreeEntry } from './engine.js';
import type { Pool } from './pool.js';
import type { AtPath } from './tree-path.js';

/** `path` is a latin1 ("binary") string. */
export interface PathChange {
  readonly path: string;
  readonly old: AtPath;
  readonly new: AtPath;
}

/** Files that differ, in the order of names; no renames. Equal folders are never entered. Ids are of trees or commits. */
export async function changedPaths(pool: Pool, from: Oid, to: Oid): Promise<readonly PathChange[]> {
  const changes: PathChange[] = [];
  await compare(pool, await pool.treeOf(from), await pool.treeOf(to), '', changes);
  return changes;
}

async function compare(
  pool: Pool,
  from: Oid | null,
  to: Oid | null,
  prefix: string,
  changes: PathChange[],
): Promise<void> {
  if (from === to) return;
  const before = byName(from === null ? [] : await pool.tree(from));
  const after = byName(to === null ? [] : await pool.tree(to));
  for (const name of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const one = before.get(name);
    const two = after.get(name);
    if (one?.oid === two?.oid && one?.mode === two?.mode) continue;
    const path = `${prefix}${name}`;
    const folderBefore = one?.mode === '040000' ? one.oid : null;
    const folderAfter = two?.mode === '040000' ? two.oid : null;
    const old = one === undefined || folderBefore !== null ? null : { mode: one.mode, oid: one.oid };
    const now = two === undefined || folderAfter !== null ? null : { mode: two.mode, oid: two.oid };
    if (old !== null || now !== null) changes.push({ path, old, new: now });
    await compare(pool, folderBefore, folderAfter, `${path}/`, changes);
  }
}

export const byName = (entries: readonly TreeEntry[]): Map<string, TreeEntry> =>
  new Map(entries.map((entry) => [entry.name, entry]));
