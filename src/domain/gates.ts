// The gates of a Goal: what quality and governance run, what a verdict is worth, and what their proof says (G13, G14, G31). Pure.

import { sayStatus } from './closure.js';
import type { Oid } from './git.js';
import type { CandidatePair, Evidence, EvidenceStatus, Finding } from './goal.js';
import { goalReason } from './goal-reasons.js';
import type { CheckResult, Reason } from './job.js';
import type { Check, Policy } from './policy.js';

export type Gate = 'quality' | 'governance';

type Gated = Pick<Policy, 'checks' | 'quality' | 'governance' | 'goals'>;

/**
 * The checks of a gate. Its own are named `quality:lint`, a form that no configured name has; `checks` are run in quality, on
 * exactly the Candidate that governance judges afterwards.
 */
export function gateChecks(policy: Gated, gate: Gate): readonly Check[] {
  const own = policy[gate].checks.map((check) => ({ ...check, name: `${gate}:${check.name}` }));
  return gate === 'quality' ? [...policy.checks, ...own] : own;
}

/** Is there neither a check nor an agent in quality and governance, and no leave to integrate all the same (G31)? */
export const isUngated = (policy: Gated): boolean =>
  !policy.goals.ungated &&
  (['quality', 'governance'] as const).every(
    (gate) => gateChecks(policy, gate).length === 0 && policy[gate].agent === null,
  );

/** What an agent wrote to its result file. */
export type VerdictFacts =
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable'; readonly why: string }
  | {
      readonly kind: 'found';
      readonly verdict: 'pass' | 'findings';
      readonly findings: readonly { readonly text: string; readonly paths: readonly string[] }[];
      readonly summary: string | null;
      readonly nonce: string;
      readonly candidate: { readonly base: string; readonly tip: string };
    };

/** What it is worth: it counts only with this process's nonce and the ids of exactly this Candidate (G31). */
export type Verdict =
  | { readonly kind: 'pass'; readonly summary: string | null }
  | { readonly kind: 'findings'; readonly summary: string | null; readonly findings: readonly Finding[] }
  | { readonly kind: 'unreadable'; readonly why: string };

export function judgeVerdict(
  facts: VerdictFacts,
  expected: { readonly nonce: string; readonly candidate: CandidatePair; readonly agent: string },
): Verdict {
  if (facts.kind === 'none') return { kind: 'unreadable', why: 'it gave no verdict' };
  if (facts.kind === 'unreadable') return { kind: 'unreadable', why: `its verdict cannot be read: ${facts.why}` };
  if (facts.nonce !== expected.nonce)
    return { kind: 'unreadable', why: 'its verdict has the nonce of another process' };
  const { base, tip } = expected.candidate;
  if (facts.candidate.base !== base || facts.candidate.tip !== tip) {
    return {
      kind: 'unreadable',
      why: `its verdict is about another Candidate, ${facts.candidate.base}..${facts.candidate.tip}`,
    };
  }
  const { summary } = facts;
  // A pass that lists findings contradicts itself: what it found counts.
  if (facts.verdict === 'pass' && facts.findings.length === 0) return { kind: 'pass', summary };
  const unnamed = { text: summary ?? 'the agent has findings and names none', paths: [] };
  const findings = facts.findings.length === 0 ? [unnamed] : facts.findings;
  return { kind: 'findings', summary, findings: findings.map((one) => ({ gate: expected.agent, ...one })) };
}

export interface GateFacts {
  readonly gate: Gate;
  readonly checks: readonly CheckResult[];
  /** null: no agent is configured, or it was not started. */
  readonly agent: { readonly name: string; readonly verdict: Verdict } | null;
  /** What is operational and stops it: a missing agent, a limit, a tree that was changed. */
  readonly trouble: Reason | null;
  /** What we found ourselves: guarded and protected paths, size, no gate at all. */
  readonly own: readonly Finding[];
}

export interface Judged {
  readonly status: Extract<EvidenceStatus, 'passed' | 'findings' | 'trouble'>;
  readonly findings: readonly Finding[];
  readonly verdict: Evidence['verdict'];
  readonly reason: Reason | null;
}

/** A check that did not say no: it could not be run, or took too long (G14). */
const couldNotSay = (check: CheckResult): boolean => check.status === 'timeout' || check.status === 'error';

/**
 * Decides. Findings win over trouble: they ask for another Candidate, whatever else went wrong. An agent's pass replaces no check.
 */
export function judgeGate(facts: GateFacts): Judged {
  const { gate, agent } = facts;
  const failed = facts.checks.filter((check) => check.status !== 'passed');
  const findings: readonly Finding[] = [
    ...facts.own,
    ...failed
      .filter((check) => !couldNotSay(check))
      .map((check) => ({ gate: check.name, text: `check ${check.name} failed: ${sayStatus(check)}`, paths: [] })),
    ...(agent?.verdict.kind === 'findings' ? agent.verdict.findings : []),
  ];
  const verdict = agent === null ? null : recorded(agent);
  if (findings.length > 0) {
    const code = findings.every((finding) => finding.gate === UNGATED) ? 'ungated' : (`${gate}-findings` as const);
    return {
      status: 'findings',
      findings,
      verdict,
      reason: goalReason(code, sayFindings(gate, findings), pathsOf(findings)),
    };
  }
  const stuck = failed[0];
  const trouble =
    facts.trouble ??
    (stuck === undefined ? null : goalReason('gate-trouble', `check ${stuck.name} ${sayStatus(stuck)}`)) ??
    (agent?.verdict.kind === 'unreadable'
      ? goalReason('gate-trouble', `the agent ${agent.name} gave no usable verdict: ${agent.verdict.why}`)
      : null);
  return trouble === null
    ? { status: 'passed', findings, verdict, reason: null }
    : { status: 'trouble', findings, verdict, reason: trouble };
}

const recorded = ({ name, verdict }: NonNullable<GateFacts['agent']>): Evidence['verdict'] =>
  verdict.kind === 'unreadable'
    ? { agent: name, result: 'unreadable', summary: verdict.why }
    : { agent: name, result: verdict.kind, summary: verdict.summary };

/** How many findings a reason names. */
const MOST_SAID = 5;

function sayFindings(gate: Gate, findings: readonly Finding[]): string {
  const said = findings.slice(0, MOST_SAID).map((finding) => (finding.text.split('\n', 1)[0] ?? '').slice(0, 300));
  const more = findings.length > MOST_SAID ? ` (and ${findings.length - MOST_SAID} more)` : '';
  return `${gate}: ${said.join('; ')}${more}`;
}

function pathsOf(findings: readonly Finding[]): Pick<Reason, 'paths'> {
  const paths = [...new Set(findings.flatMap((finding) => finding.paths))];
  return paths.length === 0 ? {} : { paths };
}

const UNGATED = 'gates';

/** The finding of a Goal that no gate would judge. */
export const ungatedFinding: Finding = {
  gate: UNGATED,
  text: 'there is neither a check nor an agent in quality and governance, and goals.ungated is not true',
  paths: [],
};

export interface Delta {
  /** Paths that differ, but for the Handoff. */
  readonly paths: readonly string[];
  /** Lines added and removed, as `git diff --numstat` counts them. */
  readonly lines: number;
  readonly guarded: readonly string[];
  /** The same, each with why where that is not in a list of the configuration. */
  readonly guardedFor?: readonly string[] | undefined;
  readonly protected: readonly string[];
}

/** What governance finds without asking anybody. `allowed`: a person allowed guarded paths for exactly this Candidate. */
export function deltaFindings(policy: Pick<Policy, 'governance'>, delta: Delta, allowed: boolean): readonly Finding[] {
  const { files, lines } = policy.governance.max_changed;
  const findings: Finding[] = [];
  if (!allowed && delta.guarded.length > 0) {
    findings.push({
      gate: 'guard',
      text: `touches guarded paths: ${listed(delta.guardedFor ?? delta.guarded)}`,
      paths: delta.guarded,
    });
  }
  if (!allowed && delta.protected.length > 0) {
    findings.push({
      gate: 'protect',
      text: `touches protected paths: ${listed(delta.protected)}`,
      paths: delta.protected,
    });
  }
  if (files !== null && delta.paths.length > files) {
    findings.push({ gate: 'max_changed', text: `changes ${delta.paths.length} files, more than ${files}`, paths: [] });
  }
  if (lines !== null && delta.lines > lines) {
    findings.push({ gate: 'max_changed', text: `changes ${delta.lines} lines, more than ${lines}`, paths: [] });
  }
  return findings;
}

const listed = (paths: readonly string[]): string =>
  paths.length <= 5 ? paths.join(', ') : `${paths.slice(0, 5).join(', ')} and ${paths.length - 5} more`;

/**
 * Why this proof does not count here for exactly this Candidate, and must be made again; null: it counts (G31). A failed one
 * stands as it is and never counts.
 */
export function whyVoid(
  proof: Pick<Evidence, 'type' | 'status' | 'candidate' | 'config' | 'clone'>,
  here: {
    readonly gate: Gate;
    readonly candidate: CandidatePair;
    readonly config: Oid | null;
    readonly clone: string;
    readonly trust: boolean;
  },
): string | null {
  const { candidate } = proof;
  if (proof.type !== here.gate) return `it is a proof of ${proof.type}`;
  if (proof.status !== 'passed') return `it is ${proof.status}`;
  if (candidate?.base !== here.candidate.base || candidate.tip !== here.candidate.tip)
    return 'it is about another Candidate';
  if (proof.config !== here.config) return 'its gates were read from another configuration';
  if (proof.clone !== here.clone && !here.trust) return 'another clone ran it';
  return null;
}
