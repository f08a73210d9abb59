// One path of a tree: look at it, put something else there. From objects, nothing is checked out.

import type { Oid } from '../domain/git.js';
import type { TreeEntry, TreeMode } from './engine.js';
import { binaryName } from './path-bytes.js';
import type { Pool } from './pool.js';

/** What lies at a path: mode and object; null when nothing does. */
export type AtPath = { readonly mode: TreeMode; readonly oid: Oid } | null;

const DIRECTORY: TreeMode = '040000';

const partsOf = (path: string): string[] => binaryName(path).split('/');

/** What a tree has at a path (UTF-8, `/` between folders). */
export async function entryAt(pool: Pool, tree: Oid, path: string): Promise<AtPath> {
  let found: AtPath = { mode: DIRECTORY, oid: tree };
  for (const name of partsOf(path)) {
    if (found.mode !== DIRECTORY) return null;
    const entry: TreeEntry | undefined = (await pool.tree(found.oid)).find((one) => one.name === name);
    if (entry === undefined) return null;
    found = { mode: entry.mode, oid: entry.oid };
  }
  return found;
}

export const sameAt = (one: AtPath, two: AtPath): boolean =>
  one === two || (one !== null && two !== null && one.mode === two.mode && one.oid === two.oid);

/**
 * The tree with this at the path, or with nothing there; folders that become empty go. The new trees are in the pool.
 * Where a file stands in the place of a folder of the path, the tree stays as it is: that file is someone's work.
 */
export async function putAt(pool: Pool, tree: Oid, path: string, at: AtPath): Promise<Oid> {
  return (await put(pool, tree, partsOf(path), at)) ?? pool.emptyTree;
}

/** Null: the folder is empty now. */
async function put(pool: Pool, tree: Oid | null, parts: readonly string[], at: AtPath): Promise<Oid | null> {
  const [name, ...rest] = parts;
  if (name === undefined) return tree;
  const entries = tree === null ? [] : await pool.tree(tree);
  const old = entries.find((entry) => entry.name === name);
  let next: AtPath = at;
  if (rest.length > 0) {
    if (old !== undefined && old.mode !== DIRECTORY) return tree;
    const inner = await put(pool, old?.oid ?? null, rest, at);
    next = inner === null ? null : { mode: DIRECTORY, oid: inner };
  }
  if (sameAt(old ?? null, next)) return tree;
  const others = entries.filter((entry) => entry !== old);
  if (next !== null) others.push({ mode: next.mode, name, oid: next.oid });
  return others.length === 0 ? null : pool.addTree(others);
}
