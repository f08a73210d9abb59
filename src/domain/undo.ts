// How to take back what a Job or a Goal did (G50, G52): commands that destroy nothing, each beside the plain Git it stands for. Pure.

import { type Oid, type RefName, shortOid, shortRef } from './git.js';
import type { Evidence, Goal } from './goal.js';
import { goalMayHappen } from './goal-machine.js';
import type { Job } from './job.js';

export interface Undo {
  /** A whole command. */
  readonly verb: string;
  readonly why: string;
  /** Plain Git with the same visible result; null: there is nothing to undo in Git. */
  readonly git: string | null;
}

/** Plain Git that takes merges back, the newest first. */
export const byHand = (merges: readonly string[]): string => `git revert -m 1 ${merges.join(' ')}`;

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
        git: merged.after === null ? null : byHand([merged.after]),
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
  /** Does `goal revert` take it back as the Goal is now? Else plain Git does. */
  readonly ours: boolean;
}

/** A merge of a Round that was carried to its end, and that no revert of ours is known to have taken back. */
export interface RoundMerge {
  readonly round: number;
  readonly merge: Oid;
  /** The commit that the target was at before; null: not recorded. */
  readonly before: Oid | null;
  readonly target: { readonly ref: RefName; readonly remote: string | null };
}

/** Is there evidence of our own that this merge was taken back (G52)? */
export const isTakenBack = (all: readonly Evidence[], merge: Oid): boolean =>
  all.some((one) => one.type === 'revert' && one.status === 'done' && one.commits.merge === merge);

/** Of all Rounds, each merge once, the newest first. `all`: oldest first. */
export function roundMerges(all: readonly Evidence[]): readonly RoundMerge[] {
  const found = new Map<Oid, RoundMerge>();
  for (const { type, status, commits, target, round } of all) {
    const { merge, target_before: before = null } = commits;
    if (type !== 'integration' || status !== 'done' || merge === undefined || target === null) continue;
    if (!isTakenBack(all, merge)) found.set(merge, { round, merge, before, target });
  }
  return [...found.values()].reverse();
}

/**
 * What `goal revert` would take back: all on the target that the Goal's integration is on, else on that of its newest merge. What an
 * earlier Round merged elsewhere is no part of it: no two targets move at once.
 */
export function revertable(
  goal: Pick<Goal, 'status' | 'integration'>,
  all: readonly Evidence[],
): readonly RoundMerge[] {
  if (!goalMayHappen(goal.status, 'revert')) return [];
  const merges = roundMerges(all);
  const current = all.find(({ id }) => id === goal.integration)?.commits.merge;
  const main = merges.find(({ merge }) => merge === current) ?? merges[0];
  return merges.filter(({ target }) => target.ref === main?.target.ref);
}

export const sayStanding = ({ round, merge, ref }: Brought): string =>
  `what round ${round} merged, ${shortOid(merge)}, is on ${shortRef(ref)} still`;

const revertGoal = (id: string): string => `git owl goal revert ${id}`;

/** A whole command. */
export const takesBack = (id: string, { merge, ours }: Brought): string => (ours ? revertGoal(id) : byHand([merge]));

/** One line for a person. */
export const standingNote = (id: string, one: Brought): string =>
  `${sayStanding(one)}; to take it back: ${takesBack(id, one)}`;

/** `integrated`: null where nothing was. `standing`: of all Rounds, the newest first. Empty: there is nothing to take back. */
export function undoGoal(
  goal: Pick<Goal, 'id' | 'status'>,
  integrated: Integrated | null,
  standing: readonly Brought[] = [],
): readonly Undo[] {
  const { id, status } = goal;
  const ours = standing.filter((one) => one.ours);
  const beside = standing
    .filter((one) => !one.ours && (integrated?.delivered !== true || one.merge !== integrated.merge))
    .map((one): Undo => ({ verb: byHand([one.merge]), why: sayStanding(one), git: byHand([one.merge]) }));
  const delivered = integrated?.delivered === true;
  if (delivered || ours.length > 0) {
    const last = delivered && integrated.merge !== null ? [integrated.merge] : [];
    const merges = [...new Set([...last, ...ours.map(({ merge }) => merge as string)])];
    const where = shortRef(ours[0]?.ref ?? integrated?.ref ?? 'its target');
    const why =
      merges.length > 1
        ? `${merges.length} commits on ${where} take back what its rounds merged; history stays as it is`
        : `a commit on ${where} takes it back; history stays as it is`;
    return [{ verb: revertGoal(id), why, git: merges.length === 0 ? null : byHand(merges) }, ...beside];
  }
  return status === 'done' || status === 'cancelled' ? beside : [close(id, beside.length > 0), ...beside];
}
