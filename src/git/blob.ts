// What lies at a path of a commit. "Nothing there" and "could not look" are told apart (01).

import { OwlError } from '../domain/errors.js';
import { isOid, type Oid } from '../domain/git.js';
import type { TreeEntry } from './engine.js';
import { createPool } from './pool.js';
import type { Repository } from './repository.js';
import { entryAt } from './tree-path.js';

export type AtCommit =
  | { readonly kind: 'absent' }
  | { readonly kind: 'blob'; readonly oid: Oid; readonly data: Buffer; readonly executable: boolean }
  /** `data` is its target. */
  | { readonly kind: 'symlink'; readonly oid: Oid; readonly data: Buffer }
  | { readonly kind: 'tree'; readonly oid: Oid }
  | { readonly kind: 'gitlink'; readonly oid: Oid };

/** Looks at a path (UTF-8, from the top) of a commit or tree. Throws OwlError `unreadable-object`. */
export async function blobAt(repository: Repository, commit: Oid, path: string): Promise<AtCommit> {
  const pool = await createPool(repository);
  const found = await entryAt(pool, await pool.treeOf(commit), path);
  if (found === null) return { kind: 'absent' };
  const { mode, oid } = found;
  if (mode === '040000') return { kind: 'tree', oid };
  if (mode === '160000') return { kind: 'gitlink', oid };
  const blob = await pool.engine.read(oid);
  if (blob === null) {
    throw new OwlError('unreadable-object', `object ${oid}, the file ${path}, is not in this repository`, {
      next: ['git fsck'],
    });
  }
  if (mode === '120000') return { kind: 'symlink', oid, data: blob.data };
  return { kind: 'blob', oid, data: blob.data, executable: mode === '100755' };
}

/** The entries of a folder of a commit or tree (`''`: the top); null when it is no folder. Names are latin1 ("binary") strings. */
export async function treeEntries(
  repository: Repository,
  commit: Oid,
  path = '',
): Promise<readonly TreeEntry[] | null> {
  const pool = await createPool(repository);
  const top = await pool.treeOf(commit);
  const found = path === '' ? { mode: '040000', oid: top } : await entryAt(pool, top, path);
  return found?.mode === '040000' && isOid(found.oid) ? pool.tree(found.oid) : null;
}
