// The index lock of a checkout, held by us: Git's own `index.lock`, whose content is a token that a note of this clone
// names, so that the lock of a dead owner, and only that one, is removed by the next writing command (G33; 01).

import { randomBytes } from 'node:crypto';
import { link, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readIfThere } from '../git/files.js';
import { besideIndex } from '../git/scratch-index.js';
import type { ProcessIdentity } from '../system/environment.js';
import { failpoint } from '../system/failpoint.js';
import { isProvenDead } from './workspace/registration.js';
import type { WorkspaceDoors } from './workspace/types.js';

export interface IndexLock {
  readonly admin: string;
  readonly token: string;
  /** Where the copy of the index belongs that `install` puts in its place. */
  readonly copy: string;
  /** Renames the copy over the index and gives the lock back. */
  install(): Promise<void>;
  /** Gives the lock back, and the copy with it. Harmless after `install`. */
  release(): Promise<void>;
}

/** Says which lock is in the way, for a person to look at: nothing of ours removes it. */
export const sayLocked = (admin: string): string =>
  `${join(admin, 'index.lock')} is there; when no Git runs in that worktree, remove it`;

interface LockNote {
  readonly path: string;
  readonly token: string;
  readonly owner: ProcessIdentity;
}

const noteName = (token: string): string => `locks/${token}`;

/**
 * Takes the index lock of the checkout with this Git folder; null when somebody holds it (tried a few times over about
 * half a second: editors and prompts refresh the index for a moment). With `instead`, the token of a lock whose owner is
 * proven dead, that lock is taken over without a gap; the caller has made sure that nobody else does the same.
 */
export async function takeIndexLock(doors: WorkspaceDoors, admin: string, instead?: string): Promise<IndexLock | null> {
  const token = randomBytes(16).toString('hex');
  const path = join(admin, 'index.lock');
  const note: LockNote = { path, token, owner: await doors.environment.process() };
  await doors.notes.write(noteName(token), note, 'absent');
  await failpoint('lock.before-take');
  for (let attempt = 0; ; attempt += 1) {
    if (await writeLock(path, token, instead)) break;
    if (attempt === 5) {
      await dropNote(doors, token);
      return null;
    }
    await delay(100);
  }
  await failpoint('lock.after-take');
  if (instead !== undefined) {
    await removeCopies(admin, instead);
    await dropNote(doors, instead);
  }
  const copy = besideIndex({ gitDir: admin, workTree: '' }, token);
  let held = true;
  const release = async (): Promise<void> => {
    if (!held) return;
    held = false;
    await removeCopies(admin, token);
    if ((await readIfThere(path)) === token) await rm(path, { force: true });
    await failpoint('lock.after-release');
    await dropNote(doors, token);
  };
  return {
    admin,
    token,
    copy,
    async install() {
      await flush(copy);
      await rename(copy, join(admin, 'index'));
      await failpoint('lock.after-install');
      await release();
    },
    release,
  };
}

/**
 * Makes the lock with its content in one step, by a hard link: an empty `index.lock` is what a live Git holds, and could
 * not be told from a half-made one of ours. False when a lock is there already.
 */
async function writeLock(path: string, content: string, instead: string | undefined): Promise<boolean> {
  const draft = `${path.slice(0, -'index.lock'.length)}index.owl-${content}.draft`;
  await writeFile(draft, content, { flush: true });
  try {
    if (instead !== undefined && (await readIfThere(path)) === instead) await rename(draft, path);
    else await link(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function dropNote(doors: WorkspaceDoors, token: string): Promise<void> {
  const note = await doors.notes.read(noteName(token));
  if (note !== null) await doors.notes.remove(noteName(token), note.oid);
}

/**
 * Removes locks of ours whose owner is proven dead, with the index copies that belong to them; called by writing
 * commands, after `resumeFollows`, with the tokens that it may still take over. A lock whose content is not the noted
 * token is somebody else's and stays. Returns one sentence for each that was removed.
 */
export async function sweepIndexLocks(doors: WorkspaceDoors, except: ReadonlySet<string>): Promise<readonly string[]> {
  const said: string[] = [];
  const here = await doors.environment.process();
  for (const { name } of await doors.notes.list('locks/')) {
    const note = await doors.notes.read<LockNote>(name);
    if (note === null || except.has(note.value.token) || !isProvenDead(note.value.owner, here)) continue;
    const { path, token } = note.value;
    if ((await readIfThere(path)) === token) {
      await rm(path, { force: true });
      said.push(`removed ${path}, left by a process of git owl that is gone`);
    }
    await removeCopies(dirname(path), token);
    await doors.notes.remove(name, note.oid);
  }
  return said;
}

async function removeCopies(admin: string, token: string): Promise<void> {
  let names: readonly string[] = [];
  try {
    names = await readdir(admin);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  const prefix = `index.owl-${token}`;
  for (const name of names) if (name.startsWith(prefix)) await rm(join(admin, name), { force: true });
}
