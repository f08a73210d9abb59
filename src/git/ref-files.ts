// What the files of the refs say where Git's commands do not tell cases apart: a damaged ref, a symbolic one, a lock in the way.
// Reads only, and only the files backend; reftable answers "do not know".

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOid, type Oid, type RefName } from '../domain/git.js';

export type RefFile =
  | { readonly kind: 'value'; readonly oid: Oid }
  | { readonly kind: 'symbolic'; readonly target: string }
  /** There is no file: the ref is packed, or absent. */
  | { readonly kind: 'none' }
  | { readonly kind: 'damaged'; readonly path: string; readonly why: string };

const PER_WORKTREE = /^refs\/(?:bisect|worktree|rewritten)\//;

/** True for refs that lie in a linked worktree's own folder, where this module does not look. */
export const isPerWorktree = (ref: RefName): boolean => PER_WORKTREE.test(ref);

/** Reads the loose file of a ref, at once: a round through the thread pool costs more than the file. Git replaces it by renaming, so that it is never seen half written. */
export function loadRefFile(commonDir: string, ref: RefName): RefFile {
  const path = join(commonDir, ref);
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return { kind: 'none' };
    return { kind: 'damaged', path, why: code };
  }
  if (text.startsWith('ref:')) return { kind: 'symbolic', target: text.slice(4).trim() };
  const oid = text.trimEnd();
  return isOid(oid)
    ? { kind: 'value', oid }
    : { kind: 'damaged', path, why: text === '' ? 'empty file' : 'not an object id' };
}

/** The first lock file that would stop a move of this ref, or null. */
export function findLock(commonDir: string, ref: RefName, reftable: boolean): string | null {
  const names = reftable ? ['reftable/tables.list.lock'] : [`${ref}.lock`, 'packed-refs.lock', 'HEAD.lock'];
  for (const name of names) {
    const path = join(commonDir, name);
    if (existsSync(path)) return path;
  }
  return null;
}
