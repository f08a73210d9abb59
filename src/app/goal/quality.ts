// Quality: the Candidate is brought onto the target, then its checks and agent judge exactly it (G13, G14).

import type { Evidence, Goal } from '../../domain/goal.js';
import { moveGoal } from '../../domain/goal-machine.js';
import type { Reason } from '../../domain/job.js';
import { stands } from '../../domain/machine.js';
import type { Policy } from '../../domain/policy.js';
import type { Tx } from '../../state/types.js';
import { failpoint } from '../../system/failpoint.js';
import { foundGoal } from '../goals.js';
import type { Workbench } from '../workbench.js';
import { moveCandidate } from './candidate-branch.js';
import { type Held, releaseGoal } from './claim.js';
import { currentTarget, pinnedPolicy } from './current-target.js';
import { type Failure, failStep } from './fail.js';
import { type JudgedGoal, judge } from './judge.js';
import { moveOn } from './move-on.js';
import { refreshStep } from './refresh-step.js';
import type { StepResult } from './step.js';

export async function qualityStep(bench: Workbench, held: Held): Promise<StepResult> {
  const now = await currentTarget(bench, held.goal);
  const refreshed = await refreshStep(bench, held, now);
  switch (refreshed.kind) {
    case 'superseded':
      return { kind: 'superseded', goal: held.goal };
    case 'failed':
      return failStep(bench, held, { why: refreshed.why, commits: refreshed.commits });
    case 'current':
    case 'refreshed':
      break;
  }
  const proven = await proveQuality(bench, refreshed.held);
  if (proven.kind !== 'passed') return proven.result;
  return moveOn(bench, proven.held, {
    to: 'governance',
    change: { gates: { quality: proven.proof.id, governance: null } },
    said: 'quality passed',
  });
}

export type Proven =
  | { readonly kind: 'passed'; readonly held: Held; readonly proof: Evidence }
  | { readonly kind: 'stopped'; readonly result: StepResult };

/** Runs quality on the current Candidate and writes what it found. A correction has become the Candidate when it passed. */
export async function proveQuality(bench: Workbench, held: Held): Promise<Proven> {
  const loaded = await pinnedPolicy(bench, held.goal);
  const judged = await judge(bench, held, loaded, 'quality', null);
  const stopped = await unfinished(bench, held, judged);
  if (stopped !== null) return { kind: 'stopped', result: stopped };
  const { corrected, proofs, pins } = judged;
  const proof = proofs.at(-1);
  const passed = judged.why === null && proof !== undefined;
  const fails = async (by: Held, failure: Failure): Promise<Proven> => ({
    kind: 'stopped',
    result: await failStep(bench, by, failure),
  });
  const why = judged.why ?? { code: 'gate-trouble', text: 'quality said nothing' };
  if (!passed && corrected === null) return fails(held, { why, proofs, pins });
  const gates = passed ? { quality: proof.id, governance: null } : held.goal.gates;
  const recorded = await recordProofs(bench, held, judged, { gates, policy: loaded.policy });
  if (recorded.kind === 'superseded') return { kind: 'stopped', result: { kind: 'superseded', goal: held.goal } };
  if (recorded.kind === 'failed') return fails(held, { why: recorded.why, proofs, pins });
  // A correction that is not accepted is the Candidate all the same: the latest that the attempt saw (G43).
  return passed ? { kind: 'passed', held: recorded.held, proof } : fails(recorded.held, { why });
}

/** Somebody stopped it, or the gate's agent met a usage limit: nothing was found out. Null: it came to its end. */
export const whyUnfinished = (gate: string, judged: JudgedGoal): Reason | null =>
  judged.interrupted
    ? { code: 'interrupted', text: `${gate} was stopped` }
    : judged.notBefore !== null
      ? { code: 'usage-limit', text: `the agent of ${gate} met a usage limit`, not_before: judged.notBefore }
      : null;

/** Then the step waits. */
export async function unfinished(bench: Workbench, held: Held, judged: JudgedGoal): Promise<StepResult | null> {
  const why = whyUnfinished(held.status, judged);
  return why === null ? null : { kind: 'waits', goal: await releaseGoal(bench, held, { reason: why }) };
}

export type Recorded =
  | { readonly kind: 'recorded'; readonly held: Held }
  /** All of it is kept. */
  | { readonly kind: 'superseded' }
  /** A correction that the Round's branch cannot follow: nothing was written. */
  | { readonly kind: 'failed'; readonly why: Reason };

/** Evidence, and a corrected Candidate with it, in one write; the Round's branch and worktree follow that, or nothing is written. */
export async function recordProofs(
  bench: Workbench,
  held: Held,
  judged: JudgedGoal,
  change: { readonly gates: Goal['gates']; readonly policy: Pick<Policy, 'worktrees'> },
): Promise<Recorded> {
  const { goal } = held;
  const { corrected } = judged;
  let recorded: Goal | 'superseded' | null = null;
  const record = async (move: ((tx: Tx) => Promise<void>) | null): Promise<boolean> => {
    await failpoint('goal.before-proof');
    const updated = await bench.store.update<Goal | null>({ step: 'goal-proof' }, async (tx) => {
      const now = foundGoal(goal.id, await tx.goal(goal.id));
      for (const pin of judged.pins) tx.keep(pin);
      if (corrected !== null) tx.putCandidate(corrected);
      for (const proof of judged.proofs) tx.putEvidence(proof);
      const newest = judged.proofs.at(-1);
      const said = `goal ${goal.id}: ${newest?.type ?? held.status} ${newest?.status ?? ''} for ${newest?.candidate?.tip ?? ''}`;
      tx.event({
        event: corrected === null ? 'goal.judged' : 'goal.corrected',
        subject: said,
        goal: goal.id,
        round: goal.round,
      });
      if (!stands(now, goal.occurrence)) return null;
      await move?.(tx);
      const candidate =
        corrected === null ? now.candidate : { id: corrected.id, base: corrected.base, tip: corrected.tip };
      const next = moveGoal(
        now,
        { event: 'record', to: now.status, op: tx.op, at: tx.now },
        { gates: change.gates, candidate },
      );
      tx.putGoal(next);
      return next;
    });
    await failpoint('goal.after-proof');
    recorded = updated.result ?? 'superseded';
    return updated.result !== null && updated.refused.length === 0;
  };
  if (corrected === null || goal.candidate === null) await record(null);
  else {
    const { policy } = change;
    const moved = await moveCandidate(bench, { goal, policy, old: goal.candidate, new: corrected, record });
    if (moved.kind === 'failed' && recorded !== 'superseded') return moved;
  }
  return recorded === null || recorded === 'superseded'
    ? { kind: 'superseded' }
    : { kind: 'recorded', held: { ...held, goal: recorded } };
}
