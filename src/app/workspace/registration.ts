// The registration of a checkout of ours: a note of this clone that says which folder, which Git folder, which mark (G8).
// Ownership is this note and nothing else: a folder that only lies in our place is not ours (M3).

import { randomBytes } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Oid } from '../../domain/git.js';
import { readIfThere } from '../../git/files.js';
import type { LocalNotes } from '../../state/types.js';
import type { ProcessIdentity } from '../../system/environment.js';
import { isAlive } from '../../system/processes.js';

/** Identity of a folder: a folder that was removed and made again is another one, also where the inode is used again. */
export interface FolderIdentity {
  readonly dev: string;
  readonly ino: string;
  /** Nanoseconds of its birth; null where the file system does not tell. */
  readonly born: string | null;
}

export interface Registration {
  /** `making`: `git worktree add` may have run. `removing`: what is still there was clean and kept. */
  readonly step: 'making' | 'registered' | 'removing';
  /** Real path. Local notes are never pushed. */
  readonly path: string;
  /** Random text in the file `owl-mark` of the Git folder. */
  readonly mark: string;
  /** Name below `<common>/worktrees`; null while it is being made. */
  readonly admin: string | null;
  readonly folder: FolderIdentity | null;
  /** Who makes or removes it. */
  readonly owner: ProcessIdentity;
}

export interface Registered {
  readonly oid: Oid;
  readonly value: Registration;
}

export const MARK_FILE = 'owl-mark';

export const noteName = (id: string): string => `worktrees/${id}`;

export const newMark = (): string => randomBytes(16).toString('hex');

export async function loadRegistration(notes: LocalNotes, id: string): Promise<Registered | null> {
  return notes.read<Registration>(noteName(id));
}

/** Ids of all checkouts that this clone has registered. */
export async function registeredIds(notes: LocalNotes): Promise<readonly string[]> {
  return (await notes.list('worktrees/')).map(({ name }) => basename(name));
}

export async function folderIdentity(path: string): Promise<FolderIdentity> {
  const stat = await lstat(path, { bigint: true });
  // Where birth cannot be had Node gives 0 or the time of the last change, and that is of no use.
  const known = stat.birthtimeNs > 0n && stat.birthtimeNs !== stat.ctimeNs;
  return { dev: `${stat.dev}`, ino: `${stat.ino}`, born: known ? `${stat.birthtimeNs}` : null };
}

/** Device numbers may change when the machine starts again: the birth time says more where there is one. */
export async function isSameFolder(path: string, recorded: FolderIdentity): Promise<boolean> {
  const stat = await lstat(path, { bigint: true });
  if (`${stat.ino}` !== recorded.ino) return false;
  return recorded.born === null ? `${stat.dev}` === recorded.dev : `${stat.birthtimeNs}` === recorded.born;
}

export async function hasMark(admin: string, mark: string): Promise<boolean> {
  return (await readIfThere(join(admin, MARK_FILE))) === mark;
}

/**
 * Is the process that wrote a note of this clone gone for certain (01, Liveness)? A note of this host from before it was
 * started again is: no process survives that. Another host, namespace, or a process that cannot be looked at: not proven.
 */
export function isProvenDead(owner: ProcessIdentity, here: ProcessIdentity): boolean {
  if (owner.host === here.host && owner.boot !== '' && here.boot !== '' && owner.boot !== here.boot) return true;
  return isAlive(owner, here) === 'dead';
}
