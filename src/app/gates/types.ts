// What a gate is asked and what comes of it: exactly one Candidate, judged in a checkout of its own (G13, G31). Types only.

import type { EarlierRound } from '../../domain/earlier-rounds.js';
import type { Gate, Judged, Verdict } from '../../domain/gates.js';
import type { Oid } from '../../domain/git.js';
import type { CandidatePair, Evidence, EvidenceStatus } from '../../domain/goal.js';
import type { CheckResult, Timestamp } from '../../domain/job.js';
import type { LoadedPolicy } from '../../domain/policy.js';

export interface GateRequest {
  readonly gate: Gate;
  readonly goal: string;
  readonly title: string;
  readonly round: number;
  readonly candidate: CandidatePair;
  /** Ref that the base was read from. */
  readonly onto: string;
  /** Read from the pinned commit; trusted here, which is the caller's to see to. */
  readonly loaded: Pick<LoadedPolicy, 'policy' | 'path' | 'commit'>;
  /** The claim's id: marks every process, names the scratch folder. */
  readonly marker: string;
  /** What this Round is asked for. */
  readonly request: string;
  readonly earlier: readonly EarlierRound[];
  readonly plan: string | null;
  /** Governance: the proof of quality, which must be about exactly this Candidate. */
  readonly quality: Evidence | null;
  /** A person allowed guarded and protected paths for exactly this Candidate (11, Goals). */
  readonly allowGuarded: boolean;
}

/** What was found out about one Candidate, ready to become Evidence. */
export interface Proof extends Omit<Judged, 'status'> {
  /** `void`: of a Candidate that a correction replaced before anything spoke against it. */
  readonly status: Extract<EvidenceStatus, 'passed' | 'findings' | 'trouble' | 'void'>;
  readonly candidate: CandidatePair;
  readonly checks: readonly CheckResult[];
  /** Prompt, log, verdict and the output of each check: for the tree of what is kept with it. */
  readonly files: ReadonlyMap<string, Buffer>;
  readonly notes: readonly string[];
}

export type GateResult =
  | {
      readonly kind: 'judged';
      /** About the Candidate that stands now: the one asked about, or its correction. */
      readonly proof: Proof;
      /** Quality's agent made a new Candidate: the proof of the one that it replaces. Both are kept alive already. */
      readonly replaced: Proof | null;
      /** A usage limit was met: not before this. */
      readonly notBefore: Timestamp | null;
    }
  /** Stopped by us: nothing was found out. */
  | { readonly kind: 'interrupted'; readonly notes: readonly string[] };

/** How the agent of a gate ended, after everything it did was looked at and kept. */
export interface AgentFindings {
  readonly verdict: Verdict | null;
  readonly trouble: Judged['reason'];
  /** The Candidate's tip, or that of its correction. */
  readonly tip: Oid;
  readonly interrupted: boolean;
  readonly notBefore: Timestamp | null;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly notes: readonly string[];
}
