// What lies where a checkout is to be made: half-made by a killed call of ours, a registration whose folder is gone, or
// somebody's (G9, M3).

import { readdir, rmdir } from 'node:fs/promises';
import { lstatIfThere } from '../../git/files.js';
import { article, operationInProgress } from '../../git/status-facts.js';
import { adminsOf, gitFileTarget, listWorktrees, removeWorktree, unlockHalfMade } from '../../git/worktree.js';
import { shellWord } from '../../system/shell-word.js';
import type { CreateRequest } from './types.js';
import { type Refused, refused, type WorkspaceDoors } from './types.js';

/**
 * What lies at the path or is registered for it. Ours, half made: the admin folder to go on with. A registration whose
 * folder is gone: removed, this one alone. Anything else: refused.
 */
export async function clearLeft(
  doors: WorkspaceDoors,
  request: CreateRequest,
  path: string,
  ours: boolean,
): Promise<{ readonly kind: 'clear'; readonly admin: string | null } | Refused> {
  const stat = await lstatIfThere(path);
  if (stat !== null && !ours) {
    return refused('not-ours', `${path} is in the way: git owl did not register it; it was left alone`, [
      `ls -la ${shellWord(path)}`,
    ]);
  }
  const linked = stat === null ? null : await gitFileTarget(path);
  for (const admin of await adminsOf(doors.repository, path)) {
    await unlockHalfMade(doors.repository, path, admin);
    if (admin === linked) return { kind: 'clear', admin };
    if (stat !== null) continue;
    const ambiguous = await strayHead(doors, request, path, admin);
    if (ambiguous !== null) return ambiguous;
    const gone = await removeWorktree(doors.repository, path, 'none');
    if (gone.kind === 'refused') {
      return refused('locked', `the registration of ${path} cannot be replaced: ${gone.message}`, [
        'git worktree list --verbose',
      ]);
    }
  }
  if (stat === null) return { kind: 'clear', admin: null };
  // `worktree add` was killed between making the folder and its `.git` file.
  if (stat.isDirectory() && (await readdir(path)).length === 0) {
    await rmdir(path);
    return { kind: 'clear', admin: null };
  }
  return refused('not-ours', `${path} is in the way and not what git owl began to make; it was left alone`, [
    `ls -la ${shellWord(path)}`,
  ]);
}

/**
 * Where a checkout is gone, its HEAD and an operation in progress may still hold work (G9): it is made again only when
 * what it had open is what is asked for, or contained in it.
 */
async function strayHead(
  doors: WorkspaceDoors,
  request: CreateRequest,
  path: string,
  admin: string,
): Promise<Refused | null> {
  const listed = (await listWorktrees(doors.repository)).find((place) => place.admin === admin);
  const operation = await operationInProgress(admin);
  if (operation !== null) {
    return refused(
      'operation',
      `${path} is gone and was in the middle of ${article(operation.kind)}; its registration was left alone`,
      ['git worktree list --verbose'],
    );
  }
  if (listed === undefined || listed.head === null || listed.branch !== null || listed.head === request.commit)
    return null;
  const engine = await doors.repository.engine();
  if ((await engine.isAncestor(listed.head, request.commit)) === 'ancestor') return null;
  return refused(
    'wrong-commit',
    `${path} is gone and had the commit ${listed.head} open; its registration was left alone`,
    [`git log -3 ${listed.head}`],
  );
}
