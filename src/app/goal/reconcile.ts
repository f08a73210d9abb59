// `goal reconcile`: a Candidate of the current Round that is on its target already goes to review, by evidence alone; or somebody else's
// commit that brought it is recorded, judged and taken in (G54, G34).

import { OwlError } from '../../domain/errors.js';
import { newEvidence } from '../../domain/evidence.js';
import type { Evidence, Goal } from '../../domain/goal.js';
import { goalMayHappen, moveGoal, wrongStatus } from '../../domain/goal-machine.js';
import { stands } from '../../domain/machine.js';
import type { Updated } from '../../state/types.js';
import { failpoint } from '../../system/failpoint.js';
import { isAlive } from '../../system/processes.js';
import { cloneId } from '../clone.js';
import { findGoal } from '../goals.js';
import { refuseUnknown } from '../publish/note.js';
import { askTrust } from '../trusted.js';
import { answeredBefore, requestOf } from '../try.js';
import type { Workbench } from '../workbench.js';
import { claimGoal, releaseGoal, whyNotTaken } from './claim.js';
import { callerOf, decideGoal, refuseStale } from './control.js';
import { endDeadWork } from './dead.js';
import { mergedByHand, resolveMerged } from './merged-by.js';
import { observeTarget } from './observe.js';
import { ownIntegration } from './own-integration.js';
import { proveAll } from './prove.js';
import { decidedSince, type Found, refusedGoal } from './reconcile-facts.js';

export interface ReconcileRequest {
  /** A commit-ish: what brought the Candidate; undefined: an integration of our own. */
  readonly mergedBy: string | undefined;
  readonly reason: string | undefined;
  readonly expectRevision: number | undefined;
}

/**
 * Throws OwlError `wrong-state`, `refused` (what is missing, by name), `not-accepted` (a gate that was run did not pass), `busy`,
 * `superseded`, `remote`, `missing-commit`.
 */
export async function reconcileGoal(bench: Workbench, id: string, asked: ReconcileRequest): Promise<Updated<Goal>> {
  const snapshot = await bench.store.snapshot();
  const goal = await findGoal(snapshot, id);
  const content = { mergedBy: asked.mergedBy ?? null };
  const before = await answeredBefore<Goal>(bench, requestOf(bench, 'goal reconcile', goal, content));
  const same = (result: Goal): Updated<Goal> => ({ result, commit: null, repeated: before !== null, refused: [] });
  if (before !== null) return same(before);
  refuseStale(goal, asked, callerOf(bench));
  const all = await snapshot.evidence(goal.id);
  if (goal.status === 'review' && (await isSaid(bench, goal, all, asked.mergedBy))) return same(goal);
  if (!goalMayHappen(goal.status, 'reconcile')) throw wrongStatus(goal, 'reconcile');
  await refuseUnknown(bench, { kind: 'goal', id: goal.id });
  await refuseLive(bench, goal);
  if (goal.candidate === null) throw refusedGoal(goal, 'has no candidate in its current round');
  const observed = await observeTarget(bench, goal, bench.dryRun ? 'as-followed' : 'follow');
  const found =
    asked.mergedBy === undefined
      ? await ownIntegration(bench, goal, all, observed)
      : await mergedByHand(bench, goal, all, { commit: asked.mergedBy, observed });
  if (bench.dryRun)
    return same(moveGoal(found.goal, { event: 'reconcile', to: 'review', op: '', at: bench.clock.timestamp() }));
  return settle(bench, await runGates(bench, found), asked, content);
}

/** Repeated calls are one: it is in review with this very integration. */
async function isSaid(
  bench: Workbench,
  goal: Goal,
  all: readonly Evidence[],
  mergedBy: string | undefined,
): Promise<boolean> {
  const integration = all.find((one) => one.id === goal.integration);
  if (integration?.status !== 'done') return false;
  return mergedBy === undefined || (await resolveMerged(bench, mergedBy)) === integration.commits.merge;
}

async function refuseLive(bench: Workbench, goal: Goal): Promise<void> {
  const { claim } = goal;
  if (claim === null) return;
  if (isAlive(claim, await bench.environment.process()) !== 'dead')
    throw new OwlError('busy', `goal ${goal.id} is carried by process ${claim.pid} on ${claim.host}`, {
      preserved: ['nothing was changed'],
      next: ['git owl status'],
    });
  const why = bench.dryRun ? null : await endDeadWork(bench, goal);
  if (why !== null) throw why;
}

/** Gates that have to be run, in checkouts of exactly the Candidate, under a claim as a step of the Goal has it. */
async function runGates(bench: Workbench, found: Found): Promise<Found> {
  const { goal } = found;
  if (found.quality !== null && found.governance !== null) return found;
  await askTrust(bench, found.loaded);
  const { max_parallel: maxParallel } = found.loaded.policy;
  const claimed = await claimGoal(bench, goal.id, maxParallel, (now) => {
    if (!stands(now, goal.occurrence) || now.candidate?.id !== goal.candidate?.id) throw decidedSince(goal);
    return 'governance';
  });
  if (claimed.kind !== 'held') throw whyNotTaken(goal.id, claimed);
  const { held } = claimed;
  const proven = await proveAll(bench, held, found).catch(async (error: unknown) => {
    // So that the next command need not wait for this process to die.
    await releaseGoal(bench, held);
    throw error;
  });
  if (proven.kind === 'passed') return { ...found, ...proven.proofs, goal: proven.held.goal };
  await releaseGoal(bench, held, { reason: proven.why });
  const code = proven.kind === 'waits' ? 'interrupted' : 'not-accepted';
  throw new OwlError(code, `goal ${goal.id} is not reconciled: ${proven.why.text}`, {
    preserved: ['its integration, Candidate and evidence are kept'],
    next: [`git owl show ${goal.id}`],
  });
}

/** One write: the integration done, the reconciliation with both targets as they were seen, and the Goal in review. */
async function settle(
  bench: Workbench,
  found: Found,
  asked: ReconcileRequest,
  content: unknown,
): Promise<Updated<Goal>> {
  const { integration, observed, loaded, quality, governance } = found;
  const { local, published } = observed;
  const clone = await cloneId(bench);
  await failpoint('reconcile.before-settle');
  const decision = { goal: found.goal.id, verb: 'reconcile', content, ...asked };
  const updated = await decideGoal(bench, decision, async (goal, tx) => {
    // The gates, or the Candidate as it was merged, may have been recorded since.
    if (!stands(goal, found.goal.occurrence) || goal.candidate?.id !== found.goal.candidate?.id)
      throw decidedSince(goal);
    const stored = (await tx.evidence(goal.id)).find((one) => one.id === integration.id);
    if (stored?.status !== 'done') tx.putEvidence({ ...integration, status: 'done' });
    tx.putEvidence(
      newEvidence({
        id: bench.ids.run(),
        goal: goal.id,
        round: goal.round,
        type: 'reconciliation',
        status: 'done',
        candidate: goal.candidate === null ? null : { base: goal.candidate.base, tip: goal.candidate.tip },
        config: loaded.commit,
        commits: {
          merge: integration.commits.merge,
          ...(local === null ? {} : { local: local.oid }),
          ...(published === null ? {} : { published: published.oid }),
        },
        target: integration.target,
        clone,
        at: tx.now,
      }),
    );
    const gates = { quality: quality?.id ?? goal.gates.quality, governance: governance?.id ?? goal.gates.governance };
    const next = moveGoal(
      goal,
      { event: 'reconcile', to: 'review', op: tx.op, at: tx.now },
      { integration: integration.id, gates, chain: 0 },
    );
    const said = `its candidate is on its target already, as ${integration.commits.merge ?? ''}; review`;
    return { goal: next, event: 'goal.reconciled', said };
  });
  await failpoint('reconcile.after-settle');
  return updated;
}
