// Governance: under the lease of the target, the last look, replacement gates, judgement and integration (G30, G31, G34, G35).

import { whyVoid } from '../../domain/gates.js';
import type { Evidence, Goal } from '../../domain/goal.js';
import { goalReason } from '../../domain/goal-reasons.js';
import type { LoadedPolicy } from '../../domain/policy.js';
import { cloneId } from '../clone.js';
import type { Lease } from '../lease/hold.js';
import { withLease } from '../lease/lease.js';
import { loadForeign } from '../sync/foreign.js';
import type { Workbench } from '../workbench.js';
import { settleArrived } from './arrived.js';
import { type Held, releaseGoal } from './claim.js';
import { currentTarget, pinnedPolicy } from './current-target.js';
import { failStep } from './fail.js';
import { integrate } from './integrate.js';
import { judge } from './judge.js';
import { proveQuality, recordProofs, unfinished } from './quality.js';
import { refreshStep } from './refresh-step.js';
import { passMoments } from './skills.js';
import type { StepResult } from './step.js';

export async function governanceStep(bench: Workbench, held: Held): Promise<StepResult> {
  const { goal } = held;
  const { target } = goal;
  if (target === null) throw new Error(`goal ${goal.id} has no target`);
  const unit = { kind: 'goal' as const, id: goal.id, occurrence: goal.occurrence };
  const remote = target.publish ? target.remote : null;
  const leased = await withLease(bench, { target: target.name, remote, unit }, (lease) =>
    underLease(bench, held, lease),
  );
  switch (leased.kind) {
    case 'worked':
      return leased.value;
    case 'held':
      // Waited out: the Goal stays in governance, and no Error event is emitted (11, Goals).
      return waits(bench, held, goalReason('lease-held', leased.why));
    case 'unreachable':
      return waits(bench, held, goalReason('remote-unreachable', leased.why));
    case 'impossible':
      // The compare-and-swap of the target decides alone: others may have worked in vain, nothing more.
      if (!leased.damaged) {
        bench.say(`${remote} takes no leases (${leased.why}); going on without one`);
        return underLease(bench, held, null);
      }
      return failStep(bench, held, { why: goalReason('gate-trouble', leased.why) });
  }
}

const waits = async (bench: Workbench, held: Held, why: Goal['reason']): Promise<StepResult> => ({
  kind: 'waits',
  goal: await releaseGoal(bench, held, { reason: why }),
});

async function underLease(bench: Workbench, first: Held, lease: Lease | null): Promise<StepResult> {
  const now = await currentTarget(bench, first.goal);
  const arrived = await settleArrived(bench, first, now);
  if (arrived !== null) return arrived;
  const refreshed = await refreshStep(bench, first, now);
  if (refreshed.kind === 'superseded') return { kind: 'superseded', goal: first.goal };
  if (refreshed.kind === 'failed') return failStep(bench, first, { why: refreshed.why, commits: refreshed.commits });
  let { held } = refreshed;
  const loaded = await pinnedPolicy(bench, held.goal);
  // A replaced Candidate, or a proof that does not count here, is proven again before anybody judges it (G22, G31).
  let quality = await proofThatCounts(bench, held.goal, 'quality', loaded);
  if (quality === null) {
    const proven = await proveQuality(bench, held);
    if (proven.kind !== 'passed') return proven.result;
    ({ held, proof: quality } = proven);
  }
  let governance = await proofThatCounts(bench, held.goal, 'governance', loaded);
  if (governance === null) {
    const judged = await judge(bench, held, loaded, 'governance', quality);
    const stopped = await unfinished(bench, held, judged);
    if (stopped !== null) return stopped;
    governance = judged.proofs.at(-1) ?? null;
    if (judged.why !== null || governance === null) {
      const why = judged.why ?? goalReason('gate-trouble', 'governance said nothing');
      return failStep(bench, held, { why, proofs: judged.proofs, pins: judged.pins });
    }
    const recorded = await recordProofs(bench, held, judged, {
      gates: { quality: quality.id, governance: governance.id },
      policy: loaded.policy,
    });
    if (recorded.kind === 'superseded') return { kind: 'superseded', goal: held.goal };
    if (recorded.kind === 'failed') return failStep(bench, held, { why: recorded.why, proofs: judged.proofs });
    ({ held } = recorded);
  }
  if (!(await passMoments(bench, held.goal, ['success', 'exit']))) return { kind: 'superseded', goal: held.goal };
  return integrate(bench, held, now, lease);
}

/** A proof that the record names, of exactly this Candidate and these gates, run in this clone; null: it is made again. */
async function proofThatCounts(
  bench: Workbench,
  goal: Goal,
  gate: 'quality' | 'governance',
  { commit: config, policy }: LoadedPolicy,
): Promise<Evidence | null> {
  const id = goal.gates[gate];
  if (id === null || goal.candidate === null) return null;
  const all = (await loadForeign(bench)).attributed(await (await bench.store.snapshot()).evidence(goal.id));
  const found = all.find((one) => one.id === id);
  if (found === undefined) return null;
  const { trust } = policy.sync;
  const here = { gate, candidate: goal.candidate, config, clone: await cloneId(bench), trust };
  return whyVoid(found, here) === null ? found : null;
}
