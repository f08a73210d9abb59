// A commit that changes one file, built from objects: no checkout and no index is involved.

import type { Oid } from '../domain/git.js';
import { newBlob } from './objects.js';
import { createPool } from './pool.js';
import { utf8Bytes } from './raw-commit.js';
import type { Repository } from './repository.js';
import { commitMaker, type Signing } from './sign.js';
import { putAt } from './tree-path.js';

export interface FileCommit {
  readonly parent: Oid;
  /** Path with `/`. */
  readonly path: string;
  /** New text of the file; null removes it. */
  readonly text: string | Buffer | null;
  readonly message: string;
  readonly signing: Signing;
}

/**
 * Writes the commit and returns its id; the parent is returned where nothing changes, also where a file stands in the place of
 * a folder of the path. Throws OwlError `unreadable-object`, and `timeout` or `git-failed` of a signer.
 */
export async function commitFile(repository: Repository, change: FileCommit): Promise<Oid> {
  const pool = await createPool(repository);
  const before = await pool.treeOf(change.parent);
  const at =
    change.text === null ? null : ({ mode: '100644', oid: pool.add(newBlob(pool.format, change.text)) } as const);
  const tree = await putAt(pool, before, change.path, at);
  if (tree === before) return change.parent;
  const identity = await repository.identity();
  const make = await commitMaker({ repository, pool, identity, signing: change.signing });
  const commit = await make({
    tree,
    parents: [change.parent],
    author: utf8Bytes(identity.author),
    encoding: undefined,
    message: utf8Bytes(change.message),
  });
  await pool.flush();
  return commit;
}
