// Quality and governance of a Goal's Candidate: the gate is run, and what it found is written as Evidence of exactly that pair of
// commits; a correction becomes a new Candidate, and the Round's branch follows it (G13, G14, G31).

import { earlierRounds } from '../../domain/earlier-rounds.js';
import type { Candidate, Evidence } from '../../domain/goal.js';
import { goalReason } from '../../domain/goal-reasons.js';
import type { Reason } from '../../domain/job.js';
import type { LoadedPolicy } from '../../domain/policy.js';
import type { Pin } from '../../state/types.js';
import { cloneId } from '../clone.js';
import { recordProof } from '../gates/evidence.js';
import { runGate } from '../gates/run-gate.js';
import type { Proof } from '../gates/types.js';
import { currentRound } from '../goals.js';
import { ownHandoff } from '../handoff.js';
import type { Workbench } from '../workbench.js';
import type { Held } from './claim.js';

export interface JudgedGoal {
  /** Evidence to be written, the newest last: that one speaks of the Candidate that stands now. */
  readonly proofs: readonly Evidence[];
  /** A Candidate that quality's agent made, to be written with it. */
  readonly corrected: Candidate | null;
  /** What is to be kept with the evidence. */
  readonly pins: readonly Pin[];
  /** Why it is not accepted; null: it passed. */
  readonly why: Reason | null;
  readonly interrupted: boolean;
  readonly notBefore: string | null;
}

/** Runs one gate on the current Candidate. Nothing is written. Throws what making a checkout throws. */
export async function judge(
  bench: Workbench,
  held: Held,
  loaded: LoadedPolicy,
  gate: 'quality' | 'governance',
  quality: Evidence | null,
): Promise<JudgedGoal> {
  const { goal, marker } = held;
  const { candidate } = goal;
  if (candidate === null || goal.base === null) throw new Error(`goal ${goal.id} has no candidate`);
  const snapshot = await bench.store.snapshot();
  const round = await currentRound(snapshot, goal);
  const handoff = await ownHandoff(bench.repository, candidate.tip, candidate.base);
  const clone = await cloneId(bench);
  const result = await runGate(bench, {
    gate,
    goal: goal.id,
    title: goal.title,
    round: goal.round,
    candidate: { base: candidate.base, tip: candidate.tip },
    onto: goal.base.ref,
    loaded,
    marker,
    request: round?.request ?? goal.title,
    earlier: earlierRounds(goal.round, await snapshot.rounds(goal.id), await snapshot.evidence(goal.id)),
    plan: handoff.kind === 'ok' ? handoff.text : null,
    quality,
    allowGuarded: goal.allow_guarded === candidate.id,
  });
  if (result.kind === 'interrupted')
    return { proofs: [], corrected: null, pins: [], why: null, interrupted: true, notBefore: null };
  const at = bench.clock.timestamp();
  const { proof, replaced } = result;
  const corrected: Candidate | null =
    replaced === null
      ? null
      : {
          schema: 1,
          kind: 'candidate',
          id: bench.ids.run(),
          goal: goal.id,
          round: goal.round,
          base: proof.candidate.base,
          tip: proof.candidate.tip,
          made_by: 'quality',
          replaces: candidate.id,
          made: at,
        };
  const proofs = (replaced === null ? [proof] : [replaced, proof]).map((one) =>
    recordProof(one, {
      id: bench.ids.run(),
      goal: goal.id,
      round: goal.round,
      gate,
      config: loaded.commit,
      clone,
      at,
    }),
  );
  return {
    proofs: proofs.map(({ evidence }) => evidence),
    pins: proofs.map(({ pin }) => pin),
    corrected,
    why: proof.status === 'passed' ? null : (proof.reason ?? goalReason(`${gate}-findings`, sayFindings(gate, proof))),
    interrupted: false,
    notBefore: result.notBefore,
  };
}

const sayFindings = (gate: string, proof: Proof): string => {
  const [first] = proof.findings;
  const more = proof.findings.length > 1 ? ` and ${proof.findings.length - 1} more` : '';
  return first === undefined ? `${gate} did not accept it` : `${first.gate}: ${first.text}${more}`;
};
