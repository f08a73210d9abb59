// Making a checkout of ours, so that a kill at any moment leaves something the next call recognises and finishes (G7, G9).

import { mkdir, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OwlError } from '../../domain/errors.js';
import { branchName, type Oid } from '../../domain/git.js';
import { lstatIfThere, realPathIfThere } from '../../git/files.js';
import { besideIndex, openScratchIndex } from '../../git/scratch-index.js';
import { addWorktree, gitFileTarget, setHead } from '../../git/worktree.js';
import { failpoint } from '../../system/failpoint.js';
import { shellWord } from '../../system/shell-word.js';
import { admit, openElsewhere } from './admit.js';
import { clearLeft } from './leftovers.js';
import {
  folderIdentity,
  isProvenDead,
  loadRegistration,
  MARK_FILE,
  newMark,
  noteName,
  type Registration,
} from './registration.js';
import { mendRemoval } from './remove.js';
import { includeHandoff } from './sparse.js';
import {
  type CreateRequest,
  type Expected,
  type Refused,
  refused,
  type Workspace,
  type WorkspaceDoors,
} from './types.js';

export type Created = { readonly kind: 'admitted'; readonly workspace: Workspace; readonly made: boolean } | Refused;

/** The admitted checkout; a missing one is made again from its branch (G9); anything else is refused as it is. */
export async function ensureWorkspace(doors: WorkspaceDoors, request: CreateRequest): Promise<Created> {
  const note = await loadRegistration(doors.notes, request.id);
  if (note?.value.step === 'making') return createWorkspace(doors, request);
  if (note?.value.step === 'removing') await mendRemoval(doors, request.id, note);
  const found = await admit(doors, { id: request.id, path: request.path, expected: wanted(request) });
  if (found.kind === 'admitted') {
    await includeHandoff(found.workspace.admin);
    return { ...found, made: false };
  }
  return found.kind === 'missing' ? createWorkspace(doors, request) : found;
}

/**
 * Makes the checkout and registers it before use. What a killed call of ours left is finished or removed first; a folder
 * that is not ours is refused by name. Files come from the commit through the user's own filters; no hook runs.
 * Throws OwlError `git-failed` when Git cannot write the files (a filter that fails, a full disk); the next call finishes it.
 */
export async function createWorkspace(doors: WorkspaceDoors, request: CreateRequest): Promise<Created> {
  const open = await branchProblem(doors, request);
  if (open !== null) return open;
  await mkdir(dirname(request.path), { recursive: true });
  const parent = (await realPathIfThere(dirname(request.path))) ?? dirname(request.path);
  const path = join(parent, basename(request.path));
  const begun = await begin(doors, request, path);
  if (begun.kind === 'refused') return begun;
  await failpoint('workspace.before-add');
  let admin = begun.admin;
  if (admin === null) {
    const added = await addWorktree(doors.repository, path, request.commit);
    if (added.kind === 'refused') {
      // The note goes only with what it speaks for: nothing was made.
      if ((await lstatIfThere(path)) === null) await dropRegistration(doors, request.id);
      return refused('failed', `git worktree add failed for ${path}: ${added.message}`, [
        'git worktree list --verbose',
      ]);
    }
    admin = await gitFileTarget(path);
    if (admin === null)
      return refused('failed', `git worktree add left no .git file in ${path}`, [`ls -la ${shellWord(path)}`]);
  }
  await failpoint('workspace.after-add');
  await fill(doors, request, path, admin);
  await writeFile(join(admin, MARK_FILE), begun.mark, { flush: true });
  const registration: Registration = {
    step: 'registered',
    path,
    mark: begun.mark,
    admin: basename(admin),
    folder: await folderIdentity(path),
    owner: await doors.environment.process(),
  };
  await failpoint('workspace.before-note');
  if (!(await doors.notes.write(noteName(request.id), registration, begun.note))) {
    return refused('busy', `another process makes ${path} at this moment`, [`git owl show ${request.id}`]);
  }
  await failpoint('workspace.after-note');
  const found = await admit(doors, { id: request.id, path, expected: wanted(request) });
  if (found.kind === 'admitted') return { ...found, made: true };
  return found.kind === 'refused' ? found : refused('failed', `${path} disappeared while it was being made`);
}

const wanted = ({ branch, commit }: CreateRequest): Expected =>
  branch === null ? { kind: 'commit', oid: commit } : { kind: 'sole-branch', ref: branch };

/** The branch must be there, at that commit, and open nowhere else: not by name, and not by an operation either. */
async function branchProblem(doors: WorkspaceDoors, request: CreateRequest): Promise<Refused | null> {
  if (request.branch === null) return null;
  const at = await (await doors.repository.engine()).resolve(request.branch);
  const name = branchName(request.branch) ?? request.branch;
  if (at === null) return refused('missing-branch', `the branch ${name} is not there`, ['git branch --list']);
  if (at !== request.commit) {
    return refused('wrong-commit', `the branch ${name} is at ${at}, not at ${request.commit}`, [
      `git log -3 ${request.branch}`,
    ]);
  }
  const path = await realPathIfThere(request.path);
  return openElsewhere(
    doors,
    request.branch,
    async (place) => place.path === request.path || (await realPathIfThere(place.path)) === path,
  );
}

type Begun =
  | { readonly kind: 'begun'; readonly note: Oid; readonly mark: string; readonly admin: string | null }
  | Refused;

/** Writes the note `making`, or takes up one whose process is gone, and clears what is in the way as far as it is ours. */
async function begin(doors: WorkspaceDoors, request: CreateRequest, path: string): Promise<Begun> {
  const before = await loadRegistration(doors.notes, request.id);
  const owner = await doors.environment.process();
  if (
    before !== null &&
    before.value.step !== 'registered' &&
    before.value.owner.pid !== owner.pid &&
    !isProvenDead(before.value.owner, owner)
  ) {
    return refused('busy', `another process makes or removes ${path} at this moment`, [`git owl show ${request.id}`]);
  }
  const left = await clearLeft(doors, request, path, before?.value.step === 'making' && before.value.path === path);
  if (left.kind === 'refused') return left;
  const mark = newMark();
  const note: Registration = { step: 'making', path, mark, admin: null, folder: null, owner };
  if (!(await doors.notes.write(noteName(request.id), note, before?.oid ?? 'absent'))) {
    return refused('busy', `another process makes ${path} at this moment`, [`git owl show ${request.id}`]);
  }
  const written = await loadRegistration(doors.notes, request.id);
  if (written === null)
    return refused('busy', `the registration of ${path} was removed`, [`git owl show ${request.id}`]);
  return { kind: 'begun', note: written.oid, mark, admin: left.admin };
}

/** HEAD on the branch, then index and files from the commit. Repeatable: a half-written file is ours and written again. */
async function fill(doors: WorkspaceDoors, request: CreateRequest, path: string, admin: string): Promise<void> {
  const checkout = { gitDir: admin, workTree: path };
  await setHead(doors.repository, checkout, request.branch ?? request.commit);
  await includeHandoff(admin);
  const index = await openScratchIndex(doors.repository, checkout, besideIndex(checkout));
  try {
    await index.must(['read-tree', '--reset', '-u', '--no-recurse-submodules', request.commit], {
      timeout: 30 * 60_000,
    });
    await rename(index.path, join(admin, 'index'));
  } finally {
    await index.dispose();
  }
}

async function dropRegistration(doors: WorkspaceDoors, id: string): Promise<void> {
  const note = await loadRegistration(doors.notes, id);
  if (note !== null) await doors.notes.remove(noteName(id), note.oid);
}

/** Throws OwlError `workspace` for a refusal, in workflows where nothing else can be done. */
export function requireWorkspace(created: Created): Workspace {
  if (created.kind === 'admitted') return created.workspace;
  throw new OwlError('workspace', created.message, { next: created.next, data: { refusal: created.code } });
}
