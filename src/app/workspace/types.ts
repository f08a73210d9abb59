// What a checkout of ours is: where it lies, its Git folder, and how a look at it can end (G8).

import type { Oid, RefName } from '../../domain/git.js';
import type { Repository } from '../../git/repository.js';
import type { LocalNotes } from '../../state/types.js';
import type { Environment } from '../../system/environment.js';

/** What the functions of this folder are given. A Workbench is one. */
export interface WorkspaceDoors {
  readonly repository: Repository;
  readonly notes: LocalNotes;
  readonly environment: Pick<Environment, 'process'>;
}

/** An admitted checkout. Pass `checkout` to `Git.run`, so that a planted `.git` does not count. */
export interface Workspace {
  readonly id: string;
  /** Real, absolute path. */
  readonly path: string;
  /** Its Git folder, `<common>/worktrees/<name>`. */
  readonly admin: string;
  readonly checkout: { readonly gitDir: string; readonly workTree: string };
  /** null: detached, admitted at exactly a commit. */
  readonly branch: RefName | null;
  readonly head: Oid;
}

export type RefusalCode =
  /** Something is there that no registration of ours names. */
  | 'not-ours'
  | 'symlink'
  | 'not-a-folder'
  /** The folder, its `.git` or its Git folder is not the one that was registered. */
  | 'replaced'
  | 'backlink'
  | 'unregistered'
  | 'locked'
  | 'wrong-branch'
  | 'wrong-commit'
  | 'operation'
  | 'configuration'
  /** Being made or removed by a process that is not proven dead. */
  | 'busy'
  /** The branch is open in another checkout. */
  | 'branch-open'
  | 'missing-branch'
  /** Its Git folder has what nothing else has (M4). */
  | 'holds-work'
  | 'failed';

export interface Refused {
  readonly kind: 'refused';
  readonly code: RefusalCode;
  /** A sentence without trailing period. */
  readonly message: string;
  /** Commands that show or mend it; never one that destroys. */
  readonly next: readonly string[];
  /** Puts away what lies in the place of our checkout, which is made again then (G9); missing: that is not what is wrong. */
  readonly aside?: string | undefined;
}

/** For the reason of a unit that stopped there: what it met, and what lets it go on. */
export const sayRefused = ({ message, aside }: Refused, id: string): string =>
  aside === undefined ? message : `${message}; move it away (${aside}), then git owl retry ${id}`;

export type Admission =
  | { readonly kind: 'admitted'; readonly workspace: Workspace }
  | { readonly kind: 'missing' }
  | Refused;

export interface CreateRequest {
  readonly id: string;
  /** From `worktreePath`. */
  readonly path: string;
  /** The branch to open, at exactly this commit; null: detached. It must exist already. */
  readonly branch: RefName | null;
  readonly commit: Oid;
}

/** What must be open in it. */
export type Expected =
  | { readonly kind: 'branch'; readonly ref: RefName }
  /** The same, and open nowhere else: before a launch, and before a write to the branch. */
  | { readonly kind: 'sole-branch'; readonly ref: RefName }
  | { readonly kind: 'commit'; readonly oid: Oid }
  /** Whatever it is: the caller keeps its HEAD before it goes. */
  | { readonly kind: 'anything' };

export const refused = (code: RefusalCode, message: string, next: readonly string[] = []): Refused => ({
  kind: 'refused',
  code,
  message,
  next,
});
