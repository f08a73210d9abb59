// What `goal adopt` is given: a branch or a linked worktree, with nothing in it that is not committed, or with that committed on request
// (G60). The user's branch, index and files stay as they are.

import { isAbsolute, resolve } from 'node:path';
import { OwlError } from '../../domain/errors.js';
import { branchRef, isRefName, type Oid, type RefName, shortRef } from '../../domain/git.js';
import { realPathIfThere } from '../../git/files.js';
import { article, operationInProgress } from '../../git/status-facts.js';
import { listWorktrees, type Worktree } from '../../git/worktree.js';
import { shellWord } from '../../system/shell-word.js';
import { jobRef } from '../jobs.js';
import type { Workbench } from '../workbench.js';
import { cleanliness } from '../workspace/cleanliness.js';
import { snapshotWip } from '../workspace/snapshot.js';
import type { Workspace } from '../workspace/types.js';
import { makeCommit } from '../workspace/work.js';

export interface Source {
  /** As people call it: `feature`, or the path of a detached worktree. */
  readonly name: string;
  readonly ref: RefName | null;
  /** Without what is not committed. */
  readonly tip: Oid;
  /** The checkout that has it open; null: none has. */
  readonly place: Worktree | null;
}

const preserved = ['nothing was changed'];

/** Throws OwlError `missing-branch`, `reserved-name`, `refused`, `is-live`. */
export async function findSource(bench: Workbench, text: string): Promise<Source> {
  const places = await listWorktrees(bench.repository);
  const source = (await branchSource(bench, text, places)) ?? (await placeSource(bench, text, places));
  if (source === null)
    throw new OwlError('missing-branch', `there is neither a branch nor a linked worktree ${text}`, {
      preserved,
      next: ['git branch', 'git worktree list'],
    });
  await refuseOwned(bench, source);
  return source;
}

async function branchSource(bench: Workbench, text: string, places: readonly Worktree[]): Promise<Source | null> {
  const full = text.startsWith('refs/heads/') ? text : `refs/heads/${text}`;
  if (!isRefName(full) || isAbsolute(text)) return null;
  const tip = await (await bench.repository.engine()).resolve(full);
  return tip === null
    ? null
    : { name: shortRef(full), ref: full, tip, place: places.find((one) => one.branch === full) ?? null };
}

async function placeSource(bench: Workbench, text: string, places: readonly Worktree[]): Promise<Source | null> {
  const path = await realPathIfThere(resolve(bench.environment.cwd, text));
  if (path === null) return null;
  for (const place of places) {
    if (place.bare || (place.path !== path && (await realPathIfThere(place.path)) !== path)) continue;
    if (place.main)
      throw new OwlError('refused', `${text} is the main checkout; name the branch that is to be adopted`, {
        preserved,
        next: ['git branch'],
      });
    const tip = place.branch === null ? place.head : await (await bench.repository.engine()).resolve(place.branch);
    if (tip === null) return null;
    return { name: place.branch === null ? path : shortRef(place.branch), ref: place.branch, tip, place };
  }
  return null;
}

/** The branch of a Round is its Goal's; a Job that works on its branch just now is not done with it. */
async function refuseOwned(bench: Workbench, { ref, name, place }: Source): Promise<void> {
  if (ref?.startsWith(branchRef('refine/x').slice(0, -1)) === true)
    throw new OwlError('reserved-name', `${name} is git owl's own: a goal works on it already`, {
      preserved,
      next: ['git owl list --goals'],
    });
  const jobs = ref === null ? [] : await (await bench.store.snapshot()).openJobs();
  const live = jobs.find((job) => jobRef(job) === ref && job.state === 'active');
  if (live !== undefined)
    throw new OwlError('is-live', `job ${live.id} is at work on ${name}`, {
      preserved,
      next: [`git owl stop ${live.id}`],
    });
  const operation = place === null ? null : await operationInProgress(place.admin);
  if (operation !== null)
    throw new OwlError('refused', `${place?.path} is in the middle of ${article(operation.kind)}`, {
      preserved,
      next: [`git -C ${shellWord(place?.path ?? '')} status`],
    });
}

/**
 * The commit to adopt. What is not committed is refused by name; with `commit` it becomes a commit on top, that no branch of the user
 * gets. Throws OwlError `uncommitted`.
 */
export async function committedTip(bench: Workbench, source: Source, commit: boolean): Promise<Oid> {
  const { place, tip } = source;
  if (place === null) return tip;
  const checkout = { gitDir: place.admin, workTree: place.path };
  const state = await cleanliness(bench.repository, { checkout });
  if (state.clean) return tip;
  const inside = [...state.nested, ...state.submodules.map((one) => one.path)];
  if (!commit || inside.length > 0)
    throw uncommitted(source, [...inside, ...state.modified, ...state.untracked], inside);
  if (bench.dryRun) return tip;
  const workspace: Workspace = {
    id: 'adopt',
    path: place.path,
    admin: place.admin,
    checkout,
    branch: place.branch,
    head: tip,
  };
  const wip = await snapshotWip(bench.repository, workspace);
  if (wip.kind === 'nothing') return tip;
  return makeCommit(bench.repository, wip.tree, [tip], `Uncommitted work of ${source.name}`, 'never');
}

function uncommitted(source: Source, paths: readonly string[], inside: readonly string[]): OwlError {
  const some = paths.slice(0, 5).join(', ') + (paths.length > 5 ? ` and ${paths.length - 5} more` : '');
  const hint =
    inside.length > 0
      ? `; what is in a repository inside it (${inside[0]}) cannot be taken along`
      : '; --commit takes it along as a commit of its own';
  return new OwlError('uncommitted', `${source.place?.path} has uncommitted work: ${some}${hint}`, {
    preserved,
    next: [`git -C ${shellWord(source.place?.path ?? '')} status`],
    data: { paths },
  });
}
