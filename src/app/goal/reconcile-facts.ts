// What both ways of a reconciliation find out, and how they refuse (G54).

import { OwlError } from '../../domain/errors.js';
import type { RefName } from '../../domain/git.js';
import type { Evidence, Goal } from '../../domain/goal.js';
import type { LoadedPolicy } from '../../domain/policy.js';
import { failedProof, type ReconcileFacts } from '../../domain/reconcile.js';
import { cloneId } from '../clone.js';
import { loadForeign } from '../sync/foreign.js';
import type { Workbench } from '../workbench.js';
import { type Observed, targetOf } from './observe.js';

/** What is known of the integration, before any gate is run. */
export interface Found {
  readonly goal: Goal;
  readonly integration: Evidence;
  readonly observed: Observed;
  readonly loaded: LoadedPolicy;
  /** Null: it is run. */
  readonly quality: Evidence | null;
  readonly governance: Evidence | null;
}

export const refusedGoal = (goal: Pick<Goal, 'id'>, why: string, next: readonly string[] = []): OwlError =>
  new OwlError('refused', `goal ${goal.id} is not reconciled: ${why}`, {
    preserved: ['nothing was changed'],
    next: [...next, `git owl show ${goal.id}`],
  });

/** Where the local branch alone lacks it, a person brings that up: what is only there is theirs. */
export const bringUp = ({ local, published }: Observed, ref: RefName | null): readonly string[] =>
  local !== null && published !== null && ref === local.ref
    ? [`git log --oneline --left-right ${local.ref}...${published.ref}`]
    : [];

/** Where a person finds which commit brought it: those that the target got one by one since the base of the Candidate. */
export function lookForMerge(goal: Pick<Goal, 'id' | 'candidate'>, observed: Observed): readonly string[] {
  const at = targetOf(observed);
  if (goal.candidate === null || at === null) return [];
  return [
    `git log --oneline --first-parent ${goal.candidate.base}..${at.ref}`,
    `git owl goal reconcile ${goal.id} --merged-by <commit>`,
  ];
}

export const decidedSince = (goal: Pick<Goal, 'id'>): OwlError =>
  new OwlError('superseded', `goal ${goal.id} was decided about while it was looked at`, {
    preserved: ['nothing was changed'],
    next: [`git owl show ${goal.id}`],
  });

/** What `decideReconcile` and `failedProof` look at. */
export async function factsOf(
  bench: Workbench,
  goal: Goal,
  all: readonly Evidence[],
  loaded: LoadedPolicy,
): Promise<ReconcileFacts> {
  if (goal.candidate === null) throw new Error(`goal ${goal.id} has no candidate`);
  const { base, tip } = goal.candidate;
  const evidence = (await loadForeign(bench)).attributed(all);
  return { goal, candidate: { base, tip }, evidence, config: loaded.commit, clone: await cloneId(bench) };
}

/** A proof that failed for the Candidate stands, whoever merged it. Throws OwlError `refused`. */
export function refuseFailed(goal: Goal, facts: ReconcileFacts): void {
  const failed = failedProof(facts);
  if (failed !== null)
    throw refusedGoal(
      goal,
      `${failed.type} did not pass for its candidate: ${failed.reason?.text ?? 'it has findings'}`,
    );
}
