// From the records of a Job and its Runs to the fields that JSON and `--format` publish (06). Pure. A field keeps its meaning for ever.

import type { CheckResult, Closure, Job, JobState, Phase, Reason, Run, RunOutcome, Usage } from '../domain/job.js';

export interface PublishedBase {
  /** Full ref name; null: not resolved yet. */
  readonly ref: string | null;
  readonly oid: string | null;
}

export interface PublishedJob {
  readonly id: string;
  readonly kind: 'job';
  readonly state: JobState;
  readonly phase: Phase;
  /** Compare as text; smaller is earlier in the queue. */
  readonly position: string;
  /** Runs left. */
  readonly ttl: number;
  readonly branch: string;
  /** What the last Run was made on. */
  readonly base: PublishedBase;
  /** null: the branch was not made yet. */
  readonly tip: string | null;
  /** null: there is none in this clone. */
  readonly worktree: string | null;
  readonly title: string;
  readonly mode: string | null;
  readonly labels: readonly string[];
  readonly needs: readonly string[];
  readonly agent: string | null;
  readonly owner: string | null;
  readonly not_before: string | null;
  /** `void`: branch or base moved since the checks passed (J28). */
  readonly verified: 'none' | 'current' | 'void';
  readonly reason: Reason | null;
  readonly goal: string | null;
  readonly round: number | null;
  readonly created: string;
  readonly updated: string;
  /** How many there were. */
  readonly runs: number;
  readonly planned: boolean;
  readonly auto_merge: boolean | null;
  readonly closure: Closure | null;
  readonly handoff: 'none' | 'current' | 'stale';
  readonly merged: Job['merged'];
  readonly reverted: boolean;
  /** Its commits are in another clone, and not in this one (05, S1); missing: they are here, or there are none. */
  readonly elsewhere?: true;
  /** Only of an active Job: the number of processes is an observation, never authority (01, Liveness). */
  readonly live?: {
    readonly run: string;
    readonly host: string;
    readonly pid: number;
    readonly since: string;
    readonly dead: boolean;
  };
}

/** What is looked up in this clone beside the record. */
export interface JobFacts {
  readonly branch: string;
  /** The branch as it stands now; null: there is none. */
  readonly tip: string | null;
  /** The base as it stands now; null: unknown. */
  readonly base: { readonly ref: string; readonly oid: string } | null;
  readonly worktree: string | null;
  readonly dead?: boolean | undefined;
  /** The commits that the record names are in another clone. */
  readonly elsewhere?: boolean | undefined;
}

export function jobFields(job: Job, facts: JobFacts): PublishedJob {
  return {
    id: job.id,
    kind: 'job',
    state: job.state,
    phase: job.phase,
    position: job.position,
    ttl: job.ttl,
    branch: facts.branch,
    base: { ref: job.onto?.ref ?? null, oid: job.onto?.oid ?? null },
    tip: facts.tip ?? job.tip,
    worktree: facts.worktree,
    title: job.title,
    mode: job.mode,
    labels: job.labels,
    needs: job.needs,
    agent: job.agent,
    owner: job.owner,
    not_before: job.not_before,
    verified: verifiedNow(job, facts),
    reason: job.reason,
    goal: job.goal,
    round: job.round,
    created: job.created,
    updated: job.updated,
    runs: job.runs,
    planned: job.planned,
    auto_merge: job.auto_merge,
    closure: job.closure,
    handoff: job.handoff,
    merged: job.merged,
    reverted: job.reverted,
    ...(facts.elsewhere === true ? { elsewhere: true } : {}),
    ...(job.claim === null ? {} : { live: liveFields(job.claim, facts.dead ?? false) }),
  };
}

const liveFields = (claim: NonNullable<Job['claim']>, dead: boolean): NonNullable<PublishedJob['live']> => ({
  run: claim.run,
  host: claim.host,
  pid: claim.pid,
  since: claim.since,
  dead,
});

/** Failed checks are no verification; a closed Job keeps the one that it was closed with. */
function verifiedNow(job: Job, facts: JobFacts): PublishedJob['verified'] {
  const proof = job.verification;
  if (proof === null || !proof.passed || proof.checks.length === 0) return 'none';
  if (job.state === 'done' || job.state === 'cancelled') return 'current';
  // Where the work is not here, the record says what its tip is.
  const tip = facts.elsewhere === true ? job.tip : facts.tip;
  const moved = tip !== proof.tip || (facts.base !== null && facts.base.oid !== proof.base);
  return moved ? 'void' : 'current';
}

export interface PublishedCheck {
  readonly name: string;
  readonly run: string;
  readonly status: CheckResult['status'];
  readonly exit: number | null;
  /** Milliseconds. */
  readonly ms: number;
  /** SHA-256 of the output. */
  readonly digest: string;
}

/** A check that failed, with the end of what it printed. */
export interface PublishedFailure extends PublishedCheck {
  /** null: it is not kept. */
  readonly output: string | null;
}

/** Bytes of an output that are published beside a result; `log` has all of it. */
const OUTPUT_TAIL = 8 * 1024;

export const failureFields = (failed: {
  readonly check: CheckResult;
  readonly output: Buffer | null;
}): PublishedFailure => ({
  ...checkFields(failed.check),
  output: failed.output === null ? null : failed.output.subarray(-OUTPUT_TAIL).toString('utf8'),
});

export interface PublishedRun {
  readonly id: string;
  readonly job: string;
  readonly number: number;
  readonly phase: Phase;
  /** null while it lives. */
  readonly outcome: RunOutcome | null;
  readonly closure: Closure | null;
  readonly reason: Reason | null;
  readonly fetch: Run['fetch'];
  readonly onto: Run['onto'];
  readonly started: string;
  readonly ended: string | null;
  readonly exit: Run['exit'];
  readonly ended_by: Run['ended_by'];
  readonly checks: readonly PublishedCheck[];
  readonly usage: Usage | null;
  readonly handoff: 'none' | 'current' | 'stale';
  readonly agent: string | null;
  readonly summary: string | null;
  readonly conflicts: readonly string[];
  readonly notes: readonly string[];
  readonly counted: boolean;
  readonly superseded: boolean;
}

export const runFields = (run: Run): PublishedRun => ({
  id: run.id,
  job: run.job,
  number: run.number,
  phase: run.phase,
  outcome: run.outcome,
  closure: run.closure,
  reason: run.reason,
  fetch: run.fetch,
  onto: run.onto,
  started: run.started,
  ended: run.ended,
  exit: run.exit,
  ended_by: run.ended_by,
  checks: run.checks.map(checkFields),
  usage: run.usage,
  handoff: run.handoff,
  agent: run.agent?.name ?? null,
  summary: run.summary,
  conflicts: run.conflicts,
  notes: run.notes,
  counted: run.counted,
  superseded: run.superseded,
});

export const checkFields = (check: CheckResult): PublishedCheck => ({
  name: check.name,
  run: check.run,
  status: check.status,
  exit: check.exit,
  ms: check.ms,
  digest: check.digest,
});

/** For `--format` and `--sort` on an empty list. */
export const JOB_FIELDS = [
  'id',
  'kind',
  'state',
  'phase',
  'position',
  'ttl',
  'branch',
  'base',
  'tip',
  'worktree',
  'title',
  'mode',
  'labels',
  'needs',
  'agent',
  'owner',
  'not_before',
  'verified',
  'reason',
  'goal',
  'round',
  'created',
  'updated',
  'runs',
  'planned',
  'auto_merge',
  'closure',
  'handoff',
  'merged',
  'reverted',
  'elsewhere',
  'live',
] as const satisfies readonly (keyof PublishedJob)[];
