// A Job's checkout following its branch, when the branch is moved by us: the same as any checkout (G33), said in a Job's words.

import type { Oid } from '../../domain/git.js';
import { checkBranchMove, moveBranchWithCheckouts } from '../follow.js';
import type { Waits } from '../follow-note.js';
import type { Workspace, WorkspaceDoors } from './types.js';

export interface TipMove {
  readonly from: Oid;
  readonly to: Oid;
  readonly reason: string;
  /** Moves the ref while the index lock is held; default: a plain swap. True: moved. */
  readonly move?: (() => Promise<boolean>) | undefined;
}

export type TipResult =
  | { readonly kind: 'moved' }
  /** Changed or untracked files, ignored ones too, are where the move changes something; nothing moved (J12). */
  | { readonly kind: 'blocked-by'; readonly paths: readonly string[] }
  | { readonly kind: 'locked'; readonly message: string }
  | { readonly kind: 'lost'; readonly found: Oid | 'absent' | 'unknown' };

/** Moves the branch of an admitted checkout and brings the checkout along, or moves neither. */
export async function followTip(doors: WorkspaceDoors, workspace: Workspace, request: TipMove): Promise<TipResult> {
  const ref = branchOf(workspace);
  const result = await moveBranchWithCheckouts(doors, {
    ref,
    old: request.from,
    new: request.to,
    reason: request.reason,
    move: request.move,
  });
  return result.kind === 'waits' ? waiting(result) : result.kind === 'moved' ? { kind: 'moved' } : result;
}

/** Could `followTip` do this move now? A look only. */
export async function checkTip(
  doors: WorkspaceDoors,
  workspace: Workspace,
  request: Pick<TipMove, 'from' | 'to'>,
): Promise<{ readonly kind: 'free' } | Extract<TipResult, { kind: 'blocked-by' | 'locked' }>> {
  const result = await checkBranchMove(doors, { ref: branchOf(workspace), old: request.from, new: request.to });
  return result.kind === 'free' ? { kind: 'free' } : waiting(result);
}

const waiting = (waits: Waits): Extract<TipResult, { kind: 'blocked-by' | 'locked' }> =>
  waits.why === 'collision' ? { kind: 'blocked-by', paths: waits.paths } : { kind: 'locked', message: waits.message };

function branchOf(workspace: Workspace): NonNullable<Workspace['branch']> {
  if (workspace.branch === null) throw new TypeError('a detached checkout follows no branch');
  return workspace.branch;
}
