// Admission (G8): is this place the checkout that we registered, on exactly what we expect, and nothing else?
// It only looks: files, index and HEAD of a refused place stay byte-identical. Any doubt refuses.

import { join } from 'node:path';
import { branchName, type Oid, type RefName } from '../../domain/git.js';
import { lstatIfThere, readIfThere, realPathIfThere } from '../../git/files.js';
import { resolveFrom } from '../../git/path-bytes.js';
import { article, operationInProgress } from '../../git/status-facts.js';
import {
  adminsOf,
  gitFileTarget,
  listWorktrees,
  lockReason,
  registeredPath,
  type Worktree,
} from '../../git/worktree.js';
import { shellWord } from '../../system/shell-word.js';
import { hasMark, isSameFolder, loadRegistration, type Registration } from './registration.js';
import {
  type Admission,
  type Expected,
  type RefusalCode,
  type Refused,
  refused,
  type WorkspaceDoors,
} from './types.js';
import { worktreeConfigTrick } from './worktree-config.js';

export interface AdmitRequest {
  readonly id: string;
  /** Where it should lie, from `worktreePath`. An alias of it (a link in a parent) is fine. */
  readonly path: string;
  readonly expected: Expected;
}

/** Put aside it is nobody's obstacle any more, and nothing is lost: the next Run makes the checkout again (G9). */
const putAside = (path: string): string => `mv ${shellWord(path)} ${shellWord(`${path}.aside`)}`;

/** Our own lock reasons begin so; any other lock is somebody's. */
const OUR_LOCK = 'git owl';

/**
 * Looks at one place. `missing`: there is nothing at the path and no lock forbids to make it again (G9). A refusal says
 * what to do. Ownership is the registration under `refs/owl/local/worktrees/<id>`: admin folder, mark, folder identity.
 */
export async function admit(doors: WorkspaceDoors, request: AdmitRequest): Promise<Admission> {
  const registration = (await loadRegistration(doors.notes, request.id))?.value ?? null;
  const stat = await lstatIfThere(request.path);
  if (stat === null) return missing(doors, request, registration);
  const inTheWay = (code: RefusalCode, message: string): Refused => {
    const aside = putAside(request.path);
    return { ...refused(code, message, [`ls -la ${shellWord(request.path)}`, aside]), aside };
  };
  if (stat.isSymbolicLink()) {
    return inTheWay('symlink', `${request.path} is a symbolic link and not a checkout of git owl; it was left alone`);
  }
  if (!stat.isDirectory()) {
    return inTheWay('not-a-folder', `${request.path} is not a folder; it was left alone`);
  }
  const path = (await realPathIfThere(request.path)) ?? request.path;
  if (registration === null) {
    return inTheWay('not-ours', `${path} is there, but git owl did not register it; it was left alone`);
  }
  if (registration.step !== 'registered') {
    return refused('busy', `${path} is being ${registration.step === 'making' ? 'made' : 'removed'}`, ['git owl gc']);
  }
  const place = await checkPlace(doors, path, registration);
  if (place.kind === 'refused') return place;
  const listed = (await listWorktrees(doors.repository)).find(({ admin }) => admin === place.admin);
  if (listed === undefined) {
    return refused('unregistered', `Git does not know ${path} as a worktree of this repository; it was left alone`, [
      'git worktree list',
    ]);
  }
  const state = await checkState(doors, path, listed, request.expected);
  if (state.kind === 'refused') return state;
  if (request.expected.kind === 'sole-branch') {
    const open = await openElsewhere(doors, request.expected.ref, (other) => other.admin === place.admin);
    if (open !== null) return open;
  }
  return {
    kind: 'admitted',
    workspace: {
      id: request.id,
      path,
      admin: place.admin,
      checkout: { gitDir: place.admin, workTree: path },
      branch: state.branch,
      head: state.head,
    },
  };
}

async function missing(doors: WorkspaceDoors, request: AdmitRequest, note: Registration | null): Promise<Admission> {
  for (const admin of await adminsOf(doors.repository, note?.path ?? request.path)) {
    const reason = await lockReason(admin);
    if (reason !== null && reason !== 'initializing' && !reason.startsWith(OUR_LOCK)) {
      return refused(
        'locked',
        `${request.path} is not there, and its worktree is locked${reason === '' ? '' : ` ("${reason}")`}`,
        ['git worktree list --verbose'],
      );
    }
  }
  return { kind: 'missing' };
}

/**
 * A matching branch in the primary checkout or in a foreign linked one is not ownership: whatever moves the branch would move that
 * checkout too, or leave it behind. By name, and by an operation that will come back to it.
 */
export async function openElsewhere(
  doors: WorkspaceDoors,
  ref: RefName,
  isOurs: (place: Worktree) => boolean | Promise<boolean>,
): Promise<Refused | null> {
  for (const place of await listWorktrees(doors.repository)) {
    if (place.bare || (await isOurs(place))) continue;
    // What will come back to the branch has HEAD detached meanwhile.
    const held =
      place.branch === null
        ? (await operationInProgress(place.admin))?.branches.includes(ref) === true
        : place.branch === ref;
    // A folder that is gone holds nothing open; its registration is named where it is in the way of ours.
    if (!held || (await lstatIfThere(place.path)) === null) continue;
    return refused(
      'branch-open',
      `the branch ${branchName(ref) ?? ref} is open in ${place.path}; it was left as it is`,
      [`git -C ${shellWord(place.path)} status`],
    );
  }
  return null;
}

type Place = { readonly kind: 'place'; readonly admin: string } | Refused;

/** Folder, `.git` file, Git folder and backlink are those of the registration. */
export async function checkPlace(doors: WorkspaceDoors, path: string, note: Registration): Promise<Place> {
  const { commonDir } = doors.repository;
  const look = `ls -la ${shellWord(path)}`;
  const aside = putAside(path);
  const repair = 'git worktree repair';
  const replaced = (what: string, mend: readonly string[] = []): Refused => {
    const message = `${path} is not the checkout that git owl registered: ${what}; it was left alone`;
    return { ...refused('replaced', message, [look, ...mend, aside]), aside };
  };
  if (note.admin === null || note.folder === null) return replaced('it was never finished');
  if (path !== note.path) return replaced(`that one is at ${note.path}`);
  if (!(await isSameFolder(path, note.folder))) return replaced('the folder was made again');
  const link = await lstatIfThere(join(path, '.git'));
  if (link === null) return replaced('its .git file is gone', [repair]);
  if (link.isDirectory()) return replaced('another repository was made in it');
  if (!link.isFile()) return replaced('its .git is not a file');
  const admin = join(commonDir, 'worktrees', note.admin);
  if ((await gitFileTarget(path)) !== admin) return replaced('its .git file points to another repository', [repair]);
  const folder = await lstatIfThere(admin);
  if (folder === null || !folder.isDirectory()) return replaced('its Git folder is gone');
  if (!(await hasMark(admin, note.mark))) return replaced('its Git folder is another one');
  for (const name of ['HEAD', 'commondir', 'gitdir', 'index', 'config.worktree', 'locked']) {
    const file = await lstatIfThere(join(admin, name));
    if (file !== null && !file.isFile()) return replaced(`${name} in its Git folder is not a file`);
  }
  const registered = await registeredPath(admin);
  if (registered === null || (await realPathIfThere(registered)) !== path) {
    return refused(
      'backlink',
      `the Git folder of ${path} names another place (${registered ?? 'none'}); it was left alone`,
      ['git worktree list --verbose'],
    );
  }
  const common = (await readIfThere(join(admin, 'commondir')))?.trimEnd() ?? '';
  if ((await realPathIfThere(resolveFrom(admin, common))) !== commonDir) {
    return refused('backlink', `the Git folder of ${path} names another repository; it was left alone`, [look]);
  }
  return { kind: 'place', admin };
}

type State = { readonly kind: 'state'; readonly branch: RefName | null; readonly head: Oid } | Refused;

/** Lock, configuration, operation, branch or commit. */
async function checkState(doors: WorkspaceDoors, path: string, listed: Worktree, expected: Expected): Promise<State> {
  const status = `git -C ${shellWord(path)} status`;
  const reason = await lockReason(listed.admin);
  if (reason !== null && !reason.startsWith(OUR_LOCK)) {
    const why = reason === '' ? '' : ` ("${reason}")`;
    return refused('locked', `${path} is locked${why}; it was left alone`, ['git worktree list --verbose']);
  }
  const trick = await worktreeConfigTrick(doors.repository, listed.admin);
  if (trick !== null) {
    const list = `git config --file ${shellWord(join(listed.admin, 'config.worktree'))} --list`;
    return refused('configuration', `${path} has ${trick} in its own configuration; it was left alone`, [list]);
  }
  const operation = await operationInProgress(listed.admin);
  if (operation !== null) {
    return refused('operation', `${path} is in the middle of ${article(operation.kind)}; it was left as it is`, [
      status,
    ]);
  }
  if (listed.head === null)
    return refused('wrong-branch', `${path} has no commit checked out; it was left as it is`, [status]);
  if (expected.kind === 'anything') return { kind: 'state', branch: listed.branch, head: listed.head };
  if (expected.kind === 'commit') {
    return listed.head === expected.oid
      ? { kind: 'state', branch: listed.branch, head: listed.head }
      : refused('wrong-commit', `${path} is at ${listed.head}, not at ${expected.oid}; it was left as it is`, [status]);
  }
  if (listed.branch !== expected.ref) {
    const at = listed.branch ?? `a detached HEAD (${listed.head.slice(0, 10)})`;
    const back = `git -C ${shellWord(path)} switch ${shellWord(expected.ref.slice('refs/heads/'.length))}`;
    return refused('wrong-branch', `${path} is on ${at}, not on ${expected.ref}; it was left as it is`, [back]);
  }
  return { kind: 'state', branch: listed.branch, head: listed.head };
}
