// Moving a branch together with the checkouts that have it open (G33): locks first, then files, then the ref, then the
// indexes; a note of this clone lets the next writing command finish, or take back, what was interrupted.

import type { Oid, RefName } from '../domain/git.js';
import { lstatIfThere } from '../git/files.js';
import { applyFollow, type FollowPlan, planFollow } from '../git/follow.js';
import { openScratchIndex, type ScratchIndex } from '../git/scratch-index.js';
import { article, operationInProgress } from '../git/status-facts.js';
import { listWorktrees, type Worktree } from '../git/worktree.js';
import { failpoint } from '../system/failpoint.js';
import {
  abandonNote,
  type BranchMove,
  claimNote,
  followNote,
  noted,
  type WaitReason,
  type Waits,
} from './follow-note.js';
import { type IndexLock, sayLocked, takeIndexLock } from './index-lock.js';
import type { WorkspaceDoors } from './workspace/types.js';

export type MoveResult =
  | { readonly kind: 'moved'; readonly followed: readonly string[] }
  | Waits
  | { readonly kind: 'lost'; readonly found: Oid | 'absent' | 'unknown' };

/**
 * Moves a branch from `old` to `new`, and with it every checkout that has it open: clean files are updated, the user's
 * changes stay. Where one cannot follow nothing moves at all. Checkouts on other branches, or detached, are not touched.
 * Throws OwlError `git-failed`, `storage` and `timeout`; then the note lets the next writing command settle it.
 */
export async function moveBranchWithCheckouts(doors: WorkspaceDoors, move: BranchMove): Promise<MoveResult> {
  const open = await checkoutsOf(doors, move.ref);
  if (open.kind === 'waits') return noted(doors, move, open);
  if (open.places.length === 0) return swapped(await swap(doors, move), []);
  const locks: IndexLock[] = [];
  const copies: ScratchIndex[] = [];
  try {
    const plans: { readonly place: Worktree; readonly index: ScratchIndex; readonly plan: FollowPlan }[] = [];
    for (const place of open.places) {
      const lock = await takeIndexLock(doors, place.admin);
      if (lock === null)
        return await noted(
          doors,
          move,
          waitsAt(place, 'index-locked', `its index is locked: ${sayLocked(place.admin)}`),
        );
      locks.push(lock);
      // Read again under the lock: HEAD may have moved, or an operation begun, before it was taken.
      const still = await whyNot(place, move.ref);
      if (still !== null) return await noted(doors, move, still);
      const index = await openScratchIndex(doors.repository, { gitDir: place.admin, workTree: place.path }, lock.copy);
      copies.push(index);
      const plan = await planFollow(doors.repository, index, move.old, move.new);
      if (plan.collisions.length > 0) return await noted(doors, move, collisionAt(place, plan.collisions));
      plans.push({ place, index, plan });
    }
    const claimed = await claimNote(doors, move, open.places, locks);
    if (claimed === null) return waitsAt(null, 'busy', `another process of git owl moves ${move.ref}`);
    // Whoever held the locks before us may have moved it: then nothing of ours fits any more.
    const found = await (await doors.repository.engine()).resolve(move.ref);
    if (found !== move.old) {
      await doors.notes.remove(followNote(move.ref), claimed);
      return { kind: 'lost', found: found ?? 'absent' };
    }
    await failpoint('follow.before-files');
    const done: ScratchIndex[] = [];
    const undo = async (): Promise<void> => {
      for (const index of done) await applyFollow(index, await planFollow(doors.repository, index, move.new, move.old));
      await doors.notes.remove(followNote(move.ref), claimed);
    };
    for (const { place, index, plan } of plans) {
      const applied = await applyFollow(index, plan);
      if (applied !== 'done') {
        await undo();
        return await noted(doors, move, collisionAt(place, applied));
      }
      done.push(index);
      await failpoint('follow.after-files');
    }
    const result = await swap(doors, move);
    if (result.kind !== 'moved') {
      await undo();
      return swapped(result, []);
    }
    await failpoint('follow.after-ref');
    for (const lock of locks) await lock.install();
    await failpoint('follow.after-index');
    await doors.notes.remove(followNote(move.ref), claimed);
    return { kind: 'moved', followed: open.places.map(({ path }) => path) };
  } catch (error) {
    await abandonNote(doors, move.ref);
    throw error;
  } finally {
    for (const lock of locks) await lock.release();
  }
}

/** Could this move work now? A look only: nothing is locked or written. `checkouts` would follow. */
export async function checkBranchMove(
  doors: WorkspaceDoors,
  move: Pick<BranchMove, 'ref' | 'old' | 'new'>,
): Promise<{ readonly kind: 'free'; readonly checkouts: readonly string[] } | Waits> {
  const open = await checkoutsOf(doors, move.ref);
  if (open.kind === 'waits') return open;
  for (const place of open.places) {
    if ((await lstatIfThere(`${place.admin}/index.lock`)) !== null)
      return waitsAt(place, 'index-locked', `its index is locked: ${sayLocked(place.admin)}`);
    const index = await openScratchIndex(doors.repository, { gitDir: place.admin, workTree: place.path });
    try {
      const plan = await planFollow(doors.repository, index, move.old, move.new);
      if (plan.collisions.length > 0) return collisionAt(place, plan.collisions);
    } finally {
      await index.dispose();
    }
  }
  return { kind: 'free', checkouts: open.places.map(({ path }) => path) };
}

/** Checkouts that have the branch open and could follow, sorted so that locks are always taken in one order. */
async function checkoutsOf(
  doors: WorkspaceDoors,
  ref: RefName,
): Promise<{ readonly kind: 'open'; readonly places: readonly Worktree[] } | Waits> {
  const places: Worktree[] = [];
  for (const place of await listWorktrees(doors.repository)) {
    if (place.bare) continue;
    const operation = await operationInProgress(place.admin);
    if (operation !== null && (place.branch === ref || operation.branches.includes(ref))) {
      return waitsAt(place, 'operation', `it is in the middle of ${article(operation.kind)}`);
    }
    if (place.branch !== ref) continue;
    if ((await lstatIfThere(place.path))?.isDirectory() !== true) {
      return waitsAt(place, 'not-there', 'that checkout is registered and not there');
    }
    places.push(place);
  }
  return { kind: 'open', places: places.sort((one, two) => (one.admin < two.admin ? -1 : 1)) };
}

async function whyNot(place: Worktree, ref: RefName): Promise<Waits | null> {
  const operation = await operationInProgress(place.admin);
  return operation === null
    ? null
    : waitsAt(place, 'operation', `it is in the middle of ${article(operation.kind)} (${ref})`);
}

async function swap(doors: WorkspaceDoors, move: BranchMove): Promise<MoveResult> {
  if (move.move !== undefined) {
    if (await move.move()) return { kind: 'moved', followed: [] };
    return { kind: 'lost', found: (await (await doors.repository.engine()).resolve(move.ref)) ?? 'absent' };
  }
  const engine = await doors.repository.engine();
  const result = await engine.swap({ ref: move.ref, old: move.old, new: move.new }, move.reason);
  if (result.kind === 'moved') return { kind: 'moved', followed: [] };
  if (result.kind === 'lost') return result;
  return {
    kind: 'waits',
    where: move.ref,
    why: 'ref-locked',
    paths: [],
    message: `${move.ref} cannot be moved: ${result.message}`,
  };
}

const swapped = (result: MoveResult, followed: readonly string[]): MoveResult =>
  result.kind === 'moved' ? { kind: 'moved', followed } : result;

const waitsAt = (place: Worktree | null, why: WaitReason, message: string): Waits => ({
  kind: 'waits',
  where: place?.path ?? '',
  why,
  paths: [],
  message: place === null ? message : `${place.path}: ${message}`,
});

const collisionAt = (place: Worktree, paths: readonly string[]): Waits => ({
  ...waitsAt(place, 'collision', 'files there are in the way'),
  paths,
});
