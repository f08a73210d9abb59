// The records of a Job and of its Runs, as they are stored (01, 02). Types only; the schemas are in state/schema.ts.

import type { Oid, RefName } from './git.js';

export type JobState = 'pending' | 'active' | 'blocked' | 'review' | 'escalated' | 'done' | 'cancelled' | 'exhausted';
export type Phase = 'plan' | 'execute';
export type RunOutcome = 'succeeded' | 'failed' | 'interrupted';
export type Closure = 'resolved' | 'blocked' | 'escalated' | 'exhausted';

export type JobId = string & { readonly __job?: never };
export type RunId = string;

/** RFC 3339 in UTC. */
export type Timestamp = string;

/** Open work lies in one subtree of the state, closed work in another (01). */
export const CLOSED_STATES: ReadonlySet<JobState> = new Set(['done', 'cancelled']);

/** Why a Job waits, is blocked or escalated. `code` is from the closed list REASONS in domain/reasons.ts. */
export interface Reason {
  readonly code: string;
  readonly text: string;
  readonly paths?: readonly string[] | undefined;
  readonly onto?: { readonly ref: string; readonly oid: Oid } | undefined;
  /** A usage limit that the agent of a gate met lifts then; a Job has a field of its own. */
  readonly not_before?: Timestamp | undefined;
}

/** Who executes: an observation, never authority (01, "Liveness"). */
export interface Claim {
  readonly run: RunId;
  readonly host: string;
  readonly boot: string;
  /** PID namespace, such as `pid:[4026531836]`. */
  readonly namespace: string;
  readonly pid: number;
  /** Start time of the process in clock ticks since boot, as /proc prints it; `""` where there is no /proc. */
  readonly start: string;
  readonly since: Timestamp;
  /** Process group leader of the agent, once it was started. */
  readonly group?: { readonly pid: number; readonly start: string } | undefined;
}

export interface CheckResult {
  readonly name: string;
  readonly run: string;
  readonly status: 'passed' | 'failed' | 'timeout' | 'error' | 'changed-tree' | 'output';
  readonly exit: number | null;
  readonly ms: number;
  /** SHA-256 of the output, hexadecimal; the output itself is in `refs/owl/keep/<job>`. */
  readonly digest: string;
  /** With `sync.output`: the end of the output, masked. */
  readonly output?: string | undefined;
}

/** Void when either tip moves (J28). */
export interface Verification {
  readonly tip: Oid;
  readonly base: Oid;
  readonly config: Oid | null;
  readonly passed: boolean;
  readonly checks: readonly CheckResult[];
  readonly at: Timestamp;
}

export interface Merged {
  readonly by: 'owl' | 'hand';
  readonly ref: RefName;
  readonly before: Oid | null;
  readonly after: Oid | null;
  readonly commits: number;
  readonly files: number;
  readonly at: Timestamp;
}

export interface Job {
  readonly schema: 1;
  readonly kind: 'job';
  readonly id: JobId;
  /** Goes up on every write. */
  readonly revision: number;
  /** Changes only on a decision; `decision` is the operation id that opened it. */
  readonly occurrence: { readonly number: number; readonly decision: string };
  readonly state: JobState;
  readonly phase: Phase;
  readonly planned: boolean;
  readonly title: string;
  readonly prefix: string;
  readonly slug: string;
  /** Fractional index: compare as text. */
  readonly position: string;
  /** Runs left. */
  readonly ttl: number;
  readonly reason: Reason | null;
  /** Names as resolved at `add`; null: resolved anew at each Run. */
  readonly base: { readonly name: string | null; readonly remote: string | null };
  /** `add --from`: the ref whose tip the branch is cut at. */
  readonly from: RefName | null;
  /** The base commit that the last replay (or the cut) used, with the ref it was read from. */
  readonly onto: { readonly ref: string; readonly oid: Oid } | null;
  readonly tip: Oid | null;
  readonly mode: string | null;
  readonly auto_merge: boolean | null;
  readonly labels: readonly string[];
  readonly needs: readonly JobId[];
  /** Fixed at the first Run (J16). */
  readonly agent: string | null;
  readonly account: string | null;
  readonly owner: string | null;
  readonly not_before: Timestamp | null;
  readonly verification: Verification | null;
  /** Closure of the last execute Run; `resolved` is decided in one place, domain/closure.ts, and stored here (J32). */
  readonly closure: Closure | null;
  /** The worktree failed J9 at the end of the last Run, or J16b found `escaped`. */
  readonly degraded: boolean;
  /** The agent reported `no-change` with this summary. */
  readonly no_change: string | null;
  readonly claim: Claim | null;
  /** Of the claim on a remote that the last Run of it was made under (05, S7): only grows; absent: there was none. */
  readonly token?: number | null | undefined;
  readonly runs: number;
  readonly last_run: RunId | null;
  /** Text of `retry -m`, newest last; goes into the next prompt. */
  readonly feedback: readonly string[];
  /** Conflicts in a row (J12). */
  readonly conflicts: number;
  /** Old tip named in the next prompt after `retry --restart`. */
  readonly restarted_from: Oid | null;
  readonly restart: boolean;
  readonly handoff: 'none' | 'current' | 'stale';
  readonly merged: Merged | null;
  readonly reverted: boolean;
  /** Set by `drop`: what `restore` brings back. */
  readonly dropped: { readonly state: JobState; readonly tip: Oid | null; readonly at: Timestamp } | null;
  readonly goal: string | null;
  readonly round: number | null;
  readonly created: Timestamp;
  readonly updated: Timestamp;
  /** When it became closed; null while open. */
  readonly closed: Timestamp | null;
}

export interface Usage {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly cached?: number | undefined;
  /** US dollars, as the agent reported it. */
  readonly cost?: number | undefined;
  readonly turns?: number | undefined;
}

export interface Run {
  readonly schema: 1;
  readonly kind: 'run';
  readonly id: RunId;
  readonly job: JobId;
  readonly number: number;
  readonly phase: Phase;
  /** null while it lives. */
  readonly outcome: RunOutcome | null;
  readonly closure: Closure | null;
  readonly reason: Reason | null;
  readonly occurrence: { readonly number: number; readonly decision: string };
  readonly superseded: boolean;
  /** Did it cost one of the Job's Runs (J3)? */
  readonly counted: boolean;
  readonly fetch: {
    readonly status: 'fetched' | 'failed' | 'no-remote';
    readonly remote: string | null;
    readonly reason: string | null;
  } | null;
  readonly onto: { readonly ref: string; readonly oid: Oid } | null;
  readonly config: { readonly commit: Oid | null; readonly blob: Oid | null; readonly path: string | null } | null;
  readonly tip_before: Oid | null;
  readonly tip_after: Oid | null;
  readonly replayed: { readonly commits: number; readonly flattened: number; readonly dropped: number } | null;
  readonly conflicts: readonly string[];
  readonly agent: { readonly name: string; readonly preset: string | null; readonly account: string | null } | null;
  readonly exit: { readonly code: number | null; readonly signal: string | null } | null;
  readonly ended_by: 'itself' | 'timeout' | 'stall' | 'stopped' | 'gone' | null;
  readonly summary: string | null;
  readonly usage: Usage | null;
  /** What this Run did about the Handoff; the Job's field says how it stands now. */
  readonly handoff: 'none' | 'current' | 'stale';
  readonly checks: readonly CheckResult[];
  /** What else was seen: "changed while it ran", "plan Run changed files", processes left behind. */
  readonly notes: readonly string[];
  /** Commit in the chain of `refs/owl/keep/<job>` whose tree has `log`, `prompt` and check outputs. */
  readonly kept: Oid | null;
  readonly started: Timestamp;
  readonly ended: Timestamp | null;
}
