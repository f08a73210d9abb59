// From the records of the parts of a Goal, and of Features, to the fields that JSON and `--format` publish (06). Pure.

import type { Candidate, Evidence, Feature, Goal, Round } from '../domain/goal.js';
import type { Reason } from '../domain/job.js';
import { checkFields, type PublishedCheck } from './job-fields.js';

export interface PublishedRound {
  readonly number: number;
  readonly request: string;
  readonly job: string | null;
  readonly from: number | null;
  readonly left_out: readonly string[];
  readonly opened_by: Round['opened_by'];
  readonly created: string;
  readonly candidates: readonly PublishedCandidate[];
}

export interface PublishedCandidate {
  readonly id: string;
  readonly base: string;
  readonly tip: string;
  readonly made_by: Candidate['made_by'];
  readonly replaces: string | null;
  readonly made: string;
}

export const roundFields = (round: Round, candidates: readonly Candidate[]): PublishedRound => ({
  number: round.number,
  request: round.request,
  job: round.job,
  from: round.from,
  left_out: round.left_out,
  opened_by: round.opened_by,
  created: round.created,
  candidates: candidates
    .filter((candidate) => candidate.round === round.number)
    .map(({ id, base, tip, made_by, replaces, made }) => ({ id, base, tip, made_by, replaces, made })),
});

export interface PublishedEvidence {
  readonly id: string;
  readonly round: number;
  readonly type: Evidence['type'];
  readonly status: Evidence['status'];
  readonly candidate: { readonly base: string; readonly tip: string } | null;
  readonly checks: readonly PublishedCheck[];
  readonly verdict: Evidence['verdict'];
  readonly findings: Evidence['findings'];
  readonly reason: Reason | null;
  /** Commits that it speaks of, beside the Candidate. */
  readonly commits: Readonly<Record<string, string>>;
  readonly at: string;
}

export const evidenceFields = (evidence: Evidence): PublishedEvidence => ({
  id: evidence.id,
  round: evidence.round,
  type: evidence.type,
  status: evidence.status,
  candidate: evidence.candidate === null ? null : { base: evidence.candidate.base, tip: evidence.candidate.tip },
  checks: evidence.checks.map(checkFields),
  verdict: evidence.verdict,
  findings: evidence.findings,
  reason: evidence.reason,
  commits: Object.fromEntries(Object.entries(evidence.commits).filter(([, oid]) => typeof oid === 'string')) as Record<
    string,
    string
  >,
  at: evidence.at,
});

export interface PublishedFeature {
  readonly id: string;
  readonly kind: 'feature';
  readonly title: string;
  readonly position: string;
  /** Ids of its open Goals, in their order. */
  readonly goals: readonly string[];
  readonly created: string;
}

export const featureFields = (feature: Feature, goals: readonly Goal[]): PublishedFeature => ({
  id: feature.id,
  kind: 'feature',
  title: feature.title,
  position: feature.position,
  goals: goals.filter((goal) => goal.feature === feature.id).map((goal) => goal.id),
  created: feature.created,
});

export const FEATURE_FIELDS = [
  'id',
  'kind',
  'title',
  'position',
  'goals',
  'created',
] as const satisfies readonly (keyof PublishedFeature)[];

/** For `--format` and `--sort` on an empty list. */
