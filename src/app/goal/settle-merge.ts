// What follows a merge of a Goal that is known to be on its target: what is here follows, then the record says so (G32, G35).
// Repeatable: it is called by who published, and by the next command after that one died.

import type { EventDraft } from '../../domain/events.js';
import type { Evidence, Goal } from '../../domain/goal.js';
import { moveGoal } from '../../domain/goal-machine.js';
import { stands } from '../../domain/machine.js';
import { failpoint } from '../../system/failpoint.js';
import { foundGoal } from '../goals.js';
import { followTarget } from '../publish/follow-target.js';
import { forgetPublication, type PublishNote, type Sent } from '../publish/note.js';
import { takeStateIn } from '../state-share/part.js';
import { goalUnits } from '../state-share/put-goal.js';
import type { Workbench } from '../workbench.js';
import { bindEntry, openBinder } from './skills.js';

export interface GoalMergeDetail {
  readonly goal: string;
  /** The integration evidence that was begun. */
  readonly evidence: string;
  readonly occurrence: Goal['occurrence'];
  /** The record as it was published with the merge. */
  readonly record?: Goal | undefined;
}

export interface SettledMerge {
  /** In review; null: another decision came, and only the effect was recorded (G35). */
  readonly goal: Goal | null;
  readonly left: readonly string[];
}

/** In review, with the merge that this evidence names. Throws OwlError `wrong-state`. */
export const reviewedGoal = (goal: Goal, evidence: string, move: { readonly op: string; readonly now: string }): Goal =>
  moveGoal(goal, { event: 'advance', to: 'review', op: move.op, at: move.now }, { integration: evidence, chain: 0 });

export const integratedEvent = (
  goal: Pick<Goal, 'id' | 'status'>,
  begun: Evidence,
  how: 'merged' | 'recovered',
): EventDraft => ({
  event: 'goal.integrated',
  subject: `goal ${goal.id}: ${how === 'merged' ? '' : 'recovered: '}round ${begun.round} is merged into ${begun.target?.ref ?? ''} as ${begun.commits.merge ?? ''}; ${goal.status}`,
  goal: goal.id,
  round: begun.round,
});

/** `note`: of the publication; null where there is no remote. `recovered`: it was found there, after whoever sent it had died. */
export async function settleGoalMerge(
  bench: Workbench,
  note: Pick<PublishNote, 'unit' | 'remote' | 'branch'> | null,
  sent: Sent<GoalMergeDetail>,
  how: 'merged' | 'recovered',
): Promise<SettledMerge> {
  const left = note === null ? [] : [...(await followTarget(bench, note, sent.commit))];
  const { detail } = sent;
  await failpoint('integrate.before-settle');
  const known = await (await bench.store.snapshot()).goal(detail.goal);
  const binder = known.kind === 'found' ? await openBinder(bench, known.record) : null;
  const updated = await bench.store.update<Goal | null>({ step: 'goal-settle' }, async (tx) => {
    const loaded = await tx.goal(detail.goal);
    if (loaded.kind !== 'found') return null;
    const goal = foundGoal(detail.goal, loaded);
    const begun = (await tx.evidence(goal.id)).find(({ id }) => id === detail.evidence);
    if (begun === undefined || begun.status === 'done') return goal.status === 'review' ? goal : null;
    tx.putEvidence({ ...begun, status: 'done' });
    const stood = stands(goal, detail.occurrence) && goal.status === 'governance';
    const { record } = detail;
    // As it was published, so that both sides have the same record.
    const asPublished = stood && record !== undefined && record.revision === goal.revision + 1;
    const next = asPublished
      ? record
      : stood
        ? reviewedGoal(goal, begun.id, tx)
        : { ...goal, integration: begun.id, revision: goal.revision + 1, updated: tx.now };
    tx.putGoal(next);
    if (stood) await bindEntry(tx, next, binder);
    tx.event(integratedEvent(next, begun, how));
    return stood ? next : null;
  });
  await failpoint('integrate.after-settle');
  if (note !== null && sent.state !== null) {
    const units = (await goalUnits(bench, { id: detail.goal })).map(({ id }) => id);
    left.push(...(await takeStateIn(bench, { state: sent.state, remote: note.remote, units })));
  }
  if (note !== null) await forgetPublication(bench, note.unit);
  return { goal: updated.result, left };
}

/** What became of the evidence that a merge began with, where that was not its arrival. */
export type Unsettled = 'void' | 'unknown';

/** Nothing came of it, or nobody knows yet: the Goal's view names no integration unless that may still be there. */
export async function settleEvidence(
  bench: Workbench,
  { goal: id, evidence }: Pick<GoalMergeDetail, 'goal' | 'evidence'>,
  status: Unsettled,
): Promise<void> {
  await bench.store.update({ step: 'goal-integrate' }, async (tx) => {
    const loaded = await tx.goal(id);
    if (loaded.kind !== 'found') return;
    const goal = foundGoal(id, loaded);
    const begun = (await tx.evidence(id)).find((one) => one.id === evidence);
    if (begun === undefined || begun.status === 'done' || begun.status === status) return;
    tx.putEvidence({ ...begun, status });
    if (status === 'void' && goal.integration === begun.id)
      tx.putGoal({ ...goal, integration: null, revision: goal.revision + 1, updated: tx.now });
    const said = status === 'void' ? 'was not published' : 'may have been published';
    tx.event({
      event: 'goal.integrating',
      subject: `goal ${id}: the merge ${begun.commits.merge ?? ''} ${said}`,
      goal: id,
      round: begun.round,
    });
  });
}
