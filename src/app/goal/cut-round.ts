// The branch of a Round whose first Run has not begun: a Skill of plan or implement works in the Round's worktree, so it is cut for that
// as the Run would have cut it, at the base that the Goal has pinned (G5, G62).

import type { Goal } from '../../domain/goal.js';
import type { Job } from '../../domain/job.js';
import { stands } from '../../domain/machine.js';
import type { Policy } from '../../domain/policy.js';
import { foundGoal } from '../goals.js';
import { foundJob } from '../jobs.js';
import { cutBranch } from '../run/branch.js';
import type { Workbench } from '../workbench.js';

/** The Job with its branch, as it is recorded; a text: why that was not made. Nothing else may bear its name. */
export async function cutRound(bench: Workbench, goal: Goal, job: Job, policy: Policy): Promise<Job | string> {
  const { base } = goal;
  // Before plan there is no right to a worktree (G4); a closed Goal begins nothing.
  if (base === null || (goal.status !== 'plan' && goal.status !== 'implement'))
    return `round ${goal.round} has no branch here`;
  let cut = job;
  const label = `round ${goal.round}`;
  const made = await cutBranch(bench, { job, base, policy, label }, async (change, move, more) => {
    const updated = await bench.store.update<Job | null>({ step: 'round-branch' }, async (tx) => {
      const now = foundJob(job.id, await tx.job(job.id));
      if (!stands(foundGoal(goal.id, await tx.goal(goal.id)), goal.occurrence) || now.onto !== null) return null;
      const next = { ...now, ...change, revision: now.revision + 1, updated: tx.now };
      tx.putJob(next);
      await more?.(tx);
      tx.move(move, `owl: begin ${job.id}`);
      tx.event({ event: 'run.based', subject: `job ${job.id}: branch cut at ${move.new}`, job: job.id, goal: goal.id });
      return next;
    });
    if (updated.result === null) return 'superseded';
    cut = updated.result;
    return updated.refused.length > 0 ? 'refused' : 'done';
  });
  if (made.kind === 'based') return cut;
  if (made.kind === 'blocked' && made.uncut === true) await forget(bench, job);
  return made.kind === 'blocked' ? made.reason.text : `round ${goal.round} has nothing to do`;
}

/** What bears its name is somebody else's: nothing of it is recorded as ours. */
async function forget(bench: Workbench, { id }: Job): Promise<void> {
  await bench.store.update({ step: 'round-branch' }, async (tx) => {
    const now = foundJob(id, await tx.job(id));
    tx.putJob({ ...now, onto: null, tip: null, revision: now.revision + 1, updated: tx.now });
    tx.event({ event: 'run.based', subject: `job ${id}: its branch was not cut`, job: id });
  });
}
