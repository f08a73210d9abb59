// The integration of a Goal's Round, taken back (G52): the Goal is failed, reason `reverted`, and a new Round does it differently
// (11, Goals).

import { OwlError } from '../../domain/errors.js';
import type { EventDraft } from '../../domain/events.js';
import { newEvidence } from '../../domain/evidence.js';
import { type Oid, shortOid, shortRef } from '../../domain/git.js';
import { CLOSED_GOALS, type Evidence, type Goal } from '../../domain/goal.js';
import { goalMayHappen, moveGoal, wrongStatus } from '../../domain/goal-machine.js';
import { goalReason } from '../../domain/goal-reasons.js';
import type { Policy } from '../../domain/policy.js';
import { type Brought, byHand, sayStanding } from '../../domain/undo.js';
import type { Snapshot, Tx } from '../../state/types.js';
import { cloneId } from '../clone.js';
import { isTakenBack } from '../goal/integration.js';
import { reopenRoundJob } from '../goal/round-jobs.js';
import { foundGoal } from '../goals.js';
import type { PushPart } from '../publish/publish.js';
import { sharedState } from '../state-share/part.js';
import { goalUnits, putWholeGoal } from '../state-share/put-goal.js';
import type { JobRequest } from '../try.js';
import type { Workbench } from '../workbench.js';
import type { RevertFacts, Taken } from './facts.js';

/** The integration that may be taken back, and its merge; a refusal names what is `standing` all the same. Throws OwlError `wrong-state`, `refused`. */
export function checkGoalRevert(
  goal: Goal,
  all: readonly Evidence[],
  standing: readonly Brought[] = [],
): { readonly merge: Oid; readonly of: Evidence } {
  const preserved = ['nothing was changed', ...standing.map(sayStanding)];
  const next = [...standing.map(({ merge }) => byHand(merge)), `git owl show ${goal.id}`];
  if (goal.status === 'failed' && goal.reason?.code === 'reverted')
    throw new OwlError('wrong-state', `goal ${goal.id} is reverted already`, { preserved, next });
  if (!goalMayHappen(goal.status, 'revert')) {
    const { code, message, data } = wrongStatus(goal, 'revert');
    throw new OwlError(code, message, { preserved, next, data });
  }
  const of = all.find((one) => one.id === goal.integration);
  const merge = of?.commits.merge;
  if (of !== undefined && merge !== undefined && of.status === 'done') return { merge, of };
  throw new OwlError('refused', `goal ${goal.id} has no integration that could be taken back`, { preserved, next });
}

export function goalTaken(
  goal: Goal,
  all: readonly Evidence[],
  policy: Pick<Policy, 'signing'>,
  request: JobRequest | undefined,
): Taken {
  const { merge, of } = checkGoalRevert(goal, all);
  const { target } = goal;
  if (target === null) throw new Error(`goal ${goal.id} is integrated and has no target`);
  return {
    unit: { kind: 'goal', id: goal.id, occurrence: goal.occurrence },
    title: goal.title,
    merge,
    before: of.commits.target_before ?? null,
    target: { name: target.name, remote: target.publish ? target.remote : null },
    signing: policy.signing,
    trailers: [`Owl-Goal: ${goal.id}`, `Owl-Round: ${of.round}`],
    request,
  };
}

/** Does its record still name this merge as delivered? */
export async function isTakenGoal(snapshot: Snapshot, goal: Goal, merge: Oid): Promise<boolean> {
  const of = goal.integration === null ? undefined : await namedMerge(snapshot, goal, merge);
  return of?.id === goal.integration && goalMayHappen(goal.status, 'revert');
}

const namedMerge = async (snapshot: Snapshot, goal: Pick<Goal, 'id'>, merge: Oid): Promise<Evidence | undefined> =>
  (await snapshot.evidence(goal.id)).findLast((one) => one.type === 'integration' && one.commits.merge === merge);

/**
 * The revert as Evidence; the Goal is failed, unless another decision came: what was done to the target is recorded all the same.
 * Repeatable.
 */
export async function settleGoal(bench: Workbench, id: string, facts: RevertFacts): Promise<Goal> {
  const clone = await cloneId(bench);
  const updated = await bench.store.update<Goal>({ step: 'reverted', request: facts.request }, (tx) =>
    putReverted(tx, id, facts, clone),
  );
  return updated.result;
}

/** What goes along of the shared state: the Goal as `settleGoal` will write it (G32, G52). */
export async function goalPart(
  bench: Workbench,
  id: string,
  remote: string,
  facts: RevertFacts,
): Promise<() => Promise<PushPart>> {
  const clone = await cloneId(bench);
  const goal = foundGoal(id, await (await bench.store.snapshot()).goal(id));
  const change = async (tx: Tx): Promise<void> => {
    await putWholeGoal(bench, tx, foundGoal(id, await (await bench.store.snapshot()).goal(id)), []);
    await putReverted(tx, id, facts, clone);
  };
  const shared = { remote, op: facts.op, event: revertEvent(goal, facts), change };
  return async () => sharedState(bench, { ...shared, units: await goalUnits(bench, goal) });
}

/** The same from the same records, whoever writes it: operation and time are those of the revert. */
async function putReverted(into: Tx, id: string, facts: RevertFacts, clone: string): Promise<Goal> {
  const { merge, commit, onto } = facts;
  const tx: Tx = { ...into, op: facts.op, now: facts.at };
  const goal = foundGoal(id, await tx.goal(id));
  if (isTakenBack(await tx.evidence(id), merge)) return goal;
  const of = await namedMerge(tx, goal, merge);
  tx.putEvidence(
    newEvidence({
      id: facts.evidence,
      goal: id,
      round: of?.round ?? goal.round,
      type: 'revert',
      status: 'done',
      candidate: of?.candidate ?? null,
      config: of?.config ?? null,
      commits: { merge, target_before: onto, ...(commit === null ? {} : { target_after: commit }) },
      target: { ref: facts.ref, remote: of?.target?.remote ?? null, token: facts.token },
      clone,
      at: tx.now,
    }),
  );
  const next = (await isTakenGoal(tx, goal, merge)) ? failed(goal, facts, tx) : goal;
  if (next !== goal) {
    tx.putGoal(next);
    // Its Round's Job was closed with it.
    if (CLOSED_GOALS.has(goal.status)) await reopenRoundJob(tx, next);
  }
  tx.event(revertEvent(goal, facts));
  return next;
}

function failed(goal: Goal, { commit, ref }: RevertFacts, at: { readonly op: string; readonly now: string }): Goal {
  const text = `its integration was taken back${commit === null ? '' : ` by ${commit}`}`;
  const why = goalReason('reverted', text, commit === null ? {} : { onto: { ref, oid: commit } });
  return moveGoal(goal, { event: 'revert', to: 'failed', op: at.op, at: at.now }, { reason: why, chain: 0 });
}

const revertEvent = (goal: Goal, { ref, merge, commit }: RevertFacts): EventDraft => ({
  event: 'goal.reverted',
  subject: `goal ${goal.id}: its merge ${shortOid(merge)} was taken back on ${shortRef(ref)}${commit === null ? '' : ` by ${shortOid(commit)}`}`,
  goal: goal.id,
  round: goal.round,
});
