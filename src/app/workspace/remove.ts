// Removing a checkout of ours by Git's own `worktree remove`, never by force and never after a refusal (M3, M4).

import { rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { lstatIfThere } from '../../git/files.js';
import { openScratchIndex } from '../../git/scratch-index.js';
import { adminsOf, removeWorktree } from '../../git/worktree.js';
import { failpoint } from '../../system/failpoint.js';
import { admit } from './admit.js';
import { type Cleanliness, cleanliness } from './cleanliness.js';
import { type Held, heldByGone, heldByRefs, nextOfHeld } from './held.js';
import { hasMark, isProvenDead, isSameFolder, loadRegistration, noteName, type Registered } from './registration.js';
import { type Expected, type Refused, refused, type Workspace, type WorkspaceDoors } from './types.js';

export interface RemoveRequest {
  readonly id: string;
  readonly path: string;
  readonly expected: Expected;
  /** A checkout for checks: what lies in it, refs included, is no work of anybody. */
  readonly temporary?: boolean;
}

export type Removal =
  /** `ignored` went with it. */
  | { readonly kind: 'removed'; readonly ignored: readonly string[] }
  /** There was none; what was left of its registration is gone. */
  | { readonly kind: 'missing' }
  /** It has work that no commit has: nothing was removed. */
  | { readonly kind: 'unclean'; readonly state: Cleanliness }
  | Refused;

/**
 * Admits the place, looks whether it is clean at that very moment, and lets Git remove it: a file written a moment ago
 * makes Git refuse. The caller has made sure that its HEAD is reachable from a branch or kept. A checkout that somebody
 * locked stays, and one whose Git folder has what nothing else has. A removal that was killed is finished by the next call.
 */
export async function removeWorkspace(doors: WorkspaceDoors, request: RemoveRequest): Promise<Removal> {
  const note = await loadRegistration(doors.notes, request.id);
  if (note?.value.step === 'removing') await mendRemoval(doors, request.id, note);
  const found = await admit(doors, request);
  if (found.kind === 'refused') return found;
  if (found.kind === 'missing') return forget(doors, request);
  const { workspace } = found;
  const state = await cleanliness(doors.repository, workspace);
  if (!state.clean) return { kind: 'unclean', state };
  const held = request.temporary === true ? [] : await heldByRefs(doors.repository, workspace.admin);
  if (held.length > 0) return holds(request, workspace.path, held);
  return removeClean(doors, request, workspace, state);
}

const holds = ({ id }: RemoveRequest, path: string, held: readonly Held[]): Refused =>
  refused('holds-work', `${path} was left alone: ${held.map(({ why }) => why).join(', ')}`, nextOfHeld(held, id));

async function removeClean(
  doors: WorkspaceDoors,
  request: RemoveRequest,
  workspace: Workspace,
  state: Cleanliness,
): Promise<Removal> {
  const note = await loadRegistration(doors.notes, request.id);
  if (note === null) return refused('not-ours', `the registration of ${workspace.path} is gone; it was left alone`);
  const removing = { ...note.value, step: 'removing' as const, owner: await doors.environment.process() };
  if (!(await doors.notes.write(noteName(request.id), removing, note.oid))) {
    return refused('busy', `another process works on ${workspace.path}`, [`git owl show ${request.id}`]);
  }
  await failpoint('workspace.before-remove');
  const gone = await removeWorktree(doors.repository, workspace.path, state.submodulesProvenClean ? 'proven' : 'none');
  await failpoint('workspace.after-remove');
  if (gone.kind === 'refused') {
    const now = await loadRegistration(doors.notes, request.id);
    if (now !== null) await doors.notes.write(noteName(request.id), note.value, now.oid);
    // Between the look and the removal somebody wrote: look again, and tell what it is.
    const again = await cleanliness(doors.repository, workspace);
    if (!again.clean) return { kind: 'unclean', state: again };
    return refused('failed', `git worktree remove refused ${workspace.path}: ${gone.message}`, [
      'git worktree list --verbose',
    ]);
  }
  await forget(doors, request);
  return { kind: 'removed', ignored: state.ignored };
}

/** Registration and note of a checkout that is not there any more, and the folder above it when nothing else is in it. */
async function forget(doors: WorkspaceDoors, request: RemoveRequest): Promise<Removal> {
  const note = await loadRegistration(doors.notes, request.id);
  if (note === null) return { kind: 'missing' };
  for (const admin of await adminsOf(doors.repository, note.value.path)) {
    if (!(await hasMark(admin, note.value.mark))) continue;
    const held = request.temporary === true ? [] : await heldByGone(doors.repository, admin);
    if (held.length > 0) return holds(request, note.value.path, held);
    const gone = await removeWorktree(doors.repository, note.value.path, 'none');
    if (gone.kind === 'refused') {
      return refused('failed', `the registration of ${note.value.path} stays: ${gone.message}`, [
        'git worktree list --verbose',
      ]);
    }
  }
  await doors.notes.remove(noteName(request.id), note.oid);
  await removeEmpty(dirname(note.value.path));
  return { kind: 'missing' };
}

async function removeEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOTEMPTY' && code !== 'ENOENT' && code !== 'EEXIST' && code !== 'EBUSY' && code !== 'EACCES')
      throw error;
  }
}

/**
 * A removal was killed: everything was clean when it began, so what is missing was deleted by it. The `.git` file and
 * the missing files come back, and the removal begins again from a whole checkout; what is there is not touched.
 */
export async function mendRemoval(doors: WorkspaceDoors, id: string, note: Registered): Promise<void> {
  const { path, admin: name, mark, folder } = note.value;
  if (name === null || folder === null) return;
  const here = await doors.environment.process();
  // A live one removes it at this moment; `admit` then says "busy".
  if (note.value.owner.pid !== here.pid && !isProvenDead(note.value.owner, here)) return;
  const admin = join(doors.repository.commonDir, 'worktrees', name);
  if ((await lstatIfThere(path)) !== null) {
    if (!(await isSameFolder(path, folder)) || !(await hasMark(admin, mark))) return;
    if ((await lstatIfThere(join(path, '.git'))) === null)
      await writeFile(join(path, '.git'), `gitdir: ${admin}\n`, { flag: 'wx' });
    const index = await openScratchIndex(doors.repository, { gitDir: admin, workTree: path });
    try {
      await index.run(['checkout-index', '--all', '--quiet']);
    } finally {
      await index.dispose();
    }
  }
  await doors.notes.write(noteName(id), { ...note.value, step: 'registered' }, note.oid);
}
