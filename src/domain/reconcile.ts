// What lets a Candidate that is integrated already go to review: a passed governance and a quality proof of exactly it (G54). A failed
// proof stands; nothing is made up for one that is missing. Pure.

import { type Gate, whyVoid } from './gates.js';
import type { Oid } from './git.js';
import type { CandidatePair, Evidence, Goal } from './goal.js';

export interface ReconcileFacts {
  readonly goal: Pick<Goal, 'round' | 'gates'>;
  readonly candidate: CandidatePair;
  /** Oldest first. */
  readonly evidence: readonly Evidence[];
  /** Commit that the gates are read from. */
  readonly config: Oid | null;
  readonly clone: string;
}

export type Standing =
  /** The one that the record names. */
  | { readonly kind: 'retained'; readonly proof: Evidence }
  /** One that the record does not name, with everything that says what it is of. */
  | { readonly kind: 'normalised'; readonly proof: Evidence }
  /** There is none that counts here: it is made again, in a checkout of exactly the Candidate. */
  | { readonly kind: 'again'; readonly why: string }
  | { readonly kind: 'missing' }
  /** It stands, and is never made again. */
  | { readonly kind: 'failed'; readonly proof: Evidence };

/** What there is of one gate about exactly this Candidate. The newest that says yes or no counts. */
export function standingOf(gate: Gate, facts: ReconcileFacts): Standing {
  const { goal, candidate, config, clone } = facts;
  const proof = facts.evidence.findLast(
    (one) =>
      one.type === gate &&
      one.round === goal.round &&
      (one.status === 'passed' || one.status === 'findings') &&
      one.candidate?.base === candidate.base &&
      one.candidate.tip === candidate.tip,
  );
  if (proof === undefined) return { kind: 'missing' };
  if (proof.status === 'findings') return { kind: 'failed', proof };
  const why = whyVoid(proof, { gate, candidate, config, clone, trust: false });
  if (why !== null) return { kind: 'again', why };
  if (goal.gates[gate] === proof.id) return { kind: 'retained', proof };
  // Without the commit that its gates were read from it could be of any.
  return proof.config === null
    ? { kind: 'again', why: 'it does not say what it was run by' }
    : { kind: 'normalised', proof };
}

export type Reconcilable =
  | { readonly kind: 'refused'; readonly why: string }
  /** Null: it is run again. */
  | { readonly kind: 'proofs'; readonly quality: Evidence | null; readonly governance: Evidence | null };

/** Of a Candidate that is integrated by evidence of our own: anything missing or failed fails closed. */
export function decideReconcile(facts: ReconcileFacts): Reconcilable {
  const quality = standingOf('quality', facts);
  const governance = standingOf('governance', facts);
  if (quality.kind === 'failed') return { kind: 'refused', why: `quality did not pass for it: ${said(quality.proof)}` };
  if (governance.kind === 'failed')
    return { kind: 'refused', why: `governance did not pass for it: ${said(governance.proof)}` };
  if (governance.kind === 'missing') return { kind: 'refused', why: 'governance has not passed for it' };
  return { kind: 'proofs', quality: proofIn(quality), governance: proofIn(governance) };
}

/** Of what somebody else merged both gates are run on it; a proof that failed for it stands all the same. */
export function failedProof(facts: ReconcileFacts): Evidence | null {
  for (const gate of ['quality', 'governance'] as const) {
    const standing = standingOf(gate, facts);
    if (standing.kind === 'failed') return standing.proof;
  }
  return null;
}

const proofIn = (standing: Standing): Evidence | null =>
  standing.kind === 'retained' || standing.kind === 'normalised' ? standing.proof : null;

const said = (proof: Evidence): string => proof.reason?.text ?? 'it has findings';
