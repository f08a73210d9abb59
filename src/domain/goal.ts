// The records of a Goal: Goal, each Round, each Candidate, each piece of Evidence, and Features (01, 03). Types only.

import type { Oid, RefName } from './git.js';
import type { CheckResult, Claim, JobId, Reason, Timestamp } from './job.js';

/** In the order of a Goal's life. */
export const GOAL_STATUSES = [
  'backlog',
  'todo',
  'plan',
  'implement',
  'quality',
  'governance',
  'review',
  'done',
  'failed',
  'cancelled',
] as const;
export type GoalStatus = (typeof GOAL_STATUSES)[number];

export type GoalId = string & { readonly __goal?: never };
export type Priority = 'high' | 'medium' | 'low';

/** The steps that a Goal goes through by itself. */
export type AutomatedStatus = 'plan' | 'implement' | 'quality' | 'governance';

export const AUTOMATED: ReadonlySet<GoalStatus> = new Set<GoalStatus>(['plan', 'implement', 'quality', 'governance']);
export const CLOSED_GOALS: ReadonlySet<GoalStatus> = new Set<GoalStatus>(['done', 'cancelled']);

/** An exact pair of commits (00, Words). */
export interface CandidatePair {
  readonly base: Oid;
  readonly tip: Oid;
}

/** Where it will land; pinned when it leaves todo (03, "The target"). */
export interface Target {
  /** Branch name, whole. */
  readonly name: string;
  readonly remote: string | null;
  /** Is the target the remote's branch, published by push? */
  readonly publish: boolean;
  /** Commit that the configuration was read from, and the digest of its gates: a clone that resolves them otherwise stops. */
  readonly config: Oid | null;
  readonly gates: string;
}

/** An open window for an Error handler (G41). */
export interface ErrorWindow {
  readonly step: AutomatedStatus;
  readonly event: string;
  /** Evidence that says what failed. */
  readonly evidence: string;
  readonly opened: Timestamp;
  readonly deadline: Timestamp;
  /** Id of the clone that opened it (`refs/owl/local/clone`). */
  readonly clone: string;
}

export interface Goal {
  readonly schema: 1;
  readonly kind: 'goal';
  readonly id: GoalId;
  /** Goes up on every write. */
  readonly revision: number;
  readonly occurrence: { readonly number: number; readonly decision: string };
  readonly status: GoalStatus;
  readonly title: string;
  readonly feature: string | null;
  /** Fractional index: compare as text. Order within its Feature, and among Goals without one. */
  readonly position: string;
  readonly priority: Priority;
  readonly needs: readonly GoalId[];
  readonly owner: string | null;
  readonly labels: readonly string[];
  /** `--target` and `--remote` as they were given; null: the configuration's, resolved when it leaves todo. */
  readonly wish: { readonly target: string | null; readonly remote: string | null };
  readonly target: Target | null;
  /** Number of the current Round; 0: none yet. */
  readonly round: number;
  /** The target's commit that the current Round stands on (G5, G11, G22). */
  readonly base: { readonly ref: string; readonly oid: Oid } | null;
  /** Id of the current Candidate's record, with its pair. */
  readonly candidate: (CandidatePair & { readonly id: string }) | null;
  /** Evidence that counts for the current Candidate: cleared from here, never from the records, when that is replaced (G22). */
  readonly gates: { readonly quality: string | null; readonly governance: string | null };
  /** The current Round's integration, as evidence; null: none. */
  readonly integration: string | null;
  /** Why it failed or waits. */
  readonly reason: Reason | null;
  /** Automated step that failed last, for `retry`. */
  readonly failed_in: AutomatedStatus | null;
  readonly window: ErrorWindow | null;
  /** `--allow-guarded`, with the Candidate it was said for (11, Goals). */
  readonly allow_guarded: string | null;
  readonly claim: Claim | null;
  /** As a Job's (05, S7). */
  readonly token?: number | null | undefined;
  /** Automatic decisions in a row (G42: at most 16). */
  readonly chain: number;
  readonly created: Timestamp;
  readonly updated: Timestamp;
  readonly closed: Timestamp | null;
}

/** What one Round is asked for, and the Job that does it. */
export interface Round {
  readonly schema: 1;
  readonly kind: 'round';
  readonly goal: GoalId;
  readonly number: number;
  readonly request: string;
  /** The Job of this Round; null until it leaves todo. */
  readonly job: JobId | null;
  /** Round whose Candidate is taken over as far as it applies (G44). */
  readonly from: number | null;
  /** Paths of that Candidate that did not apply. */
  readonly left_out: readonly string[];
  readonly opened_by: 'add' | 'round' | 'decline' | 'revert' | 'adopt';
  readonly created: Timestamp;
}

export interface Candidate {
  readonly schema: 1;
  readonly kind: 'candidate';
  readonly id: string;
  readonly goal: GoalId;
  readonly round: number;
  readonly base: Oid;
  readonly tip: Oid;
  /** `reconcile`: what somebody else merged, which is not the Candidate as it was. */
  readonly made_by: 'implement' | 'quality' | 'refresh' | 'adopt' | 'reconcile';
  /** Candidate that this one replaces; that one stays pinned. */
  readonly replaces: string | null;
  readonly made: Timestamp;
}

export type EvidenceType =
  | 'quality'
  | 'governance'
  | 'refresh'
  | 'conflict'
  | 'error'
  | 'integration'
  | 'revert'
  | 'reconciliation'
  | 'forward';

/** `trouble`: operational (agent missing, timeout, unreadable verdict), told apart from findings (G14). */
export type EvidenceStatus = 'begun' | 'passed' | 'findings' | 'trouble' | 'done' | 'void' | 'unknown';

export interface Finding {
  readonly gate: string;
  readonly text: string;
  readonly paths: readonly string[];
}

/** What was observed about an exact Candidate. Only its `status` moves on, and only from `begun` or `unknown`. */
export interface Evidence {
  readonly schema: 1;
  readonly kind: 'evidence';
  readonly id: string;
  readonly goal: GoalId;
  readonly round: number;
  readonly type: EvidenceType;
  readonly status: EvidenceStatus;
  readonly candidate: CandidatePair | null;
  /** Commit that the gates were read from. */
  readonly config: Oid | null;
  readonly checks: readonly CheckResult[];
  readonly verdict: {
    readonly agent: string;
    readonly result: 'pass' | 'findings' | 'unreadable';
    readonly summary: string | null;
  } | null;
  readonly findings: readonly Finding[];
  /** Failed step and diagnostic code from domain/goal-reasons.ts, for errors and conflicts. */
  readonly reason: Reason | null;
  /** For integration, refresh, revert and conflict: commits seen and made. */
  readonly commits: {
    readonly target_before?: Oid | undefined;
    readonly target_after?: Oid | undefined;
    readonly merge?: Oid | undefined;
    /** For reconciliation: the target as it was seen here, and on its remote. */
    readonly local?: Oid | undefined;
    readonly published?: Oid | undefined;
    readonly old?: CandidatePair | undefined;
    readonly new?: CandidatePair | undefined;
  };
  /** For integration: where, by which ref of which remote, under which token of the lease. */
  readonly target: {
    readonly ref: RefName;
    readonly remote: string | null;
    readonly token: number | null;
  } | null;
  /** Clone that ran it (G31): gates that another clone ran are run again here. */
  readonly clone: string;
  /** Commit in the chain of `refs/owl/keep/<goal>` whose tree has the outputs. */
  readonly kept: Oid | null;
  readonly at: Timestamp;
}

export interface Feature {
  readonly schema: 1;
  readonly kind: 'feature';
  readonly id: string;
  readonly title: string;
  readonly position: string;
  readonly created: Timestamp;
}
