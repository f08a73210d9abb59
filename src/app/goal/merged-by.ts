// What somebody else merged: looked at, and recorded as the integration of the Round; where what landed is not the Candidate as it was,
// what landed becomes the Candidate, and the old one stays pinned (G54, G34).

import { loadPolicy } from '../../config/load.js';
import { gatesDigest } from '../../config/policy.js';
import { OwlError } from '../../domain/errors.js';
import { newEvidence } from '../../domain/evidence.js';
import { isOid, type Oid, type RefName } from '../../domain/git.js';
import type { Candidate, Evidence, Goal } from '../../domain/goal.js';
import { moveGoal } from '../../domain/goal-machine.js';
import { HANDOFF_PATH } from '../../domain/handoff.js';
import { stands } from '../../domain/machine.js';
import type { LoadedPolicy } from '../../domain/policy.js';
import { isTakenBack } from '../../domain/undo.js';
import { lookBrought } from '../../git/brought.js';
import { failpoint } from '../../system/failpoint.js';
import { cloneId } from '../clone.js';
import { foundGoal } from '../goals.js';
import { updateOrTry } from '../try.js';
import type { Workbench } from '../workbench.js';
import { pinnedPolicy } from './current-target.js';
import { type Observed, sayLacking, targetOf, whereLacking } from './observe.js';
import {
  bringUp,
  decidedSince,
  type Found,
  factsOf,
  lookForMerge,
  refusedGoal,
  refuseFailed,
} from './reconcile-facts.js';

/** The commit that a person names; null: there is none here. */
export async function resolveMerged(bench: Workbench, text: string): Promise<Oid | null> {
  if (text.startsWith('-')) return null;
  const found = await bench.repository.git.run(['rev-parse', '--verify', '--quiet', `${text}^{commit}`]);
  const oid = found.stdout.toString('latin1').trim();
  return found.code === 0 && isOid(oid) ? oid : null;
}

/** Throws OwlError `missing-commit`, `refused`: it is not on the target, or did not bring the Candidate. */
export async function mergedByHand(
  bench: Workbench,
  goal: Goal,
  all: readonly Evidence[],
  asked: { readonly commit: string; readonly observed: Observed },
): Promise<Found> {
  const { observed } = asked;
  const { candidate } = goal;
  const commit = await resolveMerged(bench, asked.commit);
  if (commit === null)
    throw new OwlError('missing-commit', `there is no commit ${asked.commit} here`, {
      preserved: ['nothing was changed'],
      next: ['git fetch', ...lookForMerge(goal, observed)],
    });
  const merge = { merge: commit, reverted: isTakenBack(all, commit) };
  const lacking = await whereLacking(bench, merge, [observed.local, observed.published]);
  if (lacking !== null) {
    const look = bringUp(observed, lacking.ref);
    throw refusedGoal(goal, `${commit} ${sayLacking(lacking)}`, look.length > 0 ? look : lookForMerge(goal, observed));
  }
  if (candidate === null) throw new Error(`goal ${goal.id} has no candidate`);
  const pair = { base: candidate.base, tip: candidate.tip };
  refuseFailed(goal, await factsOf(bench, goal, all, await pinnedPolicy(bench, goal)));
  const brought = await lookBrought(bench.repository, { commit, candidate: pair, handoffPath: HANDOFF_PATH });
  if (brought.kind === 'no')
    throw refusedGoal(
      goal,
      `${commit} did not bring its candidate: ${brought.why}; name the one that did`,
      lookForMerge(goal, observed),
    );
  const loaded = brought.same ? await pinnedPolicy(bench, goal) : await policyAt(bench, goal, brought.before);
  const recorded = await record(bench, goal, { commit, brought, observed, loaded });
  return { goal: recorded.goal, integration: recorded.integration, observed, loaded, quality: null, governance: null };
}

/** What landed stands on another commit than the Candidate did: its gates are read from there, as after a refresh (G22). */
async function policyAt(bench: Workbench, goal: Goal, commit: Oid): Promise<LoadedPolicy> {
  const { repository, environment } = bench;
  return loadPolicy({ repository, environment, commit, ref: (goal.base?.ref ?? '') as RefName });
}

interface Merged {
  readonly commit: Oid;
  readonly brought: Extract<Awaited<ReturnType<typeof lookBrought>>, { kind: 'brought' }>;
  readonly observed: Observed;
  readonly loaded: LoadedPolicy;
}

/** Recorded first; that nobody judged it yet is why the Goal stays where it is. Repeated, it is the same record. */
async function record(
  bench: Workbench,
  goal: Goal,
  merged: Merged,
): Promise<{ readonly goal: Goal; readonly integration: Evidence }> {
  const { commit, brought, observed, loaded } = merged;
  const clone = await cloneId(bench);
  const at = targetOf(observed);
  await failpoint('reconcile.before-record');
  const updated = await updateOrTry(bench, { step: 'goal-reconcile' }, async (tx) => {
    const found = foundGoal(goal.id, await tx.goal(goal.id));
    if (!stands(found, goal.occurrence) || found.candidate?.id !== goal.candidate?.id) throw decidedSince(goal);
    const replaced = brought.same ? null : asMerged(bench, found, merged, tx.now);
    const pair = replaced ?? found.candidate;
    const candidate = pair === null ? null : { id: pair.id, base: pair.base, tip: pair.tip };
    const known = (await tx.evidence(goal.id)).find(
      (one) => one.id === found.integration && one.status === 'done' && one.commits.merge === commit,
    );
    if (known !== undefined && replaced === null) return { goal: found, integration: known };
    if (replaced !== null) tx.putCandidate(replaced);
    const integration = newEvidence({
      id: bench.ids.run(),
      goal: goal.id,
      round: goal.round,
      type: 'integration',
      status: 'done',
      candidate: candidate === null ? null : { base: candidate.base, tip: candidate.tip },
      config: loaded.commit,
      commits: { target_before: brought.before, target_after: at?.oid ?? commit, merge: commit },
      target: at === null ? null : { ref: at.ref, remote: found.target?.remote ?? null, token: null },
      clone,
      at: tx.now,
    });
    tx.putEvidence(integration);
    const repinned: Partial<Goal> =
      replaced === null || found.base === null || found.target === null
        ? {}
        : {
            candidate,
            base: { ...found.base, oid: brought.before },
            target: { ...found.target, config: loaded.commit, gates: gatesDigest(loaded.policy) },
            gates: { quality: null, governance: null },
          };
    const next = moveGoal(
      found,
      { event: 'record', to: found.status, op: tx.op, at: tx.now },
      { ...repinned, integration: integration.id },
    );
    tx.putGoal(next);
    tx.event({
      event: 'goal.integrated',
      subject: `goal ${goal.id}: round ${goal.round} was merged by hand into ${at?.ref ?? ''} as ${commit}`,
      goal: goal.id,
      round: goal.round,
    });
    return { goal: next, integration };
  });
  await failpoint('reconcile.after-record');
  return updated.result;
}

/** Null where it is the Candidate already: this was recorded before. */
function asMerged(bench: Workbench, goal: Goal, { commit, brought }: Merged, made: string): Candidate | null {
  if (goal.candidate?.tip === commit && goal.candidate.base === brought.before) return null;
  return {
    schema: 1,
    kind: 'candidate',
    id: bench.ids.run(),
    goal: goal.id,
    round: goal.round,
    base: brought.before,
    tip: commit,
    made_by: 'reconcile',
    replaces: goal.candidate?.id ?? null,
    made,
  };
}
