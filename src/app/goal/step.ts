// What one step of a Goal came to. Types only.

import type { Goal } from '../../domain/goal.js';

export type StepResult =
  /** It went on to the next status. */
  | { readonly kind: 'on'; readonly goal: Goal }
  /** It stays where it is, and its record says why: somebody else, capacity, a limit, the lease. */
  | { readonly kind: 'waits'; readonly goal: Goal }
  /** Failed, or an Error event's window is open (G40, G41). */
  | { readonly kind: 'failed'; readonly goal: Goal }
  /** Another decision came meanwhile: what was found out is kept, the status is not ours (01). */
  | { readonly kind: 'superseded'; readonly goal: Goal };
