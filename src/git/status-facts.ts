// What a checkout is in the middle of, read from its Git folder: no process, nothing written (J9, G33).

import { join } from 'node:path';
import { isRefName, type RefName } from '../domain/git.js';
import { lstatIfThere, readIfThere } from './files.js';

export type OperationKind = 'rebase' | 'am' | 'merge' | 'cherry-pick' | 'revert' | 'bisect';

export interface Operation {
  readonly kind: OperationKind;
  /** Branches that it will move or come back to: they count as checked out there. */
  readonly branches: readonly RefName[];
}

/**
 * The operation in progress in the checkout with this Git folder (`<common>/worktrees/<name>`, or the common folder), or
 * null. The outermost one, where a rebase stopped in a cherry-pick.
 */
/** `a rebase`, `an am`. */
export const article = (kind: OperationKind): string => `${kind === 'am' ? 'an' : 'a'} ${kind}`;

export async function operationInProgress(admin: string): Promise<Operation | null> {
  const there = async (name: string): Promise<boolean> => (await lstatIfThere(join(admin, name))) !== null;
  if (await there('rebase-merge')) return { kind: 'rebase', branches: await rebased(admin, 'rebase-merge') };
  if (await there('rebase-apply')) {
    const kind = (await there('rebase-apply/applying')) ? 'am' : 'rebase';
    return { kind, branches: await rebased(admin, 'rebase-apply') };
  }
  if (await there('MERGE_HEAD')) return { kind: 'merge', branches: [] };
  if (await there('CHERRY_PICK_HEAD')) return { kind: 'cherry-pick', branches: [] };
  if (await there('REVERT_HEAD')) return { kind: 'revert', branches: [] };
  if (await there('sequencer')) return { kind: await sequenced(admin), branches: [] };
  // `bisect reset` returns to what BISECT_START names; BISECT_LOG alone is left by a stopped one too.
  if ((await there('BISECT_START')) || (await there('BISECT_LOG'))) {
    return { kind: 'bisect', branches: branchNamed(await readIfThere(join(admin, 'BISECT_START'))) };
  }
  return null;
}

async function rebased(admin: string, folder: string): Promise<readonly RefName[]> {
  const head = branchNamed(await readIfThere(join(admin, folder, 'head-name')));
  // `--update-refs`: three lines for each ref, its name, its old and its new value.
  const updates = ((await readIfThere(join(admin, folder, 'update-refs'))) ?? '').split('\n');
  return [...head, ...updates.filter(isRefName)];
}

async function sequenced(admin: string): Promise<'cherry-pick' | 'revert'> {
  const todo = (await readIfThere(join(admin, 'sequencer', 'todo'))) ?? '';
  return /^revert /m.test(todo) ? 'revert' : 'cherry-pick';
}

/** BISECT_START has a branch name without `refs/heads/`, or an object id; `head-name` has a full ref or `detached HEAD`. */
function branchNamed(text: string | null): readonly RefName[] {
  const name = text?.trim() ?? '';
  if (isRefName(name)) return [name];
  const full = `refs/heads/${name}`;
  return name !== '' && name !== 'detached HEAD' && isRefName(full) ? [full] : [];
}
