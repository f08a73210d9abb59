// What the Rounds of a Goal merged, taken back (G52): the Goal is failed, reason `reverted`, and a new Round does it differently
// (11, Goals); a cancelled one stays cancelled (G35).

import { OwlError } from '../../domain/errors.js';
import type { EventDraft } from '../../domain/events.js';
import { newEvidence } from '../../domain/evidence.js';
import { CLOSED_GOALS, type Evidence, type Goal, type Target } from '../../domain/goal.js';
import { goalMayHappen, moveGoal, wrongStatus } from '../../domain/goal-machine.js';
import { goalReason } from '../../domain/goal-reasons.js';
import type { Policy } from '../../domain/policy.js';
import { type Brought, isTakenBack, type RoundMerge, revertable, sayStanding, takesBack } from '../../domain/undo.js';
import type { Tx } from '../../state/types.js';
import { cloneId } from '../clone.js';
import { reopenRoundJob } from '../goal/round-jobs.js';
import { foundGoal } from '../goals.js';
import type { PushPart } from '../publish/publish.js';
import { sharedState } from '../state-share/part.js';
import { goalUnits, putWholeGoal } from '../state-share/put-goal.js';
import type { JobRequest } from '../try.js';
import type { Workbench } from '../workbench.js';
import { type RevertFacts, sayUndone, type Taken } from './facts.js';

/** What may be taken back, the newest first; a refusal names what is `standing` all the same. Throws OwlError `wrong-state`, `refused`. */
export function checkGoalRevert(
  goal: Goal,
  all: readonly Evidence[],
  standing: readonly Brought[] = [],
): readonly RoundMerge[] {
  const preserved = ['nothing was changed', ...standing.map(sayStanding)];
  const next = [...standing.map((one) => takesBack(goal.id, one)), `git owl show ${goal.id}`];
  const merges = revertable(goal, all);
  if (merges.length === 0 && goal.reason?.code === 'reverted')
    throw new OwlError('wrong-state', `goal ${goal.id} is reverted already`, { preserved, next });
  if (!goalMayHappen(goal.status, 'revert')) {
    const { code, message, data } = wrongStatus(goal, 'revert');
    throw new OwlError(code, message, { preserved, next, data });
  }
  if (merges.length > 0) return merges;
  throw new OwlError('refused', `goal ${goal.id} has no integration that could be taken back`, { preserved, next });
}

/** Where they are: the record of a Goal that was declined and cancelled names no target any more. */
export function revertTarget([newest]: readonly RoundMerge[]): Target {
  if (newest === undefined) throw new Error('there is nothing to take back');
  const { ref, remote } = newest.target;
  const prefix = remote === null ? null : `refs/remotes/${remote}/`;
  const publish = prefix !== null && ref.startsWith(prefix);
  const name = publish ? ref.slice(prefix.length) : ref.replace(/^refs\/heads\//, '');
  return { name, remote, publish, config: null, gates: '' };
}

export function goalTaken(
  goal: Goal,
  merges: readonly RoundMerge[],
  policy: Pick<Policy, 'signing'>,
  request: JobRequest | undefined,
): Taken {
  const { name, remote, publish } = revertTarget(merges);
  return {
    unit: { kind: 'goal', id: goal.id, occurrence: goal.occurrence },
    title: goal.title,
    merges: merges.map(({ merge, before, round }) => ({
      merge,
      before,
      trailers: [`Owl-Goal: ${goal.id}`, `Owl-Round: ${round}`],
    })),
    integration: goal.integration,
    target: { name, remote: publish ? remote : null },
    signing: policy.signing,
    request,
  };
}

/** Does its record still name this as delivered? */
export const isTakenGoal = (goal: Goal, taken: Pick<Taken, 'integration'>): boolean =>
  goalMayHappen(goal.status, 'revert') && goal.integration === taken.integration;

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
  const tx: Tx = { ...into, op: facts.op, now: facts.at };
  const goal = foundGoal(id, await tx.goal(id));
  const all = await tx.evidence(id);
  if (facts.undone.every(({ merge }) => isTakenBack(all, merge))) return goal;
  let before = facts.onto;
  for (const { merge, commit, evidence } of facts.undone) {
    const of = all.findLast((one) => one.type === 'integration' && one.commits.merge === merge);
    if (!isTakenBack(all, merge))
      tx.putEvidence(
        newEvidence({
          id: evidence,
          goal: id,
          round: of?.round ?? goal.round,
          type: 'revert',
          status: 'done',
          candidate: of?.candidate ?? null,
          config: of?.config ?? null,
          commits: { merge, target_before: before, ...(commit === null ? {} : { target_after: commit }) },
          target: { ref: facts.ref, remote: of?.target?.remote ?? null, token: facts.token },
          clone,
          at: tx.now,
        }),
      );
    before = commit ?? before;
  }
  const next = isTakenGoal(goal, facts) ? reverted(goal, facts, tx) : goal;
  if (next !== goal) {
    tx.putGoal(next);
    // Its Round's Job was closed with it.
    if (CLOSED_GOALS.has(goal.status) && !CLOSED_GOALS.has(next.status)) await reopenRoundJob(tx, next);
  }
  tx.event(revertEvent(goal, facts));
  return next;
}

/** Failed; a cancelled one stays so. */
function reverted(goal: Goal, facts: RevertFacts, at: { readonly op: string; readonly now: string }): Goal {
  const { commit, ref, undone } = facts;
  const by = undone.flatMap((one) => one.commit ?? []);
  const text = `its integration was taken back${by.length === 0 ? '' : ` by ${by.join(', ')}`}`;
  const why = goalReason('reverted', text, commit === null ? {} : { onto: { ref, oid: commit } });
  const to = goal.status === 'cancelled' ? 'cancelled' : 'failed';
  return moveGoal(goal, { event: 'revert', to, op: at.op, at: at.now }, { reason: why, chain: 0 });
}

const revertEvent = (goal: Goal, facts: RevertFacts): EventDraft => ({
  event: 'goal.reverted',
  subject: `goal ${goal.id}: ${sayUndone(facts)}`,
  goal: goal.id,
  round: goal.round,
});
