// The note of this clone that speaks for a branch on the move (G33): who moves it, from where to where, or why it waits.

import { createHash } from 'node:crypto';
import type { Oid, RefName } from '../domain/git.js';
import type { Worktree } from '../git/worktree.js';
import type { ProcessIdentity } from '../system/environment.js';
import type { IndexLock } from './index-lock.js';
import { isProvenDead } from './workspace/registration.js';
import type { WorkspaceDoors } from './workspace/types.js';

export interface BranchMove {
  readonly ref: RefName;
  readonly old: Oid;
  readonly new: Oid;
  /** For the reflog. */
  readonly reason: string;
  /** Moves the ref in another way than a plain swap (with a state commit, say), while the locks are held. True: moved. */
  readonly move?: (() => Promise<boolean>) | undefined;
  /** `note`: a move that has to wait is made later by `resumeFollows`. `refuse` (default): only said. */
  readonly whenBusy?: 'refuse' | 'note' | undefined;
}

export type WaitReason =
  /** The move and the user change the same path, or something is in the move's way. */
  | 'collision'
  /** Somebody holds the checkout's index lock. */
  | 'index-locked'
  /** A rebase, merge, cherry-pick, revert, am or bisect is in progress there, or names the branch. */
  | 'operation'
  /** The checkout is registered and not there (an unmounted disk, say). */
  | 'not-there'
  /** The ref's own lock is held, or its name is impossible. */
  | 'ref-locked'
  /** Another process of git owl moves this branch just now. */
  | 'busy';

export interface Waits {
  readonly kind: 'waits';
  /** Path of the checkout, or the ref. */
  readonly where: string;
  readonly why: WaitReason;
  readonly paths: readonly string[];
  /** A sentence without trailing period. */
  readonly message: string;
}

export interface FollowNote {
  /** `moving`: files may be at either commit. `waiting`: nothing was touched. */
  readonly step: 'moving' | 'waiting';
  readonly ref: RefName;
  readonly old: Oid;
  readonly new: Oid;
  readonly reason: string;
  readonly places: readonly { readonly admin: string; readonly path: string; readonly token: string }[];
  readonly owner: ProcessIdentity;
  /** Why it waits. */
  readonly waits: Omit<Waits, 'kind'> | null;
}

export const followNote = (ref: RefName): string =>
  `follow/${createHash('sha256').update(ref).digest('hex').slice(0, 16)}`;

/** Writes the note that a process works on this branch; null when another live one does. */
export async function claimNote(
  doors: WorkspaceDoors,
  move: BranchMove,
  places: readonly Worktree[],
  locks: readonly IndexLock[],
): Promise<Oid | null> {
  const name = followNote(move.ref);
  const before = await doors.notes.read<FollowNote>(name);
  // A dead owner's is settled by `resumeFollows`, which every writing command calls first.
  if (before !== null && before.value.step === 'moving') return null;
  const note: FollowNote = {
    step: 'moving',
    ref: move.ref,
    old: move.old,
    new: move.new,
    reason: move.reason,
    places: places.map(({ admin, path }, at) => ({ admin, path, token: locks[at]?.token ?? '' })),
    owner: await doors.environment.process(),
    waits: null,
  };
  if (!(await doors.notes.write(name, note, before?.oid ?? 'absent'))) return null;
  return (await doors.notes.read<FollowNote>(name))?.oid ?? null;
}

/** After an error in the middle: this process lives on, and its note must not speak of a mover that is at work. */
export async function abandonNote(doors: WorkspaceDoors, ref: RefName): Promise<void> {
  const here = await doors.environment.process();
  const note = await doors.notes.read<FollowNote>(followNote(ref)).catch(() => null);
  const own = note !== null && note.value.step === 'moving' && sameProcess(note.value.owner, here);
  // With a start time that no process has it counts as dead, and is settled as any other.
  if (own)
    await doors.notes
      .write(followNote(ref), { ...note.value, owner: { ...here, start: 'left' } }, note.oid)
      .catch(() => {});
}

const sameProcess = (one: ProcessIdentity, two: ProcessIdentity): boolean =>
  one.boot === two.boot && one.namespace === two.namespace && one.pid === two.pid && one.start === two.start;

/** The answer of a move that has to wait, noted for later where that was asked for. */
export async function noted(doors: WorkspaceDoors, move: BranchMove, waits: Waits): Promise<Waits> {
  if (move.whenBusy !== 'note') return waits;
  const name = followNote(move.ref);
  const before = await doors.notes.read<FollowNote>(name);
  if (before?.value.step === 'moving') return waits;
  const { kind: _, ...why } = waits;
  const note: FollowNote = {
    step: 'waiting',
    ref: move.ref,
    old: move.old,
    new: move.new,
    reason: move.reason,
    places: [],
    owner: await doors.environment.process(),
    waits: why,
  };
  await doors.notes.write(name, note, before?.oid ?? 'absent');
  return waits;
}

/** Moves of this clone that wait for a checkout, for `status`. */
export async function waitingFollows(doors: Pick<WorkspaceDoors, 'notes'>): Promise<readonly FollowNote[]> {
  const found: FollowNote[] = [];
  for (const { name } of await doors.notes.list('follow/')) {
    const note = await doors.notes.read<FollowNote>(name);
    if (note !== null) found.push(note.value);
  }
  return found;
}

export const ownerIsGone = async (doors: WorkspaceDoors, note: FollowNote): Promise<boolean> =>
  isProvenDead(note.owner, await doors.environment.process());
