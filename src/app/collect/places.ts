// Looking at one checkout of ours, or at what is registered for it, without changing anything (M1, M3, M4).

import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PlaceLook } from '../../domain/collect-worktree.js';
import { isOwlError } from '../../domain/errors.js';
import type { RefName } from '../../domain/git.js';
import { gitFailed } from '../../git/exec.js';
import { lstatIfThere } from '../../git/files.js';
import { article, operationInProgress } from '../../git/status-facts.js';
import { adminsOf, listWorktrees, type Worktree } from '../../git/worktree.js';
import { cwdInside, describeProcess } from '../../system/processes.js';
import type { Workbench } from '../workbench.js';
import { admit } from '../workspace/admit.js';
import { cleanliness } from '../workspace/cleanliness.js';
import { isReachable, lostHead, ownRefs } from '../workspace/held.js';
import { hasMark, isProvenDead, type Registration } from '../workspace/registration.js';
import type { Expected, Workspace } from '../workspace/types.js';

export interface PlaceRequest {
  readonly id: string;
  readonly note: Registration;
  /** The branch it must be on; null: none is known, so it is taken at whatever commit it has open. */
  readonly branch: RefName | null;
  /** A temporary checkout: what lies in it is the output of checks, and no work of anybody. */
  readonly temporary: boolean;
  /** Are processes and refs of its own to be looked for? */
  readonly closely: boolean;
}

/** What is at the place of a registration. What cannot be looked at is a result of its own. */
export async function lookAtPlace(bench: Workbench, request: PlaceRequest): Promise<PlaceLook> {
  const { note } = request;
  try {
    const here = await bench.environment.process();
    if (note.step !== 'registered') {
      return isProvenDead(note.owner, here)
        ? { kind: 'half-made', step: note.step }
        : {
            kind: 'refused',
            code: 'busy',
            message: `${note.path} is being ${note.step === 'making' ? 'made' : 'removed'} at this moment`,
          };
    }
    return await look(bench, request);
  } catch (error) {
    if (!isOwlError(error)) throw error;
    return { kind: 'failed', message: error.message };
  }
}

async function look(bench: Workbench, request: PlaceRequest): Promise<PlaceLook> {
  const { id, note, branch } = request;
  const listed = await ownEntry(bench, note);
  const expected = expectedOf(branch, listed);
  if (expected === null) return (await lstatIfThere(note.path)) === null ? missing(bench, request) : unknownHead(note);
  const found = await admit(bench, { id, path: note.path, expected });
  if (found.kind === 'missing') return missing(bench, request);
  if (found.kind === 'refused') {
    const detached = found.code === 'wrong-branch' && listed?.branch === null && listed.head !== null;
    return { kind: 'refused', code: detached ? 'detached' : found.code, message: found.message };
  }
  const { workspace } = found;
  const reachable = branch !== null || (await isReachable(bench.repository, workspace.head));
  if (request.temporary) return { kind: 'admitted', unfinished: [], ownRefs: [], inside: [], reachable };
  const state = await cleanliness(bench.repository, workspace);
  const unfinished = [
    ...state.modified,
    ...state.untracked,
    ...state.nested,
    ...state.submodules.map((one) => one.path),
  ];
  // A state that is unclean without a name for it is unclean all the same.
  if (!state.clean && unfinished.length === 0) unfinished.push(note.path);
  return {
    kind: 'admitted',
    unfinished,
    ownRefs: request.closely ? await refsOf(bench, workspace.admin) : [],
    inside: request.closely ? await inside(workspace) : [],
    reachable,
  };
}

const unknownHead = (note: Registration): PlaceLook => ({
  kind: 'refused',
  code: 'unregistered',
  message: `Git does not know what ${note.path} has open; it was left alone`,
});

const expectedOf = (branch: RefName | null, listed: Worktree | undefined): Expected | null => {
  if (branch !== null) return { kind: 'branch', ref: branch };
  return listed === undefined || listed.head === null ? null : { kind: 'commit', oid: listed.head };
};

async function ownEntry(bench: Workbench, note: Registration): Promise<Worktree | undefined> {
  const admin = note.admin === null ? null : join(bench.repository.commonDir, 'worktrees', note.admin);
  return (await listWorktrees(bench.repository)).find((place) => place.admin === admin);
}

async function refsOf(bench: Workbench, admin: string): Promise<readonly string[]> {
  return (await ownRefs(bench.repository, admin)).map(({ ref }) => ref);
}

async function inside(workspace: Workspace): Promise<readonly string[] | null> {
  const found = cwdInside(workspace.path);
  return found === 'inspection-failed' ? null : found.map(describeProcess);
}

/** The folder is gone: what does its Git folder still hold, and could it lie on a disk that is not mounted? */
async function missing(bench: Workbench, { note, branch }: PlaceRequest): Promise<PlaceLook> {
  for (const admin of await adminsOf(bench.repository, note.path)) {
    if (!(await hasMark(admin, note.mark))) continue;
    const holds = await heldIn(bench, admin, branch);
    if (holds !== null) return { kind: 'missing', holds, mounted: true };
  }
  return {
    kind: 'missing',
    holds: null,
    mounted: note.folder === null || (await deviceAbove(note.path)) === note.folder.dev,
  };
}

async function heldIn(bench: Workbench, admin: string, branch: RefName | null): Promise<string | null> {
  const operation = await operationInProgress(admin);
  if (operation !== null) return `it was in the middle of ${article(operation.kind)}`;
  const lost = await lostHead(bench.repository, admin);
  if (lost !== null) return `it had the commit ${lost} open`;
  const listed = (await listWorktrees(bench.repository)).find((place) => place.admin === admin);
  const head = listed?.head ?? null;
  const [own] = await refsOf(bench, admin);
  if (own !== undefined) return `it has a ref of its own, ${own}`;
  if (branch === null || head === null || (await lstatIfThere(join(admin, 'index'))) === null) return null;
  const staged = await bench.repository.git.run(
    [`--git-dir=${admin}`, 'diff-index', '--cached', '--quiet', '--ignore-submodules=none', head],
    { bare: true },
  );
  if (staged.code > 1) throw gitFailed(['diff-index'], staged);
  return staged.code === 0 ? null : 'something was staged in it';
}

/** Device of the nearest folder above a path that is there. */
async function deviceAbove(path: string): Promise<string> {
  for (let at = dirname(path); ; at = dirname(at)) {
    if ((await lstatIfThere(at)) !== null) return `${(await stat(at)).dev}`;
    if (at === dirname(at)) return '';
  }
}
