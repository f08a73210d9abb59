// A temporary checkout of exactly one commit, for checks that must not see the Job's worktree (J27).

import { rm } from 'node:fs/promises';
import type { Oid } from '../../domain/git.js';
import type { Policy } from '../../domain/policy.js';
import type { Environment } from '../../system/environment.js';
import { failpoint } from '../../system/failpoint.js';
import { admit } from './admit.js';
import { createWorkspace, requireWorkspace } from './create.js';
import { worktreePath } from './path.js';
import { newMark } from './registration.js';
import { removeWorkspace } from './remove.js';
import type { Workspace, WorkspaceDoors } from './types.js';

/** Ids of temporary checkouts begin so; no Job's id has a hyphen. */
const PREFIX = 'fresh-';

export const isFresh = (id: string): boolean => id.startsWith(PREFIX);

/** Made for this Job or Goal? */
export const isFreshOf = (id: string, owner: string): boolean => id.startsWith(`${PREFIX}${owner}-`);

export interface Fresh {
  readonly workspace: Workspace;
  /** Removes it with all that checks left in it; a text says why it stays, where it does. */
  dispose(): Promise<string | null>;
}

export interface FreshRequest {
  /** Exactly this commit is checked out, detached. */
  readonly commit: Oid;
  /** Goes into the name of its folder. */
  readonly name: string;
  /** Where worktrees lie; default: the default place. */
  readonly policy?: Pick<Policy, 'worktrees'> | null | undefined;
}

/**
 * Makes a temporary checkout. Setup, copied files and submodules are the caller's.
 * Throws OwlError `workspace` when it cannot be made, `git-failed` when its files cannot be written.
 */
export async function freshCheckout(
  doors: WorkspaceDoors & { readonly environment: Environment },
  request: FreshRequest,
): Promise<Fresh> {
  const { repository, environment } = doors;
  const id = `${PREFIX}${request.name}-${newMark().slice(0, 8)}`;
  const path = await worktreePath({ environment, policy: request.policy ?? null, repository, id });
  const workspace = requireWorkspace(await createWorkspace(doors, { id, path, branch: null, commit: request.commit }));
  return { workspace, dispose: () => disposeFresh(doors, workspace) };
}

/**
 * Removes a temporary checkout when it is still ours and at exactly its commit: it never held work of anybody. Commits made
 * in it are work, so then it stays, and the answer says so. Also for `gc`, with what `admit` said of one that is registered.
 */
export async function disposeFresh(doors: WorkspaceDoors, workspace: Workspace): Promise<string | null> {
  const request = {
    id: workspace.id,
    path: workspace.path,
    expected: { kind: 'commit', oid: workspace.head },
    temporary: true,
  } as const;
  const found = await admit(doors, request);
  if (found.kind === 'refused') return found.message;
  if (found.kind === 'admitted') {
    if (found.workspace.branch !== null) return `${workspace.path} has a branch open; it was left as it is`;
    await failpoint('fresh.before-remove');
    // Not after a refusal of Git's (M3), but instead of asking: what lies here are outputs of checks, nothing else.
    await rm(workspace.path, { recursive: true, force: true });
  }
  const gone = await removeWorkspace(doors, request);
  return gone.kind === 'refused' ? gone.message : null;
}
