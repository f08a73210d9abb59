// The interface for objects and refs. Two engines serve it (nodegit; Git's plumbing); one contract suite runs against both (01).

import type { Ancestry, ObjectFormat, ObjectType, Oid, RefName } from '../domain/git.js';

export type TreeMode = '040000' | '100644' | '100755' | '120000' | '160000';

/** One entry of a tree; `name` is kept as bytes in latin1 ("binary") so that any file name survives. */
export interface TreeEntry {
  readonly mode: TreeMode;
  readonly name: string;
  readonly oid: Oid;
}

export interface GitObject {
  readonly type: ObjectType;
  readonly data: Buffer;
}

/** An object that was made in memory: its id is computed here, so that building needs no I/O. */
export interface NewObject extends GitObject {
  readonly oid: Oid;
}

/** Creation: `old` is `absent`. Deletion: `new` is `absent`. */
export interface RefUpdate {
  readonly ref: RefName;
  readonly old: Oid | 'absent';
  readonly new: Oid | 'absent';
}

export type SwapResult =
  | { readonly kind: 'moved' }
  /** The value was not the expected one. */
  | { readonly kind: 'lost'; readonly found: Oid | 'absent' | 'unknown' }
  /** A lock file is in the way, or a directory/file conflict makes the name impossible. */
  | { readonly kind: 'locked'; readonly message: string }
  | { readonly kind: 'impossible'; readonly message: string };

export interface Commit {
  readonly oid: Oid;
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly author: string;
  readonly committer: string;
  /** Seconds since the epoch of the committer. */
  readonly time: number;
  readonly message: string;
}

export interface Engine {
  readonly name: 'nodegit' | 'plumbing';
  /** Why this one was chosen, for `doctor`. */
  readonly because: string;
  readonly format: ObjectFormat;

  /** The object, or null when it is absent. Throws OwlError `unreadable-object` when it is there and cannot be read. */
  read(oid: Oid): Promise<GitObject | null>;
  /** Many at once, in order, through one door (never a process for each). */
  readMany(oids: readonly Oid[]): Promise<readonly (GitObject | null)[]>;
  exists(oids: readonly Oid[]): Promise<readonly boolean[]>;
  /** Writes and flushes all to disk before it returns. Objects that exist already are nothing. */
  write(objects: readonly NewObject[]): Promise<void>;

  /** The value of one ref; null when absent. Throws OwlError `unreadable-object` when the ref is there and is damaged. */
  resolve(ref: RefName): Promise<Oid | null>;
  /** All refs below a prefix that ends in `/`, sorted by name. */
  list(prefix: string): Promise<readonly { readonly ref: RefName; readonly oid: Oid }[]>;
  /** Compare-and-swap of one ref, flushed. `reason` goes into the reflog where there is one. */
  swap(update: RefUpdate, reason: string): Promise<SwapResult>;
  /** A ref of ours is about to move: what that needs is started meanwhile. Changes nothing. */
  expectSwap(): void;

  isAncestor(ancestor: Oid, descendant: Oid): Promise<Ancestry>;
  mergeBases(one: Oid, two: Oid): Promise<readonly Oid[] | 'missing' | 'unknown'>;

  /** Ends child processes and frees native handles; the engine is not used afterwards. */
  close(): Promise<void>;
}
