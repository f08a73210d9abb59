// A merge of this clone that was begun, and is on the target: its process died before it could say so (G32). It is settled, never made again.

import type { Oid } from '../../domain/git.js';
import type { Goal } from '../../domain/goal.js';
import { isTakenBack } from '../../domain/undo.js';
import { cloneId } from '../clone.js';
import { findBelow } from '../publish/look.js';
import { type PublishNote, readPublication, type Sent } from '../publish/note.js';
import type { Workbench } from '../workbench.js';
import type { Held } from './claim.js';
import { lookContained } from './contained.js';
import type { CurrentTarget } from './current-target.js';
import { type GoalMergeDetail, settleGoalMerge } from './settle-merge.js';
import type { StepResult } from './step.js';

/** Both gates had passed for this very Candidate when it was begun. Null: there is none, or it is not there. */
export async function settleArrived(bench: Workbench, { goal }: Held, now: CurrentTarget): Promise<StepResult | null> {
  // What was sent by an earlier try, and came late.
  const sent = await readPublication<GoalMergeDetail>(bench, goal);
  const late = sent?.value.act === 'merge' ? await findBelow(bench, sent.value, now.at.oid) : null;
  if (sent !== null && late?.kind === 'there') return settle(bench, goal, sent.value, late.sent);
  const all = await (await bench.store.snapshot()).evidence(goal.id);
  const begun = all.find((one) => one.id === goal.integration);
  const { merge, target_before: expected } = begun?.commits ?? {};
  if (begun === undefined || merge === undefined || expected === undefined || begun.clone !== (await cloneId(bench)))
    return null;
  if (begun.status !== 'begun' && begun.status !== 'unknown') return null;
  if (begun.candidate?.tip !== goal.candidate?.tip || begun.candidate?.base !== goal.candidate?.base) return null;
  const reverted = isTakenBack(all, merge as Oid);
  if ((await lookContained(bench, { merge, reverted }, now.at.oid)) !== 'contained') return null;
  const { name: branch, remote } = now.current.base;
  const note = now.publish && remote !== null ? { unit: { kind: 'goal' as const, id: goal.id }, remote, branch } : null;
  const detail = { goal: goal.id, evidence: begun.id, occurrence: goal.occurrence };
  return settle(bench, goal, note, { commit: merge, expected, state: null, detail });
}

async function settle(
  bench: Workbench,
  goal: Goal,
  note: Pick<PublishNote, 'unit' | 'remote' | 'branch'> | null,
  sent: Sent<GoalMergeDetail>,
): Promise<StepResult> {
  const settled = await settleGoalMerge(bench, note, sent, 'recovered');
  for (const line of settled.left) bench.say(line);
  return settled.goal === null ? { kind: 'superseded', goal } : { kind: 'on', goal: settled.goal };
}
