// Uncommitted work of a Job's checkout, committed on its branch as a commit of its own (J10, J19).

import type { Oid } from '../../domain/git.js';
import { captureTree, type Limits } from '../../git/capture.js';
import { binaryName } from '../../git/path-bytes.js';
import { openScratchIndex } from '../../git/scratch-index.js';
import type { Signing } from '../../git/sign.js';
import { failpoint } from '../../system/failpoint.js';
import { sayLocked, takeIndexLock } from '../index-lock.js';
import type { Workspace, WorkspaceDoors } from './types.js';
import { captureRules, type LeftOut, leftOut, makeCommit, type WorkRequest } from './work.js';

/** J10: more than this is not committed by itself. */
export const COMMIT_LIMITS: Limits = { bytes: 50_000_000, files: 5_000 };

export interface CommitRequest extends WorkRequest {
  readonly message: string;
  /** Paths that are left out and stay as the branch has them: the Handoff after a Run that did not succeed (J10). */
  readonly exclude: readonly string[];
  readonly signing: Signing;
  readonly limits?: Limits | undefined;
}

export interface TooMuch {
  readonly kind: 'too-much';
  /** The largest, readable names. */
  readonly paths: readonly string[];
  readonly bytes: number;
  readonly files: number;
}

export type CommitResult =
  | ({ readonly kind: 'committed'; readonly tip: Oid; readonly files: number } & LeftOut)
  | ({ readonly kind: 'nothing' } & LeftOut)
  | TooMuch
  /** Somebody holds the index lock there, or the branch's: `by` says which. */
  | { readonly kind: 'locked'; readonly by: string }
  | { readonly kind: 'lost'; readonly found: Oid | 'absent' | 'unknown' };

/**
 * Commits everything uncommitted, untracked files included, as one commit on the admitted checkout's branch, built in an
 * index copy under the index lock. The branch moves by compare-and-swap and the index follows; files are not touched.
 * After a kill in between the next call finds the work committed and only mends the index.
 * Throws OwlError `git-failed` for a filter or signer that fails; nothing has moved then.
 */
export async function commitAll(
  doors: WorkspaceDoors,
  workspace: Workspace,
  request: CommitRequest,
): Promise<CommitResult> {
  const { repository } = doors;
  const { branch } = workspace;
  if (branch === null) throw new TypeError('only a checkout with a branch is committed to');
  const lock = await takeIndexLock(doors, workspace.admin);
  if (lock === null) return { kind: 'locked', by: sayLocked(workspace.admin) };
  try {
    const engine = await repository.engine();
    const head = await engine.resolve(branch);
    if (head === null) return { kind: 'lost', found: 'absent' };
    const index = await openScratchIndex(repository, workspace.checkout, lock.copy);
    const captured = await captureTree(index, {
      ...(await captureRules(repository, request)),
      exclude: new Set(request.exclude.map(binaryName)),
      limits: request.limits ?? COMMIT_LIMITS,
    });
    if (captured.kind === 'too-much') return captured;
    const left = leftOut(captured);
    if (!captured.changed) {
      await lock.install();
      return { kind: 'nothing', ...left };
    }
    const commit = await makeCommit(repository, captured.tree, [head], request.message, request.signing);
    await failpoint('commit.before-move');
    const moved = await engine.swap(
      { ref: branch, old: head, new: commit },
      `owl: ${request.message.split('\n', 1)[0] ?? ''}`,
    );
    await failpoint('commit.after-move');
    if (moved.kind === 'lost') return moved;
    if (moved.kind !== 'moved') return { kind: 'locked', by: moved.message };
    await lock.install();
    return { kind: 'committed', tip: commit, files: captured.files, ...left };
  } finally {
    await lock.release();
  }
}
