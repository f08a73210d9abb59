// The commit that takes a merge back, made from objects so that no checkout matters (G52). No ref moves here.

import type { Oid } from '../domain/git.js';
import type { Identity } from './git.js';
import { mergeTrees, ownCommit } from './merge.js';
import { createPool } from './pool.js';
import type { Repository } from './repository.js';
import { commitMaker, type Signing } from './sign.js';
import { changedPaths } from './tree-diff.js';

export interface RevertRequest {
  /** The merge: what its first parent had comes back, or what `before` had where that is another commit. */
  readonly commit: Oid;
  readonly before?: Oid | null | undefined;
  readonly onto: Oid;
  /** UTF-8. */
  readonly message: string;
  readonly identity: Identity;
  readonly signing: Signing;
  readonly signTimeout?: number | undefined;
}

export type Reverted =
  | { readonly kind: 'made'; readonly commit: Oid; readonly files: number }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }
  /** Nothing of it is there any more. */
  | { readonly kind: 'nothing' };

/** Throws OwlError `git-failed`, `timeout` (signer), `unreadable-object`, `storage`. */
export async function revertCommit(repository: Repository, request: RevertRequest): Promise<Reverted> {
  const { commit, onto, identity } = request;
  const pool = await createPool(repository);
  const theirs = request.before ?? (await pool.commit(commit)).parents[0] ?? pool.emptyTree;
  const merged = await mergeTrees(repository, { base: commit, ours: onto, theirs, attributes: onto });
  if (merged.kind === 'conflict') return { kind: 'conflict', paths: merged.paths };
  const files = (await changedPaths(pool, onto, merged.tree)).length;
  if (files === 0) return { kind: 'nothing' };
  const { signing, signTimeout: timeout, message } = request;
  const make = await commitMaker({ repository, pool, identity, signing, timeout });
  const made = await make(ownCommit({ tree: merged.tree, parents: [onto], message, identity }));
  await pool.flush();
  return { kind: 'made', commit: made, files };
}
