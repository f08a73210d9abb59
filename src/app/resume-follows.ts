// Taking up what follow.ts could not finish: a move that was interrupted, a move that waits, a lock left behind (G33).

import type { Oid } from '../domain/git.js';
import { lstatIfThere } from '../git/files.js';
import { applyFollow, besideCollisions, planFollow } from '../git/follow.js';
import { openScratchIndex } from '../git/scratch-index.js';
import { failpoint } from '../system/failpoint.js';
import { moveBranchWithCheckouts } from './follow.js';
import { type FollowNote, ownerIsGone } from './follow-note.js';
import { sweepIndexLocks, takeIndexLock } from './index-lock.js';
import type { WorkspaceDoors } from './workspace/types.js';

/**
 * Called by writing commands first. An interrupted move of a dead owner is finished when the ref had moved, else taken
 * back; a waiting one is tried again; then locks of dead owners go. Returns one sentence for each thing done or still open.
 */
export async function resumeFollows(doors: WorkspaceDoors): Promise<readonly string[]> {
  const said: string[] = [];
  const tokens = new Set<string>();
  for (const { name } of await doors.notes.list('follow/')) {
    const note = await doors.notes.read<FollowNote>(name);
    if (note === null) continue;
    if (note.value.step === 'waiting') said.push(...(await retry(doors, name, note.oid, note.value)));
    else if (await ownerIsGone(doors, note.value))
      said.push(...(await settle(doors, name, note.oid, note.value, tokens)));
    else for (const { token } of note.value.places) tokens.add(token);
  }
  return [...said, ...(await sweepIndexLocks(doors, tokens))];
}

async function settle(
  doors: WorkspaceDoors,
  name: string,
  oid: Oid,
  note: FollowNote,
  open: Set<string>,
): Promise<readonly string[]> {
  // Whoever puts itself into the note is the one that settles it.
  const mine: FollowNote = { ...note, owner: await doors.environment.process() };
  if (!(await doors.notes.write(name, mine, oid))) return [];
  const now = await (await doors.repository.engine()).resolve(note.ref);
  const [from, to] = now === note.new ? [note.old, note.new] : [note.new, note.old];
  const said: string[] = [];
  let unfinished = false;
  for (const { admin, path, token } of note.places) {
    // Removed meanwhile: nothing follows there any more.
    if ((await lstatIfThere(admin)) === null || (await lstatIfThere(path)) === null) continue;
    const lock = await takeIndexLock(doors, admin, token);
    if (lock === null) {
      open.add(token);
      unfinished = true;
      said.push(`${path} could not follow ${note.ref}: its index is locked`);
      continue;
    }
    try {
      const index = await openScratchIndex(doors.repository, { gitDir: admin, workTree: path }, lock.copy);
      const plan = await planFollow(doors.repository, index, from, to);
      const applied = await applyFollow(index, besideCollisions(plan));
      await failpoint('follow.after-resume-files');
      if (applied === 'done') await lock.install();
      else unfinished = true;
      const what = to === note.new ? 'followed' : 'is back at';
      said.push(
        applied === 'done'
          ? `${path} ${what} ${note.ref}, where git owl was interrupted`
          : `${path} could not be brought to ${note.ref}; its files were left as they are`,
      );
    } finally {
      await lock.release();
    }
  }
  const last = await doors.notes.read<FollowNote>(name);
  // With its old owner in the note the next command takes it up again.
  if (last !== null && unfinished) await doors.notes.write(name, note, last.oid);
  else if (last !== null) await doors.notes.remove(name, last.oid);
  return said;
}

async function retry(doors: WorkspaceDoors, name: string, oid: Oid, note: FollowNote): Promise<readonly string[]> {
  const engine = await doors.repository.engine();
  const now = await engine.resolve(note.ref);
  if (now === null || now === note.new || (await engine.isAncestor(note.new, now)) === 'ancestor') {
    await doors.notes.remove(name, oid);
    return [];
  }
  if (now !== note.old && (await engine.isAncestor(now, note.new)) !== 'ancestor') {
    await doors.notes.remove(name, oid);
    return [`${note.ref} went another way and was not moved to ${note.new.slice(0, 10)}`];
  }
  const move = { ref: note.ref, old: now, new: note.new, reason: note.reason, whenBusy: 'note' as const };
  const result = await moveBranchWithCheckouts(doors, move);
  if (result.kind === 'waits') return [`${note.ref} still waits: ${result.message}`];
  const left = await doors.notes.read<FollowNote>(name);
  if (left?.value.step === 'waiting') await doors.notes.remove(name, left.oid);
  return result.kind === 'moved' ? [`${note.ref} was moved to ${note.new.slice(0, 10)}`] : [];
}
