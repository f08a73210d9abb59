// What lies where a checkout is to be made: half-made by a killed call of ours, a registration whose folder is gone, or
// somebody's (G9, M3).

import { readdir, rmdir } from 'node:fs/promises';
import { lstatIfThere } from '../../git/files.js';
import { adminsOf, gitFileTarget, removeWorktree, unlockHalfMade } from '../../git/worktree.js';
import { shellWord } from '../../system/shell-word.js';
import { heldByGone, nextOfHeld } from './held.js';
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
    const held = await stillHeld(doors, request, path, admin);
    if (held !== null) return held;
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

/** Where a checkout is gone, its Git folder may still hold work (G9): then it is not made again. */
async function stillHeld(
  doors: WorkspaceDoors,
  request: CreateRequest,
  path: string,
  admin: string,
): Promise<Refused | null> {
  const held = await heldByGone(doors.repository, admin, request.commit);
  const [first] = held;
  if (first === undefined) return null;
  return refused(
    'holds-work',
    `${path} is gone, and ${first.why}; its registration was left alone`,
    nextOfHeld(held, request.id),
  );
}
