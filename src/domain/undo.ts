// How to take back what a Job or a Goal did (G50, G52): commands that destroy nothing, each beside the plain Git it stands for. Pure.

import { type Oid, type RefName, shortOid, shortRef } from './git.js';
import type { Goal } from './goal.js';
import type { Job } from './job.js';

export interface Undo {
  /** A whole command. */
  readonly verb: string;
  readonly why: string;
  /** Plain Git with the same visible result; null: there is nothing to undo in Git. */
  readonly git: string | null;
}

/** Plain Git that takes a merge back. */
export const byHand = (merge: string): string => `git revert -m 1 ${merge}`;

/** What has not landed is closed, and stays. */
const close = (id: string, landed = false): Undo => ({
  verb: `git owl cancel ${id}`,
  why: `${landed ? 'takes nothing back that has landed' : 'nothing of it has landed'}: this closes it, and keeps branch, worktree and logs`,
  git: null,
});

/** Empty: there is nothing to take back. */
export function undoJob(job: Pick<Job, 'id' | 'state' | 'merged' | 'reverted'>): readonly Undo[] {
  const { id, merged, reverted } = job;
  if (merged !== null && !reverted) {
    return [
      {
        verb: `git owl revert ${id}`,
        why: `a commit on ${shortRef(merged.ref)} takes it back; history stays as it is`,
        git: merged.after === null ? null : byHand(merged.after),
      },
    ];
  }
  return job.state === 'done' || job.state === 'cancelled' ? [] : [close(id)];
}

/** What is known of a Goal's integration. */
export interface Integrated {
  readonly merge: string | null;
  readonly ref: string | null;
  /** Is it in the target, as far as is known here? */
  readonly delivered: boolean;
}

/** A merge of a Round of a Goal that its target has still. */
export interface Brought {
  readonly round: number;
  readonly merge: Oid;
  readonly ref: RefName;
}

export const sayStanding = ({ round, merge, ref }: Brought): string =>
  `what round ${round} merged, ${shortOid(merge)}, is on ${shortRef(ref)} still`;

/** One line for a person. */
export const standingNote = (one: Brought): string => `${sayStanding(one)}; to take it back: ${byHand(one.merge)}`;

/** `integrated`: null where nothing was. `standing`: of earlier Rounds, the newest first. Empty: there is nothing to take back. */
export function undoGoal(
  goal: Pick<Goal, 'id' | 'status'>,
  integrated: Integrated | null,
  standing: readonly Brought[] = [],
): readonly Undo[] {
  const { id, status } = goal;
  const earlier = standing
    .filter(({ merge }) => integrated?.delivered !== true || merge !== integrated.merge)
    .map((one): Undo => ({ verb: byHand(one.merge), why: sayStanding(one), git: byHand(one.merge) }));
  if (integrated?.delivered === true) {
    const last: Undo = {
      verb: `git owl goal revert ${id}`,
      why: `a commit on ${shortRef(integrated.ref ?? 'its target')} takes it back; history stays as it is`,
      git: integrated.merge === null ? null : byHand(integrated.merge),
    };
    return [last, ...earlier];
  }
  return status === 'done' || status === 'cancelled' ? earlier : [close(id, earlier.length > 0), ...earlier];
}
