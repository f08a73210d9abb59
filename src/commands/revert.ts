// `revert` and `goal revert`: the merge of a Job, or the integration of a Goal, is taken back (G52).

import { callerOf, refuseStale } from '../app/goal/control.js';
import { currentTarget } from '../app/goal/current-target.js';
import { standingMerges, standingNotes } from '../app/goal/standing.js';
import { findGoal, findWork, type Work } from '../app/goals.js';
import { settleLeftovers } from '../app/leftovers.js';
import { currentPolicy, fetchedPolicy, wishOf } from '../app/policy.js';
import type { Reverted, Taken, Undone } from '../app/revert/facts.js';
import { checkGoalRevert, goalTaken, revertTarget } from '../app/revert/goal.js';
import { checkJobRevert, jobTaken } from '../app/revert/job.js';
import { takeBack } from '../app/revert/revert.js';
import { answeredBefore, type JobRequest, requestOf } from '../app/try.js';
import { openWorkbench, type Workbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { type RefName, shortOid, shortRef } from '../domain/git.js';
import type { Report } from '../output/report.js';
import type { Snapshot } from '../state/types.js';
import { decided } from './decided.js';
import { goalDecided } from './goal-decided.js';

export const run = (context: Context, request: Request): Promise<Report> => revertWork(context, request, findWork);

/** `goal revert`: the same, and a Job is none. */
export const revertGoal = (context: Context, request: Request): Promise<Report> =>
  revertWork(context, request, async (snapshot, id) => ({ kind: 'goal', goal: await findGoal(snapshot, id) }));

async function revertWork(
  context: Context,
  request: Request,
  find: (snapshot: Snapshot, id: string) => Promise<Work>,
): Promise<Report> {
  const bench = await openWorkbench(context);
  if (!bench.dryRun) await settleLeftovers(bench);
  const snapshot = await bench.store.snapshot();
  const work = await find(snapshot, request.args['id'] ?? '');
  const key = requestOf(bench, 'revert', work.kind === 'job' ? work.job : work.goal);
  const before = await answeredBefore<never>(bench, key);
  if (before !== null) {
    const answered = work.kind === 'job' ? { kind: work.kind, job: before } : { kind: work.kind, goal: before };
    return report(bench, answered, { said: 'is reverted', repeated: true });
  }
  const expectRevision = request.number('expect-revision');
  if (work.kind === 'goal') refuseStale(work.goal, { expectRevision }, callerOf(bench));
  if (bench.dryRun) return planned(bench, snapshot, work);
  const { work: now, ref, undone, left } = await takeBack(bench, await takenOf(bench, snapshot, work, key));
  const where = shortRef(ref);
  const by = undone.flatMap(({ commit }) => (commit === null ? [] : [shortOid(commit)]));
  const said = by.length === 0 ? `was reverted on ${where} already` : `is reverted on ${where} by ${by.join(', ')}`;
  const done = await report(bench, now, { said, repeated: false, undone });
  const standing = now.kind === 'goal' ? await standingNotes(bench, now.goal) : [];
  const unpublished = by.length === 0 ? [] : await notPushed(bench, now, ref);
  return { ...done, notes: [...(done.notes ?? []), ...left, ...standing, ...unpublished] };
}

/** A revert on a branch of this clone is, as a merge is, on the remote only once somebody pushes it. */
async function notPushed(bench: Workbench, work: Work, ref: RefName): Promise<readonly string[]> {
  if (work.kind === 'goal' || !ref.startsWith('refs/heads/')) return [];
  const { base } = await currentPolicy(bench, wishOf(work.job));
  if (base.remote === null || base.name !== shortRef(ref)) return [];
  return [`the revert on ${base.name} is not on ${base.remote} yet: git push ${base.remote} ${base.name}`];
}

/** What may not be taken back is refused before anything is fetched. */
async function takenOf(bench: Workbench, snapshot: Snapshot, work: Work, key: JobRequest | undefined): Promise<Taken> {
  if (work.kind === 'job') {
    checkJobRevert(work.job);
    return jobTaken(work.job, await fetchedPolicy(bench, wishOf(work.job)), key);
  }
  const all = await snapshot.evidence(work.goal.id);
  const merges = checkGoalRevert(work.goal, all, await standingMerges(bench, work.goal, all));
  const { current } = await currentTarget(bench, { ...work.goal, target: revertTarget(merges) });
  return goalTaken(work.goal, merges, current.loaded.policy, key);
}

async function planned(bench: Workbench, snapshot: Snapshot, work: Work): Promise<Report> {
  if (work.kind === 'job') {
    const merge = checkJobRevert(work.job);
    const { base } = await currentPolicy(bench, wishOf(work.job));
    return report(bench, work, { said: `would be reverted on ${base.name}: ${shortOid(merge)}`, repeated: false });
  }
  const all = await snapshot.evidence(work.goal.id);
  const standing = await standingMerges(bench, work.goal, all);
  const merges = checkGoalRevert(work.goal, all, standing);
  const known = standing.filter((one) => one.ours);
  const ids = (known.length === 0 ? merges.slice(0, 1) : known).map(({ merge }) => shortOid(merge));
  const said = `would be reverted on ${revertTarget(merges).name}: ${ids.join(', ')}`;
  return report(bench, work, { said, repeated: false });
}

async function report(
  bench: Workbench,
  work: Reverted,
  of: { readonly said: string; readonly repeated: boolean; readonly undone?: readonly Undone[] },
): Promise<Report> {
  const by = of.undone?.findLast(({ commit }) => commit !== null)?.commit ?? null;
  const reverts = of.undone?.map(({ merge, commit }) => ({ merge, by: commit }));
  const more = reverts === undefined ? {} : { reverted_by: by, reverts };
  return work.kind === 'job'
    ? decided(bench, { result: work.job, repeated: of.repeated }, of.said, [], more)
    : goalDecided(bench, { result: work.goal, repeated: of.repeated }, of.said, more);
}
