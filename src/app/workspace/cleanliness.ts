// Is there anything in a checkout that its commit does not have (M4)? Only looks.

import type { Oid } from '../../domain/git.js';
import { shownName } from '../../git/path-bytes.js';
import type { Repository } from '../../git/repository.js';
import { openScratchIndex } from '../../git/scratch-index.js';
import { submoduleProblem } from '../../git/submodule-proof.js';
import { loadTreeState, type Staged } from '../../git/tree-state.js';
import type { Workspace } from './types.js';

export interface Cleanliness {
  /** Nothing modified, untracked or nested, and every submodule proven clean. Ignored files do not count. */
  readonly clean: boolean;
  readonly modified: readonly string[];
  readonly untracked: readonly string[];
  /** Files, and folders with a final `/`: they go with the checkout. */
  readonly ignored: readonly string[];
  /** Repositories inside that are no submodules, ignored or not: unfinished work. */
  readonly nested: readonly string[];
  /** Submodules that could not be proven clean, with why. */
  readonly submodules: readonly { readonly path: string; readonly why: string }[];
  /** There are submodules, and every one of them was proven clean. */
  readonly submodulesProvenClean: boolean;
  /** For the next look at the same checkout. */
  readonly staged: Staged;
}

/**
 * Looks past `status.showUntrackedFiles`, `assume-unchanged`, `skip-worktree` and stat data; files of submodules are
 * hashed by us, and no program, filter or hook of a nested repository runs. Absent files of a sparse checkout are fine.
 * `earlier`: what a look at the same checkout before found, which saves processes.
 */
export async function cleanliness(
  repository: Repository,
  workspace: Pick<Workspace, 'checkout'>,
  earlier: Cleanliness | null = null,
): Promise<Cleanliness> {
  const index = await openScratchIndex(repository, workspace.checkout);
  try {
    const state = await loadTreeState(index, earlier?.staged);
    const submodules: { path: string; why: string }[] = [];
    for (const { name, oid } of state.gitlinks) {
      const why = state.stagedGitlinks.includes(name)
        ? 'another commit of it is staged'
        : await submoduleProblem(repository, workspace.checkout, name, oid as Oid);
      if (why !== null) submodules.push({ path: shownName(name), why });
    }
    const { modified, untracked, nested } = state;
    const staged = state.stagedGitlinks.length > 0;
    return {
      clean: modified.length + untracked.length + nested.length + submodules.length === 0 && !staged,
      modified: [...new Set([...modified, ...state.stagedGitlinks])].map(shownName),
      untracked: untracked.map(shownName),
      ignored: state.ignored.map(shownName),
      nested: nested.map(shownName),
      submodules,
      submodulesProvenClean: state.gitlinks.length > 0 && submodules.length === 0,
      staged: state.staged,
    };
  } finally {
    await index.dispose();
  }
}
