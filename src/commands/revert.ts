// `revert` and `goal revert`: the merge of a Job, or the integration of a Goal, is taken back (G52).

import { callerOf, refuseStale } from '../app/goal/control.js';
import { currentTarget } from '../app/goal/current-target.js';
import { standingMerges, standingNotes } from '../app/goal/standing.js';
import { findGoal, findWork, type Work } from '../app/goals.js';
import { settleLeftovers } from '../app/leftovers.js';
import { currentPolicy, fetchedPolicy, wishOf } from '../app/policy.js';
import type { Reverted, Taken } from '../app/revert/facts.js';
import { checkGoalRevert, goalTaken } from '../app/revert/goal.js';
import { checkJobRevert, jobTaken } from '../app/revert/job.js';
import { takeBack } from '../app/revert/revert.js';
import { answeredBefore, type JobRequest, requestOf } from '../app/try.js';
import { openWorkbench, type Workbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { type Oid, shortOid, shortRef } from '../domain/git.js';
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
    return report(bench, answered, { said: 'is reverted', repeated: true, by: undefined });
  }
  const expectRevision = request.number('expect-revision');
  if (work.kind === 'goal') refuseStale(work.goal, { expectRevision }, callerOf(bench));
  if (bench.dryRun) return planned(bench, snapshot, work);
  const { work: now, ref, commit, left } = await takeBack(bench, await takenOf(bench, snapshot, work, key));
  const where = shortRef(ref);
  const said = commit === null ? `was reverted on ${where} already` : `is reverted on ${where} by ${shortOid(commit)}`;
  const done = await report(bench, now, { said, repeated: false, by: commit });
  const standing = work.kind === 'goal' ? await standingNotes(bench, work.goal) : [];
  return { ...done, notes: [...(done.notes ?? []), ...left, ...standing] };
}

/** What may not be taken back is refused before anything is fetched. */
async function takenOf(bench: Workbench, snapshot: Snapshot, work: Work, key: JobRequest | undefined): Promise<Taken> {
  if (work.kind === 'job') {
    checkJobRevert(work.job);
    return jobTaken(work.job, await fetchedPolicy(bench, wishOf(work.job)), key);
  }
  const all = await snapshot.evidence(work.goal.id);
  checkGoalRevert(work.goal, all, await standingMerges(bench, all));
  const { current } = await currentTarget(bench, work.goal);
  return goalTaken(work.goal, all, current.loaded.policy, key);
}

async function planned(bench: Workbench, snapshot: Snapshot, work: Work): Promise<Report> {
  const all = work.kind === 'job' ? [] : await snapshot.evidence(work.goal.id);
  const merge =
    work.kind === 'job'
      ? checkJobRevert(work.job)
      : checkGoalRevert(work.goal, all, await standingMerges(bench, all)).merge;
  const name =
    work.kind === 'job' ? (await currentPolicy(bench, wishOf(work.job))).base.name : (work.goal.target?.name ?? '');
  const said = `would be reverted on ${name}: ${shortOid(merge)}`;
  return report(bench, work, { said, repeated: false, by: undefined });
}

async function report(
  bench: Workbench,
  work: Reverted,
  of: { readonly said: string; readonly repeated: boolean; readonly by: Oid | null | undefined },
): Promise<Report> {
  const more = of.by === undefined ? {} : { reverted_by: of.by };
  return work.kind === 'job'
    ? decided(bench, { result: work.job, repeated: of.repeated }, of.said, [], more)
    : goalDecided(bench, { result: work.goal, repeated: of.repeated }, of.said, more);
}
