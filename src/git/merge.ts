// What lands: merges and merge commits made from objects, so that no checkout matters and no HEAD moves (J34). No ref moves here.

import { OwlError } from '../domain/errors.js';
import type { Oid } from '../domain/git.js';
import { gitFailed } from './exec.js';
import type { Identity } from './git.js';
import { isolate } from './isolated.js';
import { agreeOnHandoff } from './own-handoff.js';
import { createPool, type Pool } from './pool.js';
import { type RawCommit, utf8Bytes } from './raw-commit.js';
import type { Repository } from './repository.js';
import { commitMaker, type Signing } from './sign.js';
import { mergeThree, type TreeMerge } from './three-way.js';
import { changedPaths } from './tree-diff.js';
import { type AtPath, entryAt, putAt } from './tree-path.js';

export interface MergeTreesRequest {
  readonly ours: Oid;
  readonly theirs: Oid;
  /** Default: their only merge base. */
  readonly base?: Oid | undefined;
  /** Whose attributes count; default: those of `ours`. */
  readonly attributes?: Oid | undefined;
  /** Resolved to the version of `theirs`, so that it never conflicts (J25). */
  readonly handoff?: string | undefined;
}

/**
 * Merges two commits (or trees, with a base) into a tree that is in the repository when it returns.
 * Throws OwlError `git-failed` when there is no single merge base, `unreadable-object`, `storage`.
 */
export async function mergeTrees(repository: Repository, request: MergeTreesRequest): Promise<TreeMerge> {
  const pool = await createPool(repository);
  const isolation = isolate(repository, request.attributes ?? request.ours);
  try {
    const base = request.base ?? (await onlyMergeBase(pool, request.ours, request.theirs));
    const trees = {
      base: await pool.treeOf(base),
      ours: await pool.treeOf(request.ours),
      theirs: await pool.treeOf(request.theirs),
    };
    const { handoff } = request;
    const agreed =
      handoff === undefined
        ? trees
        : await agreeOnHandoff(pool, trees, handoff, await entryAt(pool, trees.base, handoff));
    const merged = await mergeThree({ repository, pool, isolation }, agreed);
    if (merged.kind === 'clean') await pool.flush();
    return merged;
  } finally {
    await isolation.close();
  }
}

async function onlyMergeBase(pool: Pool, one: Oid, two: Oid): Promise<Oid> {
  const bases = await pool.engine.mergeBases(one, two);
  if (typeof bases !== 'string' && bases.length === 1 && bases[0] !== undefined) return bases[0];
  const found = typeof bases === 'string' ? bases : `there are ${bases.length}`;
  throw new OwlError('git-failed', `no single commit is the merge base of ${one} and ${two} (${found})`);
}

export interface LandingRequest {
  /** First parent: the verified base. */
  readonly base: Oid;
  /** Second parent: the verified tip, which has the base among its ancestors. */
  readonly tip: Oid;
  /** UTF-8. */
  readonly message: string;
  readonly identity: Identity;
  readonly signing: Signing;
  readonly signTimeout?: number | undefined;
  readonly handoffPath: string;
}

export interface LandingCommit {
  readonly commit: Oid;
  readonly tree: Oid;
  /** Files that differ from the base. */
  readonly files: number;
  /** Commits of the branch that the base does not have. */
  readonly commits: number;
}

/**
 * The merge commit of a verified tip: its tree is that tip's, with the Handoff's path as the base has it, or left out (J25, J34).
 * Throws OwlError `refused` when the base is not an ancestor of the tip; `git-failed`, `timeout` (signer), `storage`.
 */
export async function landingCommit(repository: Repository, request: LandingRequest): Promise<LandingCommit> {
  const { base, tip, identity } = request;
  const pool = await createPool(repository);
  if ((await pool.engine.isAncestor(base, tip)) !== 'ancestor') {
    throw new OwlError('refused', 'the tip does not contain the base that it would be merged into', {
      preserved: ['nothing was changed'],
      data: { base, tip },
    });
  }
  const commits = await countCommits(repository, base, tip);
  const tree = await withBasesHandoff(pool, { base, tree: await pool.treeOf(tip), path: request.handoffPath });
  const make = await commitMaker({
    repository,
    pool,
    identity,
    signing: request.signing,
    timeout: request.signTimeout,
  });
  const commit = await make(ownCommit({ tree, parents: [base, tip], message: request.message, identity }));
  const files = (await changedPaths(pool, base, tree)).length;
  await pool.flush();
  return { commit, tree, files, commits };
}

/** Commits of `tip` that `base` does not have. Throws OwlError `git-failed`. */
export async function countCommits(repository: Repository, base: Oid, tip: Oid): Promise<number> {
  const args = ['rev-list', '--count', '--end-of-options', tip, `^${base}`];
  const counted = await repository.git.run(args);
  if (counted.code !== 0) throw gitFailed(args, counted);
  return Number(counted.stdout.toString('latin1').trim());
}

/** A commit of our own making: author is the identity, the message is UTF-8 text and ends in a line break. */
export const ownCommit = (parts: {
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly message: string;
  readonly identity: Identity;
}): RawCommit => ({
  tree: parts.tree,
  parents: parts.parents,
  author: utf8Bytes(parts.identity.author),
  encoding: undefined,
  message: utf8Bytes(parts.message.endsWith('\n') ? parts.message : `${parts.message}\n`),
});

/** The tree with the base's version at the Handoff's path, or with nothing there. */
export async function withBasesHandoff(
  pool: Pool,
  place: { readonly base: Oid; readonly tree: Oid; readonly path: string },
): Promise<Oid> {
  return putAt(pool, place.tree, place.path, await entryAt(pool, await pool.treeOf(place.base), place.path));
}

/** A tree (or a commit's) with something else at one path, written; null takes the path out. */
export async function stripPath(
  repository: Repository,
  tree: Oid,
  path: string,
  replacement: AtPath = null,
): Promise<Oid> {
  const pool = await createPool(repository);
  const stripped = await putAt(pool, await pool.treeOf(tree), path, replacement);
  await pool.flush();
  return stripped;
}
