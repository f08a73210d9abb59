// The proof of a gate as Evidence, with what was printed kept beside it and found again (G13, G14).

import { newEvidence } from '../../domain/evidence.js';
import type { Gate } from '../../domain/gates.js';
import type { Oid } from '../../domain/git.js';
import type { Evidence } from '../../domain/goal.js';
import type { Timestamp } from '../../domain/job.js';
import type { Pin, StateStore } from '../../state/types.js';
import type { Proof } from './types.js';

export interface ProofOf {
  readonly id: string;
  readonly goal: string;
  readonly round: number;
  readonly gate: Gate;
  /** Commit that the gates were read from. */
  readonly config: Oid | null;
  readonly clone: string;
  readonly at: Timestamp;
}

/**
 * The record and the pin that belongs to it: put both in one write.
 */
export function recordProof(proof: Proof, of: ProofOf): { readonly evidence: Evidence; readonly pin: Pin } {
  const { id, goal, round, gate, config, clone, at } = of;
  const { candidate, status, checks, verdict, findings, reason } = proof;
  const evidence = newEvidence({
    id,
    goal,
    round,
    type: gate,
    status,
    candidate,
    config,
    checks,
    verdict,
    findings,
    reason,
    clone,
    at,
  });
  const files = new Map(proof.files);
  if (proof.notes.length > 0) files.set('notes', Buffer.from(`${proof.notes.join('\n')}\n`));
  return { evidence, pin: { job: goal, commit: candidate.tip, subject: subjectOf(evidence), files } };
}

const subjectOf = (evidence: Pick<Evidence, 'id' | 'type'>): string => `output of ${evidence.type} ${evidence.id}`;

/** The kept link with what this proof printed; null: nothing was kept, or it has expired. */
export async function proofLink(
  store: StateStore,
  evidence: Pick<Evidence, 'id' | 'type' | 'goal' | 'kept'>,
): Promise<Oid | null> {
  if (evidence.kept !== null) return evidence.kept;
  const subject = subjectOf(evidence);
  return (await store.kept(evidence.goal)).find((link) => link.subject === subject)?.link ?? null;
}
