// What a fenced request is to do, and what came of it: passed in files between this program and the one that Git starts. Types only.

import type { Oid, RefName } from '../../domain/git.js';

export interface FenceCommand {
  readonly ref: RefName;
  /** What the server must show for it on this very connection; `absent`: it must not be there. Nothing is sent where it shows another. */
  readonly seen: Oid | 'absent';
  /** As in the protocol; the same value twice is the no-op that guards a ref. */
  readonly old: Oid;
  readonly new: Oid | 'absent';
}

export interface FencePlan {
  readonly format: 'sha1' | 'sha256';
  readonly commands: readonly FenceCommand[];
}

export type FenceResult =
  /** Nothing was sent: the server takes no atomic request, or shows other values. */
  | { readonly kind: 'unable'; readonly why: string }
  | { readonly kind: 'moved'; readonly refs: readonly { readonly ref: RefName; readonly found: Oid | 'absent' }[] }
  /** The server answered: all of it, or nothing. `why`: its first words for a ref, for people. */
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly why: string }
  /** It was sent, and no whole answer came. */
  | { readonly kind: 'unanswered' };
