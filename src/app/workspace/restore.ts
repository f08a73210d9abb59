// Taking uncommitted work back from a checkout, once a snapshot of it is kept: after a check that changed tracked files, or
// a plan Run that changed other things than the Handoff (J21; 11, Jobs).

import type { Oid } from '../../domain/git.js';
import { captureTree } from '../../git/capture.js';
import { createPool } from '../../git/pool.js';
import { openScratchIndex } from '../../git/scratch-index.js';
import { failpoint } from '../../system/failpoint.js';
import { takeIndexLock } from '../index-lock.js';
import type { Workspace, WorkspaceDoors } from './types.js';
import { captureRules, type WorkRequest } from './work.js';

export type Restored =
  | { readonly kind: 'restored' }
  /** Something was written since the snapshot: nothing was taken back. */
  | { readonly kind: 'changed' }
  /** What Git ignores lies where the commit has a file. */
  | { readonly kind: 'blocked' }
  | { readonly kind: 'locked' };

/**
 * Makes files and index what `commit` has, by taking back exactly what the snapshot holds, untracked files included.
 * The snapshot is pinned already; ignored files and nested repositories stay. HEAD does not move.
 */
export async function restoreTree(
  doors: WorkspaceDoors,
  workspace: Workspace,
  request: WorkRequest & { readonly kept: Oid; readonly commit: Oid },
): Promise<Restored> {
  const lock = await takeIndexLock(doors, workspace.admin);
  if (lock === null) return { kind: 'locked' };
  try {
    const index = await openScratchIndex(doors.repository, workspace.checkout, lock.copy);
    const now = await captureTree(index, {
      ...(await captureRules(doors.repository, request)),
      exclude: new Set(),
      limits: null,
    });
    const pool = await createPool(doors.repository);
    if (now.kind === 'too-much' || now.tree !== (await pool.treeOf(request.kept))) return { kind: 'changed' };
    await failpoint('restore.before-files');
    const args = ['read-tree', '-m', '-u', '--no-recurse-submodules', now.tree, request.commit];
    if ((await index.run(args)).code !== 0) return { kind: 'blocked' };
    await failpoint('restore.after-files');
    await lock.install();
    return { kind: 'restored' };
  } finally {
    await lock.release();
  }
}
