// One start of a Skill or an Error handler: bound to an event of a Goal, started at most once, ended once (G41, G61 to G63). Types and
// pure decisions.

import type { Oid } from './git.js';
import type { Goal, GoalId } from './goal.js';
import type { Claim, Timestamp } from './job.js';
import type { Skill } from './policy.js';

/** `waiting`: bound, and never started. What has started is never started again as a handler (G41). */
export const INVOCATION_STATES = ['waiting', 'started', 'ended'] as const;
export type InvocationState = (typeof INVOCATION_STATES)[number];

/** `never-ran`: it has no start record, and will get none. */
export const INVOCATION_OUTCOMES = ['succeeded', 'failed', 'timeout', 'interrupted', 'never-ran'] as const;
export type InvocationOutcome = (typeof INVOCATION_OUTCOMES)[number];

export interface Invocation {
  readonly schema: 1;
  readonly kind: 'invocation';
  /** Made of Goal, occurrence and binding (G63). */
  readonly id: string;
  readonly goal: GoalId;
  readonly round: number;
  /** Name of the binding in the configuration. */
  readonly skill: string;
  /** The event that it is bound to, such as `workflow.quality.error`. */
  readonly on: string;
  /** Its place among those bound by the same write, from 0: the order of the configuration. */
  readonly order: number;
  /** What the Goal was doing: where that does not stand any more, it is not started. */
  readonly occurrence: Goal['occurrence'];
  readonly state: InvocationState;
  readonly outcome: InvocationOutcome | null;
  /** Of its process; null: it was not started, or ended otherwise. */
  readonly exit: number | null;
  /** Why it ended as it did, or never ran. */
  readonly text: string | null;
  /** Evidence of what failed, for a handler. */
  readonly evidence: string | null;
  /** Nothing of it may run after this; null: only its own time limit counts. */
  readonly deadline: Timestamp | null;
  /** The clone that it belongs to: elsewhere it is only shown. */
  readonly clone: string;
  /** Of a Skill with a checkout of its own: what that is pinned to, recorded before anything of it is made (G62, G63). */
  readonly source: { readonly ref: string; readonly oid: Oid } | null;
  /** The process that started it. */
  readonly claim: Claim | null;
  readonly recorded: Timestamp;
  readonly started: Timestamp | null;
  readonly ended: Timestamp | null;
}

/** What is bound, as it is recorded before anything is started. */
export const newInvocation = (
  bound: Pick<
    Invocation,
    'id' | 'goal' | 'round' | 'skill' | 'on' | 'order' | 'occurrence' | 'evidence' | 'deadline' | 'clone'
  > & {
    readonly at: Timestamp;
  },
): Invocation => {
  const { at, ...said } = bound;
  return {
    schema: 1,
    kind: 'invocation',
    ...said,
    state: 'waiting',
    outcome: null,
    exit: null,
    text: null,
    source: null,
    claim: null,
    recorded: at,
    started: null,
    ended: null,
  };
};

/** May the one become the other? It only goes on, and what it was bound to stays. */
export function mayBecome(old: Invocation, next: Invocation): boolean {
  const rank = (one: Invocation): number => INVOCATION_STATES.indexOf(one.state);
  return (
    old.state !== 'ended' &&
    rank(next) >= rank(old) &&
    old.skill === next.skill &&
    old.on === next.on &&
    old.clone === next.clone &&
    (old.source === null || old.source.oid === next.source?.oid) &&
    old.occurrence.number === next.occurrence.number &&
    old.occurrence.decision === next.occurrence.decision
  );
}

/** Of `work`, and bound to exactly what it is doing now. */
export const isOfOccurrence = (one: Pick<Invocation, 'occurrence'>, goal: Pick<Goal, 'occurrence'>): boolean =>
  one.occurrence.number === goal.occurrence.number && one.occurrence.decision === goal.occurrence.decision;

/** How an occurrence is written into `OWL_OCCURRENCE`. */
export const sayOccurrence = (goal: Pick<Goal, 'occurrence'>): string =>
  `${goal.occurrence.number}:${goal.occurrence.decision}`;

/** Executable Skills bound to an event, in the order of the configuration. */
export const boundTo = (skills: readonly Skill[], on: string): readonly Skill[] =>
  skills.filter((skill) => skill.on === on && skill.kind === 'executable');

/** Oldest first, and in the order of the configuration. */
export const invocationOrder = (one: Invocation, two: Invocation): number =>
  one.recorded === two.recorded ? one.order - two.order : one.recorded < two.recorded ? -1 : 1;
