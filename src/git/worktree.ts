// `git worktree`: what is registered, add, remove. Never `prune`, never `repair`: a registration goes one by one, by name (M3).

import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isOid, type Oid, type RefName } from '../domain/git.js';
import { readIfThere, realPathIfThere } from './files.js';
import { type ListedWorktree, parseWorktrees } from './parse/worktrees.js';
import { resolveFrom } from './path-bytes.js';
import type { Repository } from './repository.js';
import type { Checkout } from './scratch-index.js';
import { worktreesFromFiles } from './worktree-files.js';

export interface Worktree extends Omit<ListedWorktree, 'prunable'> {
  /** The Git folder of this checkout: `<common>/worktrees/<name>`, or the common folder itself for the main one. */
  readonly admin: string;
  readonly main: boolean;
}

/** All registered checkouts, the main one first; a bare main one has `bare`. At most one process. */
export async function listWorktrees(repository: Repository): Promise<readonly Worktree[]> {
  const read = await worktreesFromFiles(repository);
  if (read !== null) return read;
  const result = await repository.git.text(['worktree', 'list', '--porcelain', '-z']);
  const admins = await loadAdmins(repository);
  const found: Worktree[] = [];
  for (const [index, listed] of parseWorktrees(result).entries()) {
    if (index === 0) {
      found.push({ ...listed, path: repository.mainWorkTree ?? listed.path, admin: repository.commonDir, main: true });
      continue;
    }
    const admin = admins.get(listed.path) ?? admins.get((await realPathIfThere(listed.path)) ?? '');
    if (admin !== undefined) found.push({ ...listed, admin, main: false });
  }
  return found;
}

/** Path of a checkout, as registered and as it really is -> its admin folder. */
async function loadAdmins(repository: Repository): Promise<ReadonlyMap<string, string>> {
  const admins = new Map<string, string>();
  for (const name of await adminNames(repository)) {
    const admin = join(repository.commonDir, 'worktrees', name);
    const path = await registeredPath(admin);
    if (path === null) continue;
    admins.set(path, admin);
    const real = await realPathIfThere(path);
    if (real !== null && !admins.has(real)) admins.set(real, admin);
  }
  return admins;
}

async function adminNames(repository: Repository): Promise<readonly string[]> {
  try {
    return await readdir(join(repository.commonDir, 'worktrees'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** The checkout that an admin folder names in its `gitdir` file, whether or not it is there; null when it names none. */
export async function registeredPath(admin: string): Promise<string | null> {
  const text = (await readIfThere(join(admin, 'gitdir')))?.trimEnd();
  if (!text?.endsWith('/.git')) return null;
  return resolveFrom(admin, text).slice(0, -'/.git'.length);
}

/** Admin folders that name this checkout. More than one is possible after a crash. */
export async function adminsOf(repository: Repository, path: string): Promise<readonly string[]> {
  const real = (await realPathIfThere(path)) ?? path;
  const found: string[] = [];
  for (const name of await adminNames(repository)) {
    const admin = join(repository.commonDir, 'worktrees', name);
    const registered = await registeredPath(admin);
    if (registered === null) continue;
    if (registered === path || registered === real || (await realPathIfThere(registered)) === real) found.push(admin);
  }
  return found;
}

/** The reason of a lock (`''`: none was given), or null. `initializing` is Git's own while `worktree add` runs. */
export async function lockReason(admin: string): Promise<string | null> {
  return (await readIfThere(join(admin, 'locked')))?.trimEnd() ?? null;
}

export type WorktreeResult = { readonly kind: 'done' } | { readonly kind: 'refused'; readonly message: string };

/**
 * Registers a checkout without files, detached at a commit. The caller names the branch in its HEAD afterwards: given a
 * name, `worktree add` would look for remote branches, set up tracking, and take a tag for the branch.
 */
export async function addWorktree(repository: Repository, path: string, commit: Oid): Promise<WorktreeResult> {
  const result = await repository.git.run(
    ['worktree', 'add', '--quiet', '--no-checkout', '--detach', '--no-guess-remote', path, commit],
    {
      reading: false,
      config: ['worktree.guessRemote=false', 'worktree.useRelativePaths=false', 'branch.autoSetupMerge=false'],
    },
  );
  return result.code === 0 ? { kind: 'done' } : { kind: 'refused', message: lastLine(result.stderr) };
}

/**
 * Points HEAD of a checkout that we are making at a branch or commit. Nobody else is in it: no lock, which a kill would leave.
 * Throws OwlError `git-failed`.
 */
export async function setHead(repository: Repository, checkout: Checkout, target: Oid | RefName): Promise<void> {
  const line = isOid(target) ? target : `ref: ${target}`;
  const path = join(checkout.gitDir, 'HEAD');
  if (!repository.reftable) {
    if ((await readIfThere(path)) === `${line}\n`) return;
    try {
      await writeFile(`${path}.owl`, `${line}\n`, { flush: true });
      return await rename(`${path}.owl`, path);
    } catch {
      // Git says what is in the way.
    }
  }
  const args = isOid(target) ? ['update-ref', '--no-deref', 'HEAD', target] : ['symbolic-ref', 'HEAD', target];
  await repository.git.text(args, { checkout, reading: false });
}

/**
 * Removes a checkout with its registration. Without `proven`, Git refuses one with modified or untracked files; with it
 * (every file, submodules included, was just proven clean, M4) Git is told to go ahead, since it refuses any submodule.
 */
export async function removeWorktree(
  repository: Repository,
  path: string,
  submodules: 'none' | 'proven',
): Promise<WorktreeResult> {
  const force = submodules === 'proven' ? ['--force'] : [];
  const result = await repository.git.run(['worktree', 'remove', ...force, path], {
    reading: false,
    config: ['status.showUntrackedFiles=all', 'core.untrackedCache=false', 'core.fsmonitor=false'],
  });
  return result.code === 0 ? { kind: 'done' } : { kind: 'refused', message: lastLine(result.stderr) };
}

/** Takes away the lock that a killed `worktree add` left: only its own reason, never one of a person. */
export async function unlockHalfMade(repository: Repository, path: string, admin: string): Promise<boolean> {
  if ((await lockReason(admin)) !== 'initializing') return false;
  return (await repository.git.run(['worktree', 'unlock', path], { reading: false })).code === 0;
}

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';

/** What `.git` in a linked checkout points to, resolved and real; null when it is not such a file. */
export async function gitFileTarget(path: string): Promise<string | null> {
  let text: string;
  try {
    text = await readFile(join(path, '.git'), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
  const target = /^gitdir: (.+?)\n*$/s.exec(text)?.[1];
  return target === undefined ? null : realPathIfThere(resolveFrom(path, target));
}
