// A merge that one version of a Job's record knows and another one does not (05, S3, S4): it is on its target, whichever counts. Pure.

import { type Oid, shortOid, shortRef } from './git.js';
import { CLOSED_STATES, type Job, type Merged } from './job.js';
import { byHand } from './undo.js';

/** What a version says that matters here. */
export type MergeSide = Pick<Job, 'state' | 'merged' | 'reverted' | 'dropped'>;

export interface StandingMerge {
  readonly ref: string;
  /** Null: merged by other means, in no commit that could be named. */
  readonly merge: string | null;
  /** The record keeps it; false: nothing in the state speaks of it any more. */
  readonly recorded: boolean;
  /** What takes it back, or says where it is; never run by us. */
  readonly undo: string;
}

/** Contested work, as it is told: what each version says that not all say (S3). */
export interface PublishedContest {
  readonly id: string;
  readonly kind: 'job' | 'goal';
  readonly report: string;
  readonly sides: readonly {
    readonly side: string;
    /** Null: neither the version of this clone nor the only other one. */
    readonly whose: 'local' | 'remote' | null;
    readonly says: readonly string[];
    /** A merge of the Job that another version knows and this one does not: it stays on its target. */
    readonly stays?: StandingMerge;
  }[];
}

/**
 * The merge that stays recorded beside a version which does not know it; null: there is none. Who closed the Job decided nothing about
 * it, and it is kept like one that arrived late (G35). Where the work is open, or was dropped, it would pass for work that is done.
 */
export function keptMerge(chosen: MergeSide, other: MergeSide): Merged | null {
  const closes = CLOSED_STATES.has(chosen.state) && chosen.dropped === null;
  return closes && chosen.merged === null ? mergeOf(other) : null;
}

export const isMerged = (side: MergeSide): boolean => mergeOf(side) !== null;

const mergeOf = ({ merged, reverted }: MergeSide): Merged | null => (reverted ? null : merged);

/** Of a version that is to count, or does; null: no other one knows of a merge that it does not. */
export function standingMerge(
  id: string,
  chosen: MergeSide | null,
  others: readonly MergeSide[],
): StandingMerge | null {
  const known = others.find((other) => mergeOf(other) !== null);
  const merged = known === undefined ? null : mergeOf(known);
  if (known === undefined || merged === null || (chosen !== null && chosen.merged !== null)) return null;
  const { ref, after } = merged;
  const recorded = chosen !== null && keptMerge(chosen, known) !== null;
  const again = chosen?.state === 'done' ? '' : `git owl reopen ${id}, then `;
  const undo = recorded
    ? `${again}git owl revert ${id}`
    : after === null
      ? `git log ${shortRef(ref)}`
      : byHand([after]);
  return { ref, merge: after, recorded, undo };
}

/** One line for a person. */
export function sayStandingMerge(id: string, { ref, merge, recorded, undo }: StandingMerge): string {
  const as = merge === null ? '' : ` as ${shortOid(merge as Oid)}`;
  const forgets = recorded ? '' : ', and the record forgets it';
  const back = merge === null && !recorded ? 'shows it' : 'takes it back';
  return `job ${id} was merged into ${shortRef(ref)}${as}: that stays there${forgets}; ${undo} ${back}`;
}
