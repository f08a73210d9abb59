// What a Goal's merge takes along to the remote, in one push: the Candidate's branch, and the shared state with the Goal as it will
// be (G32).

import { branchRef, type Oid, type RefName } from '../../domain/git.js';
import type { Evidence, Goal } from '../../domain/goal.js';
import { stands } from '../../domain/machine.js';
import { roundBranch } from '../../domain/names.js';
import { lookAtRefs, type RemoteRefs } from '../../git/push.js';
import { STATE_REF } from '../../state/layout.js';
import { foundGoal } from '../goals.js';
import { type Published, type PushPart, publishCommit, type Target } from '../publish/publish.js';
import { sharedState } from '../state-share/part.js';
import { goalUnits, putWholeGoal } from '../state-share/put-goal.js';
import type { Workbench } from '../workbench.js';
import { type GoalMergeDetail, integratedEvent, reviewedGoal } from './settle-merge.js';

interface MergeToPublish {
  /** In governance, as it is stored. */
  readonly goal: Goal;
  readonly target: Target;
  readonly begun: Evidence;
  readonly send: { readonly commit: Oid; readonly expected: Oid };
  readonly detail: GoalMergeDetail;
}

/** `superseded`: it was decided about since; nothing was sent (G35). */
export async function publishMerge(
  bench: Workbench,
  { goal, target, begun, send, detail }: MergeToPublish,
): Promise<Published<GoalMergeDetail> | { readonly kind: 'superseded' }> {
  const op = bench.ids.operation();
  const latest = foundGoal(goal.id, await (await bench.store.snapshot()).goal(goal.id));
  if (!stands(latest, goal.occurrence)) return { kind: 'superseded' };
  const record = reviewedGoal(latest, begun.id, { op, now: bench.clock.timestamp() });
  // One look for both; each try looks anew.
  let looked: RemoteRefs | null = null;
  return publishCommit<GoalMergeDetail>(bench, {
    unit: { kind: 'goal', id: goal.id },
    act: 'merge',
    target,
    send: { ...send, detail: { ...detail, record } },
    branch: async () => {
      const refs = [branchRef(roundBranch(goal.id, goal.round)), STATE_REF];
      looked = await lookAtRefs(bench.repository, { remote: target.remote, refs });
      return roundUpdate(bench, goal, target.remote, looked);
    },
    state: async () => {
      const before = looked;
      looked = null;
      if (before?.kind === 'looked' && !before.refs.has(STATE_REF)) return { kind: 'none' };
      return sharedState(bench, {
        remote: target.remote,
        units: await goalUnits(bench, goal),
        op,
        event: integratedEvent(record, begun, 'merged'),
        change: (tx) => putWholeGoal(bench, tx, record, [{ ...begun, status: 'done' }]),
      });
    },
  });
}

/**
 * Under the value that the remote has now. What was pushed there is replaced only where it is a Candidate of this Round, or
 * contained in the new one: it stays pinned. Anything else is somebody's work.
 */
async function roundUpdate(bench: Workbench, goal: Goal, remote: string, looked: RemoteRefs): Promise<PushPart> {
  const { candidate } = goal;
  if (candidate === null) return { kind: 'none' };
  const ref = branchRef(roundBranch(goal.id, goal.round));
  if (looked.kind === 'failed')
    return {
      kind: 'held',
      code: 'remote-unreachable',
      why: `${remote} could not be asked for ${ref}: ${looked.reason}`,
    };
  const old = looked.refs.get(ref) ?? 'absent';
  if (old === candidate.tip) return { kind: 'none' };
  if (old !== 'absent' && !(await isReplaceable(bench, goal, old)))
    return { kind: 'held', code: 'branch-taken', why: sayForeign(goal, ref, remote, old) };
  return { kind: 'part', update: { ref, old, new: candidate.tip } };
}

async function isReplaceable(bench: Workbench, goal: Goal, old: Oid): Promise<boolean> {
  const candidates = await (await bench.store.snapshot()).candidates(goal.id);
  if (candidates.some(({ tip }) => tip === old)) return true;
  const tip = goal.candidate?.tip;
  const engine = await bench.repository.engine();
  return (
    tip !== undefined && (await engine.exists([old]))[0] === true && (await engine.isAncestor(old, tip)) === 'ancestor'
  );
}

const sayForeign = (goal: Goal, ref: RefName, remote: string, old: Oid): string =>
  `${ref} on ${remote} is at ${old}, which is no candidate of goal ${goal.id}; keep it under another name there, then advance again`;
