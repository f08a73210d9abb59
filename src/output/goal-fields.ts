// From the records of a Goal to the fields that JSON and `--format` publish (06). Pure. A field keeps its meaning for ever.

import { isDue } from '../domain/error-window.js';
import type { Evidence, Goal, GoalStatus, Priority } from '../domain/goal.js';
import { type Invocation, isOfOccurrence } from '../domain/invocation.js';
import type { Reason } from '../domain/job.js';
import { roundBranch } from '../domain/names.js';
import type { RoundMerge } from '../domain/undo.js';
import type { PublishedBase } from './job-fields.js';

export interface PublishedGoal {
  readonly id: string;
  readonly kind: 'goal';
  readonly title: string;
  readonly status: GoalStatus;
  /** The same as `status`: what `%(state)` prints of either kind in a list. */
  readonly state: GoalStatus;
  /** The current Round; 0: none yet. */
  readonly round: number;
  /** How many there were. */
  readonly rounds: number;
  readonly feature: string | null;
  readonly priority: Priority;
  /** Compare as text; smaller is earlier, among its siblings. */
  readonly position: string;
  readonly needs: readonly string[];
  readonly labels: readonly string[];
  readonly owner: string | null;
  /** As it was fixed when it left todo; null: it is resolved then. */
  readonly target: { readonly name: string; readonly remote: string | null; readonly publish: boolean } | null;
  /** What the current Round stands on. */
  readonly base: PublishedBase;
  /** Of the current Round; null: it was not started. */
  readonly branch: string | null;
  readonly candidate: { readonly base: string; readonly tip: string } | null;
  readonly integration: PublishedIntegration | null;
  /**
   * Is the merge of its integration in the target still, as far as is known here without a fetch? null: nothing was integrated to its
   * end. Missing: it was not looked at.
   */
  readonly delivered?: Delivered | null;
  /**
   * What its Rounds merged and no revert of ours is known to have taken back, the newest first, as the record has it. Missing: that was
   * not asked, as of all that is open.
   */
  readonly merges?: readonly PublishedMerge[];
  /** When the window of an open Error event closes; null: none is open. */
  readonly deadline: string | null;
  /** The window of the open Error event, with its handlers. */
  readonly window: PublishedWindow | null;
  readonly reason: Reason | null;
  readonly revision: number;
  readonly created: string;
  readonly updated: string;
}

/** `missing`: the target does not have the merge any more. `reverted`: a revert follows it there. `unknown`: it cannot be seen here. */
export const DELIVERED = ['contained', 'missing', 'reverted', 'unknown'] as const;
export type Delivered = (typeof DELIVERED)[number];

export interface PublishedMerge {
  readonly round: number;
  readonly merge: string;
  readonly ref: string;
}

export interface PublishedIntegration {
  readonly status: Evidence['status'];
  readonly merge: string | null;
  readonly ref: string | null;
  readonly remote: string | null;
  readonly at: string;
}

export interface PublishedWindow {
  readonly event: string;
  readonly opened: string;
  readonly deadline: string;
  /** It is passed, and not settled yet: the next command that writes does that. */
  readonly due: boolean;
  /** Id of the Evidence of what failed. */
  readonly evidence: string;
  readonly handlers: readonly PublishedInvocation[];
}

export interface PublishedInvocation {
  readonly id: string;
  readonly skill: string;
  readonly event: string;
  readonly round: number;
  readonly state: Invocation['state'];
  readonly outcome: Invocation['outcome'];
  readonly exit: number | null;
  readonly text: string | null;
  readonly recorded: string;
  readonly started: string | null;
  readonly ended: string | null;
}

/** What is published of a Goal beside its own record. */
export interface GoalSeen {
  /** The Evidence that the Goal names; null: none, or it cannot be read. */
  readonly integration: Evidence | null;
  /** Of its Skills and handlers; only those of an open window are needed. */
  readonly invocations: readonly Invocation[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export function goalFields(goal: Goal, { integration, invocations, now }: GoalSeen): PublishedGoal {
  const { target, candidate } = goal;
  return {
    id: goal.id,
    kind: 'goal',
    title: goal.title,
    status: goal.status,
    state: goal.status,
    round: goal.round,
    rounds: goal.round,
    feature: goal.feature,
    priority: goal.priority,
    position: goal.position,
    needs: goal.needs,
    labels: goal.labels,
    owner: goal.owner,
    target: target === null ? null : { name: target.name, remote: target.remote, publish: target.publish },
    base: { ref: goal.base?.ref ?? null, oid: goal.base?.oid ?? null },
    branch: goal.base === null ? null : roundBranch(goal.id, goal.round),
    candidate: candidate === null ? null : { base: candidate.base, tip: candidate.tip },
    integration: integration === null ? null : integrationFields(integration),
    deadline: goal.window?.deadline ?? null,
    window: windowFields(goal, invocations, now),
    reason: goal.reason,
    revision: goal.revision,
    created: goal.created,
    updated: goal.updated,
  };
}

function windowFields(goal: Goal, invocations: readonly Invocation[], now: number): PublishedWindow | null {
  const { window } = goal;
  if (window === null) return null;
  const { event, opened, deadline, evidence } = window;
  const handlers = invocations.filter((one) => one.on === event && isOfOccurrence(one, goal)).map(invocationFields);
  return { event, opened, deadline, due: isDue(window, now), evidence, handlers };
}

export const invocationFields = (one: Invocation): PublishedInvocation => ({
  id: one.id,
  skill: one.skill,
  event: one.on,
  round: one.round,
  state: one.state,
  outcome: one.outcome,
  exit: one.exit,
  text: one.text,
  recorded: one.recorded,
  started: one.started,
  ended: one.ended,
});

const integrationFields = (evidence: Evidence): PublishedIntegration => ({
  status: evidence.status,
  merge: evidence.commits.merge ?? null,
  ref: evidence.target?.ref ?? null,
  remote: evidence.target?.remote ?? null,
  at: evidence.at,
});

export const mergeFields = ({ round, merge, target }: RoundMerge): PublishedMerge => ({
  round,
  merge,
  ref: target.ref,
});

export const GOAL_FIELDS = [
  'id',
  'kind',
  'title',
  'status',
  'state',
  'round',
  'rounds',
  'feature',
  'priority',
  'position',
  'needs',
  'labels',
  'owner',
  'target',
  'base',
  'branch',
  'candidate',
  'integration',
  'deadline',
  'window',
  'reason',
  'revision',
  'created',
  'updated',
] as const satisfies readonly (keyof PublishedGoal)[];
