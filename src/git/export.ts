// The verified work as commits without the Handoff, for a branch of the user's own (J30). No ref moves here.

import { isOid, type Oid } from '../domain/git.js';
import { gitFailed } from './exec.js';
import type { Identity } from './git.js';
import { ownCommit, withBasesHandoff } from './merge.js';
import { createPool } from './pool.js';
import type { Repository } from './repository.js';
import { commitMaker, type Signing } from './sign.js';

export interface ExportRequest {
  readonly base: Oid;
  readonly tip: Oid;
  readonly handoffPath: string;
  readonly identity: Identity;
  readonly signing: Signing;
  readonly signTimeout?: number | undefined;
  /** Message of the one commit; left out: commit by commit. */
  readonly squash?: string | undefined;
}

export interface Exported {
  /** The base itself when nothing was left. */
  readonly tip: Oid;
  readonly commits: number;
}

/**
 * Makes the commits of `base..tip` again on `base` without the Handoff; those that had nothing else are left out. What a merge
 * commit brought in becomes one commit with it. Throws OwlError `git-failed`, `timeout` (signer), `unreadable-object`, `storage`.
 */
export async function exportBranch(repository: Repository, request: ExportRequest): Promise<Exported> {
  const { base, tip, identity } = request;
  const pool = await createPool(repository);
  const make = await commitMaker({
    repository,
    pool,
    identity,
    signing: request.signing,
    timeout: request.signTimeout,
  });
  let parent = base;
  let before = await pool.treeOf(base);
  let commits = 0;
  for (const oid of request.squash === undefined ? await linearPart(repository, base, tip) : [tip]) {
    const commit = await pool.commit(oid);
    const tree = await withBasesHandoff(pool, { base, tree: commit.tree, path: request.handoffPath });
    if (tree === before) continue;
    const message = request.squash;
    parent = await make(
      message === undefined
        ? { ...commit, tree, parents: [parent] }
        : ownCommit({ tree, parents: [parent], message, identity }),
    );
    before = tree;
    commits += 1;
  }
  await pool.flush();
  return { tip: parent, commits };
}

/** Oldest first: from the last merge commit on, or all of them, each the parent of the next. */
async function linearPart(repository: Repository, base: Oid, tip: Oid): Promise<readonly Oid[]> {
  const args = ['rev-list', '--topo-order', '--parents', '--end-of-options', tip, `^${base}`];
  const listing = await repository.git.run(args);
  if (listing.code !== 0) throw gitFailed(args, listing);
  const linear: Oid[] = [];
  for (const row of listing.stdout.toString('latin1').split('\n')) {
    const [oid, ...parents] = row.split(' ').filter(isOid);
    if (oid === undefined) break;
    linear.unshift(oid);
    if (parents.length !== 1) break;
  }
  return linear;
}
