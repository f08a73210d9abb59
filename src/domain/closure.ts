// What the end of a Run means for its Job: the one place where `resolved` is decided (J3, J29, J32; 11, Jobs). Pure.

import type { CheckResult, Closure, Job, JobState, Reason, RunOutcome } from './job.js';
import { reason } from './reasons.js';

/** How the agent of an execute or plan Run came out, after all facts were looked at. */
export type AgentEnd =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly reason: Reason; readonly started: boolean }
  | { readonly kind: 'limited'; readonly notBefore: string | null; readonly text: string; readonly started: boolean }
  | { readonly kind: 'interrupted'; readonly text: string; readonly started: boolean };

export interface ExecuteFacts {
  readonly end: AgentEnd;
  /** Something that alone stops the Job: escaped, wrong branch, a copied file, too much uncommitted work. */
  readonly obstacle: Reason | null;
  /** From `## Blocked` or the result file. */
  readonly blocker: string | null;
  /** Has the branch a change of its own beyond the Handoff? */
  readonly ownChange: boolean;
  readonly noChange: string | null;
  readonly checks: readonly CheckResult[];
}

export interface Settlement {
  readonly state: JobState;
  readonly outcome: RunOutcome;
  readonly closure: Closure | null;
  readonly reason: Reason | null;
  /** Does it cost a Run (J3)? */
  readonly counted: boolean;
  readonly notBefore: string | null;
}

const back = (
  outcome: RunOutcome,
  counted: boolean,
  why: Reason | null,
  notBefore: string | null = null,
): Settlement => ({
  state: 'pending',
  outcome,
  closure: null,
  reason: why,
  counted,
  notBefore,
});

const stop = (outcome: RunOutcome, why: Reason, closure: Closure | null = 'blocked'): Settlement => ({
  state: 'blocked',
  outcome,
  closure,
  reason: why,
  counted: true,
  notBefore: null,
});

/** Ends that are the same for both phases; null: the agent succeeded. */
function unsuccessful(end: AgentEnd): Settlement | null {
  switch (end.kind) {
    case 'succeeded':
      return null;
    case 'failed':
      return { ...stop('failed', end.reason), counted: end.started };
    case 'limited':
      return back('interrupted', end.started, reason('usage-limit', end.text), end.notBefore);
    case 'interrupted':
      return back('interrupted', end.started, reason('interrupted', end.text));
  }
}

/** A plan Run: without a usable Handoff it failed (J21). */
export function settlePlan(
  end: AgentEnd,
  obstacle: Reason | null,
  handoff: Reason | null,
  blocker: string | null,
): Settlement {
  const ended = unsuccessful(end);
  if (obstacle !== null) return stop(ended?.outcome ?? 'succeeded', obstacle, null);
  if (ended !== null) return { ...ended, closure: null };
  if (handoff !== null) return stop('failed', handoff, null);
  if (blocker !== null)
    return stop('succeeded', reason('agent-blocked', `the agent is blocked: ${firstLine(blocker)}`), null);
  return { state: 'pending', outcome: 'succeeded', closure: null, reason: null, counted: true, notBefore: null };
}

/** An execute Run, checks included (J29). */
export function settleExecute(facts: ExecuteFacts): Settlement {
  const ended = unsuccessful(facts.end);
  if (facts.obstacle !== null) return stop(ended?.outcome ?? 'succeeded', facts.obstacle);
  if (ended !== null) return ended;
  if (facts.blocker !== null) {
    return stop('succeeded', reason('agent-blocked', `the agent is blocked: ${firstLine(facts.blocker)}`));
  }
  if (!facts.ownChange && facts.noChange === null) {
    return stop('succeeded', reason('nothing-changed', 'nothing was changed beyond the Handoff'));
  }
  const failed = facts.checks.filter((check) => check.status !== 'passed');
  if (failed.length > 0) return stop('succeeded', checksFailed(failed));
  return { state: 'review', outcome: 'succeeded', closure: 'resolved', reason: null, counted: true, notBefore: null };
}

export function checksFailed(failed: readonly CheckResult[]): Reason {
  const names = failed.map((check) => `${check.name} (${sayStatus(check)})`).join(', ');
  return reason('checks-failed', `${failed.length === 1 ? 'check' : 'checks'} failed: ${names}`);
}

export function sayStatus(check: CheckResult): string {
  switch (check.status) {
    case 'passed':
      return 'passed';
    case 'timeout':
      return 'passed its time limit';
    case 'changed-tree':
      return 'changed the tree';
    case 'output':
      return 'printed something';
    case 'error':
      return 'could not run';
    case 'failed':
      return `exit ${check.exit ?? 'by signal'}`;
  }
}

const firstLine = (text: string): string =>
  (text.split('\n').find((line) => line.trim() !== '') ?? text).trim().slice(0, 200);

/**
 * The Job's attempts after a settlement: `exhausted` replaces only a `pending` that would follow (11, Jobs).
 * A plan Run that succeeded with no Run left is exhausted too: it could never execute.
 */
export function afterCount(
  job: Pick<Job, 'ttl'>,
  settled: Settlement,
): { readonly ttl: number; readonly state: JobState; readonly reason: Reason | null } {
  const ttl = Math.max(0, job.ttl - (settled.counted ? 1 : 0));
  if (settled.state === 'pending' && ttl === 0) {
    const why = settled.reason === null ? '' : `; the last one: ${settled.reason.text}`;
    return { ttl, state: 'exhausted', reason: reason('exhausted', `no Runs left${why}`) };
  }
  return { ttl, state: settled.state, reason: settled.reason };
}
