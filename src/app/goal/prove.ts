// Both gates on exactly the Candidate, for one that is on its target already: nothing may be corrected any more (G54).

import type { Evidence } from '../../domain/goal.js';
import { goalReason } from '../../domain/goal-reasons.js';
import type { Reason } from '../../domain/job.js';
import type { LoadedPolicy } from '../../domain/policy.js';
import type { Workbench } from '../workbench.js';
import type { Held } from './claim.js';
import { judge } from './judge.js';
import { recordProofs, whyUnfinished } from './quality.js';

export interface Wanted {
  readonly loaded: LoadedPolicy;
  /** Null: it is run. */
  readonly quality: Evidence | null;
  readonly governance: Evidence | null;
}

export type ProvenAll =
  | { readonly kind: 'passed'; readonly held: Held; readonly proofs: Pick<Wanted, 'quality' | 'governance'> }
  | { readonly kind: 'failed' | 'waits'; readonly why: Reason };

/** Runs what is wanted and not there. What was found is recorded whatever it is. Throws what making a checkout throws. */
export async function proveAll(bench: Workbench, first: Held, wanted: Wanted): Promise<ProvenAll> {
  let held = first;
  const proofs = { quality: wanted.quality, governance: wanted.governance };
  for (const gate of ['quality', 'governance'] as const) {
    if (proofs[gate] !== null) continue;
    bench.progress.step(`goal ${held.goal.id}: ${gate}`);
    const judged = await judge(bench, held, wanted.loaded, gate, proofs.quality);
    const waits = whyUnfinished(gate, judged);
    if (waits !== null) return { kind: 'waits', why: waits };
    const proof = judged.proofs.at(-1) ?? null;
    const why = judged.why ?? (judged.corrected === null && proof !== null ? null : corrected(gate));
    const gates = { ...held.goal.gates, ...(why === null && proof !== null ? { [gate]: proof.id } : {}) };
    // What an agent made on top of it is kept with the evidence, and is no Candidate: the target has what it has.
    const { policy } = wanted.loaded;
    const recorded = await recordProofs(bench, held, { ...judged, corrected: null }, { gates, policy });
    if (recorded.kind !== 'recorded')
      return { kind: 'failed', why: goalReason('gate-trouble', 'another decision came meanwhile') };
    ({ held } = recorded);
    if (why !== null) return { kind: 'failed', why };
    proofs[gate] = proof;
  }
  return { kind: 'passed', held, proofs };
}

const corrected = (gate: string): Reason =>
  goalReason('quality-findings', `the agent of ${gate} corrected it, and what is merged does not have that`);
