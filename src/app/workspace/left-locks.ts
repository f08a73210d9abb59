// Locks that an agent left in its worktree when it was killed: index.lock and HEAD.lock of the worktree's own Git folder
// (01, Reading the repository). Removed only when nothing that lives can be their owner.

import { readdirSync, readlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { lstatIfThere } from '../../git/files.js';
import { allProcesses, cwdInside } from '../../system/processes.js';
import { checkPlace } from './admit.js';
import { loadRegistration } from './registration.js';
import type { Workspace, WorkspaceDoors } from './types.js';

type Place = Pick<Workspace, 'path' | 'admin'>;

const LOCKS = ['index.lock', 'HEAD.lock'];

/** A Git that is called from elsewhere holds its lock open; one that just closed it renames it within this time. */
const SETTLE = 300;

/**
 * Removes these locks of an admitted worktree when no process works in it (by its current folder) and none has the lock
 * open, at two looks with the same file. Call it after the agent's processes were ended (J19). Without /proc, or in any
 * doubt, the lock stays. Returns the paths that were removed.
 */
export async function removeLeftLocks(workspace: Place): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const name of LOCKS) {
    const path = join(workspace.admin, name);
    const before = await lstatIfThere(path);
    if (before === null || !before.isFile() || isHeld(workspace, path)) continue;
    await delay(SETTLE);
    const after = await lstatIfThere(path);
    if (after?.ino !== before.ino || after.mtimeMs !== before.mtimeMs || isHeld(workspace, path)) continue;
    await rm(path, { force: true });
    removed.push(path);
  }
  return removed;
}

/**
 * The same for the worktree of a Job whose Run is dead: what it started is ended and proven gone. Whatever is checked out there,
 * folder and Git folder must be those that we registered.
 */
export async function removeLocksOfDead(doors: WorkspaceDoors, id: string): Promise<readonly string[]> {
  const note = await loadRegistration(doors.notes, id);
  if (note?.value.step !== 'registered' || (await lstatIfThere(note.value.path))?.isDirectory() !== true) return [];
  const place = await checkPlace(doors, note.value.path, note.value);
  return place.kind === 'place' ? removeLeftLocks({ path: note.value.path, admin: place.admin }) : [];
}

function isHeld(workspace: Place, lock: string): boolean {
  for (const folder of [workspace.path, workspace.admin]) {
    const inside = cwdInside(folder);
    if (inside === 'inspection-failed' || inside.length > 0) return true;
  }
  const all = allProcesses();
  return all === 'inspection-failed' || all.some(({ pid }) => hasOpen(pid, lock));
}

/** Another user's process cannot be looked into; it cannot have made a file that is ours to remove either. */
function hasOpen(pid: number, path: string): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((fd) => linkTarget(`${folder}/${fd}`) === path);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}
