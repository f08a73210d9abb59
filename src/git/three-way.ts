// One three-way merge of trees: apart where nothing overlaps, else by `git merge-tree` inside an isolation (11).

import { OwlError } from '../domain/errors.js';
import type { Oid } from '../domain/git.js';
import { gitFailed } from './exec.js';
import type { Isolation } from './isolated.js';
import { newCommit } from './objects.js';
import { parseMergeTree } from './parse/merge-tree.js';
import { loadContents } from './partial.js';
import { shownName } from './path-bytes.js';
import type { Pool } from './pool.js';
import type { Repository } from './repository.js';
import { mergeApart } from './tree-merge.js';

export type TreeMerge =
  | { readonly kind: 'clean'; readonly tree: Oid }
  /** `paths`: every conflicting path, as UTF-8. `messages`: what Git says of them, for people. */
  | { readonly kind: 'conflict'; readonly paths: readonly string[]; readonly messages: readonly string[] };

export interface ThreeTrees {
  readonly base: Oid;
  readonly ours: Oid;
  readonly theirs: Oid;
}

/** A room for merges: the objects at hand and the isolation with the attributes that count. */
export interface MergeRoom {
  readonly repository: Repository;
  readonly pool: Pool;
  readonly isolation: Isolation;
}

const NOBODY = 'git-owl <git-owl@localhost> 0 +0000';

/** Merges three trees. Throws OwlError `git-failed`, `unreadable-object`, `timeout`, `storage`. */
export async function mergeThree(room: MergeRoom, trees: ThreeTrees): Promise<TreeMerge> {
  const { repository, pool } = room;
  const apart = await mergeApart(pool, trees.base, trees.ours, trees.theirs);
  if (apart !== null) return { kind: 'clean', tree: apart };

  if (repository.partial) {
    await pool.flush();
    await loadContents(repository, trees.base, [trees.ours, trees.theirs]);
  }
  const inside = await room.isolation.enter();
  // `--merge-base` came with Git 2.40. Two commits on one parent without parents of its own have that one for a merge base.
  const commit = (tree: Oid, parents: readonly Oid[], message: string) =>
    newCommit(pool.format, { tree, parents, author: NOBODY, committer: NOBODY, message });
  const base = commit(trees.base, [], 'base');
  const ours = commit(trees.ours, [base.oid], 'ours');
  const theirs = commit(trees.theirs, [base.oid], 'theirs');
  await inside.lend([...pool.pendingTrees(), base, ours, theirs]);
  const args = ['merge-tree', '--write-tree', '-z', '--messages', ours.oid, theirs.oid];
  const result = await inside.run(args, { reading: false });
  if (result.code !== 0 && result.code !== 1) throw gitFailed(args, result);
  const merged = parseMergeTree(result.stdout, [ours.oid, theirs.oid]);
  if (result.code === 0) return { kind: 'clean', tree: merged.tree };
  if (merged.paths.length === 0) throw new OwlError('git-failed', 'git merge-tree met a conflict and named no path');
  return {
    kind: 'conflict',
    paths: merged.paths.map(shownName),
    messages: merged.messages
      .filter((message) => message.type.startsWith('CONFLICT'))
      .map((message) => nameSides(shownName(message.text), ours.oid, theirs.oid)),
  };
}

/** Git names the sides by the ids of commits that exist only here. */
const nameSides = (text: string, ours: Oid, theirs: Oid): string =>
  text.replaceAll(ours, 'the base').replaceAll(theirs, 'the branch');
