// The registered checkouts read from Git's own folders, as `git worktree list` does: no process. Null where that takes more than
// reading (reftable, a main checkout that Git alone knows, a HEAD that is no plain one): ask Git.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOwlError } from '../domain/errors.js';
import { isOid, isRefName, type Oid, type RefName } from '../domain/git.js';
import { resolveFrom } from './path-bytes.js';
import type { Repository } from './repository.js';
import type { Worktree } from './worktree.js';

/** In the order of `git worktree list`: the main one, then the others by path. */
export async function worktreesFromFiles(repository: Repository): Promise<readonly Worktree[] | null> {
  const { commonDir, mainWorkTree } = repository;
  if (repository.reftable || mainWorkTree === null) return null;
  const main = await headOf(repository, commonDir);
  if (main === null) return null;
  const found: Worktree[] = [];
  for (const name of namesIn(join(commonDir, 'worktrees'))) {
    const admin = join(commonDir, 'worktrees', name);
    const link = read(join(admin, 'gitdir'))?.trimEnd() ?? '';
    // Git passes over a registration that names no place, too.
    if (link === '') continue;
    const head = await headOf(repository, admin);
    if (head === null || !link.endsWith('/.git')) return null;
    const locked = read(join(admin, 'locked'))?.trim() ?? null;
    found.push({ ...head, path: resolveFrom(admin, link).slice(0, -'/.git'.length), admin, locked, main: false });
  }
  found.sort((one, two) => (one.path < two.path ? -1 : 1));
  return [{ ...main, path: mainWorkTree, admin: commonDir, locked: null, main: true }, ...found];
}

/**
 * Where this branch is checked out, as the HEAD files say: the cheapest look, which takes nothing else from the repository. It finds
 * none where HEAD is not in that file (reftable).
 */
export function checkoutsOnFile(
  repository: Pick<Repository, 'commonDir' | 'mainWorkTree'>,
  ref: RefName,
): readonly string[] {
  const { commonDir, mainWorkTree } = repository;
  const on = (admin: string): boolean => read(join(admin, 'HEAD'))?.trimEnd() === `ref: ${ref}`;
  const main = mainWorkTree !== null && on(commonDir) ? [mainWorkTree] : [];
  const linked = namesIn(join(commonDir, 'worktrees'))
    .map((name) => join(commonDir, 'worktrees', name))
    .filter(on)
    .map((admin) => resolveFrom(admin, read(join(admin, 'gitdir'))?.trimEnd() ?? '').replace(/\/\.git$/, ''));
  return [...main, ...linked];
}

type Head = { readonly head: Oid | null; readonly branch: RefName | null; readonly bare: false };

/** Branch and commit of a checkout; the branch may be unborn. */
async function headOf(repository: Repository, admin: string): Promise<Head | null> {
  const text = read(join(admin, 'HEAD'))?.trimEnd() ?? '';
  if (isOid(text)) return { head: text, branch: null, bare: false };
  const ref = /^ref:\s*(\S+)$/.exec(text)?.[1] ?? '';
  if (!ref.startsWith('refs/heads/') || !isRefName(ref)) return null;
  try {
    return { head: await (await repository.engine()).resolve(ref), branch: ref, bare: false };
  } catch (error) {
    // Of a damaged branch Git says no commit, and goes on.
    if (isOwlError(error, 'unreadable-object')) return null;
    throw error;
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
