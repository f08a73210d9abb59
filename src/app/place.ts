// The worktree of a Job, for every workflow that needs it: opened, looked at, cleared, removed.

import { OwlError } from '../domain/errors.js';
import type { Oid } from '../domain/git.js';
import type { Job } from '../domain/job.js';
import type { Policy } from '../domain/policy.js';
import { checkedOutAt } from '../git/branch.js';
import { clearGone, clearRefs } from './held-work.js';
import { sayLocked } from './index-lock.js';
import { jobBranch, jobRef, ownTip } from './jobs.js';
import { keepOnly } from './run/settle.js';
import type { Workbench } from './workbench.js';
import { admit } from './workspace/admit.js';
import { type Cleanliness, cleanliness } from './workspace/cleanliness.js';
import { ensureWorkspace } from './workspace/create.js';
import { worktreePath } from './workspace/path.js';
import { loadRegistration } from './workspace/registration.js';
import { removeWorkspace } from './workspace/remove.js';
import { restoreTree } from './workspace/restore.js';
import { snapshotWip } from './workspace/snapshot.js';
import type { Admission, Expected, Refused, Workspace } from './workspace/types.js';

/** Where the worktree of this Job is registered, else where it would be made. */
export async function placeOf(
  bench: Workbench,
  job: Pick<Job, 'id'>,
  policy: Pick<Policy, 'worktrees'> | null,
): Promise<string> {
  const registered = await loadRegistration(bench.notes, job.id);
  if (registered !== null) return registered.value.path;
  return worktreePath({ environment: bench.environment, policy, repository: bench.repository, id: job.id });
}

/** The worktree as it is: admitted, missing or refused. Nothing is made. */
export const lookAt = async (
  bench: Workbench,
  job: Job,
  policy: Pick<Policy, 'worktrees'> | null,
): Promise<Admission> =>
  admit(bench, { id: job.id, path: await placeOf(bench, job, policy), expected: { kind: 'branch', ref: jobRef(job) } });

/** The admitted worktree, made again when it is missing (G9). Throws OwlError `workspace` for anything else. */
export async function openWorktree(
  bench: Workbench,
  job: Job,
  policy: Pick<Policy, 'worktrees'> | null,
  tip: Oid,
): Promise<Workspace> {
  const path = await placeOf(bench, job, policy);
  const found = await ensureWorkspace(bench, { id: job.id, path, branch: jobRef(job), commit: tip });
  if (found.kind === 'admitted') return found.workspace;
  throw refusedPlace(job, found);
}

export const refusedPlace = (job: Pick<Job, 'id'>, refused: Pick<Refused, 'code' | 'message' | 'next'>): OwlError =>
  new OwlError(
    refused.code === 'busy' ? 'busy' : 'workspace',
    `the worktree of job ${job.id} is not usable: ${refused.message}`,
    {
      preserved: ['it was left exactly as it is'],
      next: refused.next,
    },
  );

export interface Cleared {
  /** Git-ignored files that go with the worktree. */
  readonly ignored: readonly string[];
  /** Where HEAD of a worktree stands that is not on its branch; its commits are kept. Null: it is on its branch, or missing. */
  readonly stray: Oid | null;
}

/**
 * Makes sure that nothing uncommitted is lost when the worktree goes: refuses, or with `force` keeps it first and then takes it
 * out of the tree (J30); a dry run only looks. A missing worktree is fine, unless its Git folder has what nothing else has. One on another branch is refused, but for `drop` with
 * `force`: its HEAD is kept, too. Throws OwlError `uncommitted`, `workspace`.
 */
export async function clearWorktree(
  bench: Workbench,
  job: Job,
  policy: Pick<Policy, 'worktrees'> | null,
  force: boolean,
  verb: string,
): Promise<Cleared> {
  const found = await finishHalf(bench, job, await lookAt(bench, job, policy));
  if (found.kind === 'missing') return clearMissing(bench, job, { force, verb });
  const place = found.kind === 'refused' && verb === 'drop' && force ? await asItStands(bench, job, found) : found;
  if (place.kind === 'missing') return clearMissing(bench, job, { force, verb });
  if (place.kind === 'refused') throw refusedPlace(job, verb === 'drop' ? mayForce(place) : place);
  const { workspace } = place;
  const stray = found.kind === 'refused' ? workspace.head : null;
  const state = await cleanliness(bench.repository, workspace);
  const inside = [...state.nested, ...state.submodules.map((one) => one.path)];
  if (!state.clean && (!force || inside.length > 0))
    throw uncommitted(job, workspace, [...inside, ...changes(state)], inside);
  // Verification leaves it where it is.
  if (verb !== 'verify') await clearRefs(bench, job, workspace.admin, { force, verb });
  if (bench.dryRun) return { ignored: state.ignored, stray };
  if (stray !== null) {
    await keepOnly(bench, job.id, [{ commit: stray, subject: `commits outside the branch before ${verb}` }]);
    bench.say(`what is checked out in the worktree of ${job.id} is kept: ${stray}`);
  }
  if (!state.clean) await takeOut(bench, job, workspace, verb);
  return { ignored: state.ignored, stray };
}

async function clearMissing(bench: Workbench, job: Job, way: { force: boolean; verb: string }): Promise<Cleared> {
  await clearGone(bench, job, way);
  return { ignored: [], stray: null };
}

/** Keeps uncommitted work and takes it out of the tree. */
async function takeOut(bench: Workbench, job: Job, workspace: Workspace, verb: string): Promise<void> {
  const wip = await snapshotWip(bench.repository, workspace);
  if (wip.kind !== 'taken') return;
  await keepOnly(bench, job.id, [{ commit: wip.commit, subject: `wip before ${verb}` }]);
  const restored = await restoreTree(bench, workspace, { kept: wip.commit, commit: workspace.head });
  if (restored.kind !== 'restored') {
    throw new OwlError(
      'uncommitted',
      `the uncommitted work of job ${job.id} is kept at ${wip.commit}, but its worktree could not be cleared (${restored.kind === 'locked' ? sayLocked(workspace.admin) : restored.kind})`,
      {
        preserved: ['the worktree was left as it is'],
        next: [`git owl diff ${job.id} --worktree`],
      },
    );
  }
  bench.say(`uncommitted work of ${job.id} is kept: ${wip.commit}`);
}

/** Our own worktree on another branch than its own (J9): admitted with what is checked out there. */
const asItStands = async (bench: Workbench, job: Job, found: Refused): Promise<Admission> =>
  found.code === 'wrong-branch'
    ? admit(bench, { id: job.id, path: await placeOf(bench, job, null), expected: { kind: 'anything' } })
    : found;

const mayForce = (found: Refused): Refused =>
  found.code === 'wrong-branch' ? { ...found, message: `${found.message}; --force keeps its commits first` } : found;

/** What a killed command was making or removing is made whole first; what a live one works on stays refused (07.29). */
async function finishHalf(bench: Workbench, job: Job, found: Admission): Promise<Admission> {
  if (found.kind !== 'refused' || found.code !== 'busy' || bench.dryRun) return found;
  const commit = await ownTip(bench, job);
  if (commit === null) return found;
  return ensureWorkspace(bench, { id: job.id, path: await placeOf(bench, job, null), branch: jobRef(job), commit });
}

/**
 * As `clearWorktree`, where the worktree stays: uncommitted work is refused, or with `force` kept, and not taken out of the tree.
 * A worktree that is not usable is left as it is.
 */
export async function keepWorktree(
  bench: Workbench,
  job: Job,
  policy: Pick<Policy, 'worktrees'> | null,
  force: boolean,
  verb: string,
): Promise<void> {
  const place = await lookAt(bench, job, policy);
  if (place.kind !== 'admitted') return;
  const state = await cleanliness(bench.repository, place.workspace);
  if (state.clean) return;
  if (!force) throw uncommitted(job, place.workspace, [...changes(state), ...state.nested], []);
  if (bench.dryRun) return;
  const wip = await snapshotWip(bench.repository, place.workspace);
  if (wip.kind !== 'taken') return;
  await keepOnly(bench, job.id, [{ commit: wip.commit, subject: `wip before ${verb}` }]);
  bench.say(`uncommitted work of ${job.id} is kept: ${wip.commit}`);
}

const changes = (state: Cleanliness): readonly string[] => [...state.modified, ...state.untracked];

/** `inside`: repositories in the tree, whose work a snapshot cannot hold; `--force` does not help there. */
function uncommitted(
  job: Pick<Job, 'id'>,
  workspace: Workspace,
  paths: readonly string[],
  inside: readonly string[],
): OwlError {
  const some = paths.slice(0, 5).join(', ') + (paths.length > 5 ? ` and ${paths.length - 5} more` : '');
  const hint =
    inside.length > 0
      ? `; what is in a repository inside it (${inside[0]}) cannot be kept: move it away first`
      : '; --force keeps it first';
  return new OwlError('uncommitted', `the worktree of job ${job.id} has uncommitted work: ${some}${hint}`, {
    preserved: ['nothing was changed'],
    next: [inside.length > 0 ? `git -C ${workspace.path} status` : `git owl diff ${job.id} --worktree`],
    data: { paths },
  });
}

/** Removes a clean worktree; `stray`: not on its branch, but at this commit, which is kept. What does not let itself be removed stays, and the sentence says why. */
export async function removeWorktreeOf(
  bench: Workbench,
  job: Job,
  policy: Pick<Policy, 'worktrees'> | null,
  stray: Oid | null = null,
): Promise<string | null> {
  const path = await placeOf(bench, job, policy);
  const expected: Expected = stray === null ? { kind: 'branch', ref: jobRef(job) } : { kind: 'commit', oid: stray };
  const removed = await removeWorkspace(bench, { id: job.id, path, expected });
  switch (removed.kind) {
    case 'removed':
    case 'missing':
      return null;
    case 'unclean':
      return `the worktree ${path} stays: it has uncommitted work`;
    case 'refused':
      return `the worktree ${path} stays: ${removed.message}`;
  }
}

/**
 * Deletes the Job's branch at exactly this tip; its commits were kept before. Null: gone. One that a checkout has open stays: without
 * it that checkout would stand on a branch that is not born.
 */
export async function deleteBranch(bench: Workbench, job: Job, tip: Oid): Promise<string | null> {
  const engine = await bench.repository.engine();
  const ref = jobRef(job);
  const [open] = await checkedOutAt(bench.repository, ref);
  if (open !== undefined) return `the branch ${jobBranch(job)} stays: it is checked out in ${open.path}`;
  const result = await engine.swap({ ref, old: tip, new: 'absent' }, `owl: ${job.id} is done`);
  if (result.kind === 'moved' || (result.kind === 'lost' && result.found === 'absent')) return null;
  return `the branch ${jobBranch(job)} stays: ${result.kind === 'lost' ? 'it moved' : result.message}`;
}
