// What follows a publication that is known to be on the remote: what is here follows, the state says so, the note goes (G32).
// Each step may be repeated: it is called by who published, and by the next command after that one died.

import { type GoalMergeDetail, settleEvidence, settleGoalMerge } from '../goal/settle-merge.js';
import type { LandingNote } from '../land/landing-note.js';
import { finishLanding } from '../land/move-base.js';
import type { Landed } from '../land/outcome.js';
import type { Reverted, RevertFacts } from '../revert/facts.js';
import { settleRevert } from '../revert/settle.js';
import { takeStateIn } from '../state-share/part.js';
import { goalUnits } from '../state-share/put-goal.js';
import type { Workbench } from '../workbench.js';
import { followTarget } from './follow-target.js';
import { forgetPublication, type PublishNote, type Sent } from './note.js';

/** What a published merge of a Job needs to be settled. */
export type JobMergeDetail = Pick<LandingNote, 'merged' | 'tip' | 'request' | 'record'>;

/** Returns one sentence for what stays behind. */
export async function settlePublication(bench: Workbench, note: PublishNote, sent: Sent): Promise<readonly string[]> {
  if (note.act === 'revert') return (await settlePublishedRevert(bench, note, sent as Sent<RevertFacts>)).left;
  if (note.unit.kind === 'goal')
    return (await settleGoalMerge(bench, note, sent as Sent<GoalMergeDetail>, 'recovered')).left;
  const settled = await settleJobMerge(bench, note, sent as Sent<JobMergeDetail>);
  return settled.kind === 'merged' ? settled.left : [];
}

/** Nothing of what was sent is there, or will be: what the record says was begun is void. */
export async function voidPublication(bench: Workbench, { unit, act, sent }: PublishNote): Promise<void> {
  if (unit.kind !== 'goal' || act !== 'merge') return;
  for (const { detail } of sent as readonly Sent<GoalMergeDetail>[]) await settleEvidence(bench, detail, 'void');
}

/** The revert of a merge; `work` null where the state does not know the unit any more. */
export async function settlePublishedRevert(
  bench: Workbench,
  note: Pick<PublishNote, 'unit' | 'remote' | 'branch'>,
  sent: Sent<RevertFacts>,
): Promise<{ readonly work: Reverted | null; readonly left: readonly string[] }> {
  const left = [...(await followTarget(bench, note, sent.commit))];
  const work = await settleRevert(bench, note.unit, sent.detail);
  const { state } = sent;
  if (work !== null && state !== null)
    left.push(...(await takeStateIn(bench, { state, remote: note.remote, units: await unitIds(bench, note.unit) })));
  await forgetPublication(bench, note.unit);
  return { work, left };
}

const unitIds = async (bench: Workbench, unit: PublishNote['unit']): Promise<readonly string[]> =>
  unit.kind === 'job' ? [unit.id] : (await goalUnits(bench, unit)).map(({ id }) => id);

/** The merge of a Job: `gone` where the state does not know the Job any more. */
export async function settleJobMerge(
  bench: Workbench,
  note: Pick<PublishNote, 'unit' | 'remote' | 'branch'>,
  sent: Sent<JobMergeDetail>,
): Promise<Landed> {
  const behind = [...(await followTarget(bench, note, sent.commit))];
  const loaded = await (await bench.store.snapshot()).job(note.unit.id);
  if (loaded.kind !== 'found') {
    await forgetPublication(bench, note.unit);
    return { kind: 'gone' };
  }
  const job = loaded.record;
  const landed = await finishLanding(bench, job, { ...sent.detail, job: job.id, ref: sent.detail.merged.ref });
  const { state } = sent;
  if (state !== null) behind.push(...(await takeStateIn(bench, { state, remote: note.remote, units: [job.id] })));
  await forgetPublication(bench, note.unit);
  return landed.kind === 'merged' ? { ...landed, left: [...behind, ...landed.left] } : landed;
}
