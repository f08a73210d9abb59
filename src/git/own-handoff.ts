// The Handoff's path in a merge is resolved by us: the Job's own version, so that two Jobs never conflict on it (J25).

import type { Oid } from '../domain/git.js';
import type { Pool } from './pool.js';
import type { ThreeTrees } from './three-way.js';
import { type AtPath, entryAt, putAt, sameAt } from './tree-path.js';

/** Three trees that agree at the Handoff's path, for one commit of the Job. */
export async function agreeOnHandoff(
  pool: Pool,
  trees: ThreeTrees,
  path: string,
  inherited: AtPath,
): Promise<ThreeTrees> {
  const jobs = await entryAt(pool, trees.theirs, path);
  // A Handoff that the Job never touched is the base's: it follows the base.
  const agreed = sameAt(jobs, inherited) ? await entryAt(pool, trees.ours, path) : jobs;
  const at = (tree: Oid): Promise<Oid> => putAt(pool, tree, path, agreed);
  const agreeing = { base: await at(trees.base), ours: await at(trees.ours), theirs: await at(trees.theirs) };
  // A file of the base in the place of the Handoff's folder: that is a conflict, and not ours to resolve.
  const isKept = agreed === null || sameAt(await entryAt(pool, agreeing.ours, path), agreed);
  return isKept ? agreeing : trees;
}

/** Do two trees (or commits) differ in more than the Handoff? */
export async function differBeyondHandoff(pool: Pool, from: Oid, to: Oid, path: string): Promise<boolean> {
  const bare = async (oid: Oid): Promise<Oid> => putAt(pool, await pool.treeOf(oid), path, null);
  return (await bare(from)) !== (await bare(to));
}
