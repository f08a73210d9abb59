// May this Job land, by itself or by hand (J32, J35 to J37)? Pure.

import { OwlError } from './errors.js';
import type { Oid } from './git.js';
import type { Job, Merged } from './job.js';
import { wrongState } from './machine.js';
import type { Policy } from './policy.js';

/** The opt-in to merge: the Job's own option, then its mode, then `execution.auto_merge` (J27, J32). */
export function autoMergeOf(
  job: Pick<Job, 'auto_merge' | 'mode'>,
  policy: Pick<Policy, 'modes' | 'execution'>,
): { readonly on: boolean; readonly from: string } {
  if (job.auto_merge !== null) return { on: job.auto_merge, from: 'the option given to add' };
  const mode = job.mode === null ? undefined : policy.modes[job.mode];
  // A mode that is not there any more says neither yes nor no, and nothing lands on a guess.
  if (job.mode !== null && mode === undefined) return { on: false, from: `mode ${job.mode} is not configured` };
  const wanted = mode?.auto_merge ?? null;
  if (wanted !== null) return { on: wanted, from: `modes.${job.mode}.auto_merge` };
  return { on: policy.execution.auto_merge, from: 'execution.auto_merge' };
}

/** Is the verification of exactly this tip (J28)? The base is looked at apart, since a moved one leads to a replay. */
export const verifiedAt = (job: Pick<Job, 'verification'>, tip: Oid): boolean =>
  job.verification?.passed === true && job.verification.tip === tip;

/** Checks that are configured now, or were when it was verified, must have passed at exactly this tip and base (J28, J34). */
export function needsVerifying(
  job: Pick<Job, 'verification' | 'onto'>,
  at: { readonly tip: Oid; readonly base: Oid },
  policy: Pick<Policy, 'checks'>,
): boolean {
  if (job.onto?.oid !== at.base) return true;
  const checked = (job.verification?.checks.length ?? 0) > 0;
  if (!checked && policy.checks.length === 0) return false;
  return !checked || !verifiedAt(job, at.tip) || job.verification?.base !== at.base;
}

/** `none`, `current` or `void`, for readers. */
export function verifiedState(
  job: Pick<Job, 'verification'>,
  tip: Oid | null,
  base: Oid | null,
): 'none' | 'current' | 'void' {
  const proof = job.verification;
  if (proof === null || proof.checks.length === 0) return 'none';
  if (!proof.passed) return 'none';
  return proof.tip === tip && (base === null || proof.base === base) ? 'current' : 'void';
}

export type Landing = { readonly kind: 'land' } | { readonly kind: 'leave'; readonly why: string };

/** Auto-merge: only a Job that is resolved, verified by checks at exactly this tip, in a worktree that was not degraded. */
export function decideAutoMerge(job: Job, policy: Pick<Policy, 'modes' | 'execution'>, tip: Oid): Landing {
  const opted = autoMergeOf(job, policy);
  if (!opted.on) return { kind: 'leave', why: `auto_merge is off (${opted.from})` };
  if (job.goal !== null) return { kind: 'leave', why: `it belongs to goal ${job.goal}` };
  if (job.state !== 'review' || job.closure !== 'resolved') return { kind: 'leave', why: 'it is not resolved' };
  if (job.degraded) return { kind: 'leave', why: 'its worktree was degraded' };
  if (job.no_change !== null) return { kind: 'leave', why: 'the agent says that nothing had to change' };
  if (job.verification === null || job.verification.checks.length === 0)
    return { kind: 'leave', why: 'it is not verified: no checks are configured' };
  if (!verifiedAt(job, tip)) return { kind: 'leave', why: 'its verification is void' };
  return { kind: 'land' };
}

/** What a merge brought, for people: `2 commits, 1 file`. */
export const sayMerged = ({ commits, files }: Pick<Merged, 'commits' | 'files'>): string =>
  `${commits} ${commits === 1 ? 'commit' : 'commits'}, ${files} ${files === 1 ? 'file' : 'files'}`;

/** `merge` by hand: a Job in review, or accepted while its branch exists. Throws OwlError `wrong-state`, `refused`. */
export function checkMergeByHand(job: Job): void {
  const refuse = (why: string, next: string): OwlError =>
    new OwlError('refused', `job ${job.id} ${why}`, { preserved: ['nothing was changed'], next: [next] });
  if (job.goal !== null)
    throw refuse(`belongs to goal ${job.goal}; the goal is integrated as a whole`, `git owl show ${job.goal}`);
  if (job.state === 'done' && job.merged !== null) {
    throw new OwlError('wrong-state', `job ${job.id} is merged already`, {
      preserved: ['nothing was changed'],
      next: [`git owl show ${job.id}`],
    });
  }
  if (job.state !== 'review' && job.state !== 'done') throw wrongState(job, 'merge');
  if (job.no_change !== null) throw refuse('has nothing to merge: nothing had to change', `git owl accept ${job.id}`);
  if (job.state === 'done') return;
  if (job.closure !== 'resolved') throw refuse('is in review and not resolved', `git owl verify ${job.id}`);
  if (job.degraded) throw refuse('was left in a degraded worktree by its last Run', `git owl verify ${job.id}`);
}
