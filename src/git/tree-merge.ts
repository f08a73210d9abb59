// Three-way merge of trees where no content has to be merged: most commits of a replay, without a process.

import type { Oid } from '../domain/git.js';
import type { TreeEntry } from './engine.js';
import type { Pool } from './pool.js';
import { byName } from './tree-diff.js';

const DIRECTORY = '040000';

/**
 * The merged tree, or null where Git has to decide: some path was changed on both sides.
 *
 * Renames cannot change the answer otherwise. A renamed file matters where the other side changed, removed or added one of its
 * two paths; a renamed folder where the other side put something into the old one, which this side then lacks as a whole.
 * Each of these is a path that both sides changed. Equal changes on both sides count, too: both may have renamed one file.
 */
export async function mergeApart(pool: Pool, base: Oid, ours: Oid, theirs: Oid): Promise<Oid | null> {
  if (ours === base) return theirs;
  if (theirs === base) return ours;
  const [before, one, two] = [
    byName(await pool.tree(base)),
    byName(await pool.tree(ours)),
    byName(await pool.tree(theirs)),
  ];
  const merged: TreeEntry[] = [];
  for (const name of new Set([...before.keys(), ...one.keys(), ...two.keys()])) {
    const b = before.get(name);
    const o = one.get(name);
    const t = two.get(name);
    const taken = same(b, o) ? t : same(b, t) ? o : 'both';
    if (taken !== 'both') {
      if (taken !== undefined) merged.push(taken);
      continue;
    }
    // Inside a folder that all three have (or that both sides added) the changes may still lie apart.
    if (o?.mode !== DIRECTORY || t?.mode !== DIRECTORY || (b !== undefined && b.mode !== DIRECTORY)) return null;
    const inner = await mergeApart(pool, b?.oid ?? pool.emptyTree, o.oid, t.oid);
    if (inner === null) return null;
    if (inner !== pool.emptyTree) merged.push({ mode: DIRECTORY, name, oid: inner });
  }
  return merged.length === 0 ? pool.emptyTree : pool.addTree(merged);
}

const same = (one: TreeEntry | undefined, two: TreeEntry | undefined): boolean =>
  one?.oid === two?.oid && one?.mode === two?.mode;
