// Work whose commits are in another clone: its record came by sync, its commits did not (05, S1, S7). That is no damage.

import { OwlError } from '../../domain/errors.js';
import type { Oid } from '../../domain/git.js';
import type { Goal } from '../../domain/goal.js';
import { CLOSED_STATES, type Job, type JobId } from '../../domain/job.js';
import type { Workbench } from '../workbench.js';
import { commitsElsewhere, workTip } from './standing.js';

/** Are the commits of the open Job in another clone? Where nothing was done yet they are the base's, and a Run fetches that (J6). */
export async function isElsewhere(bench: Workbench, job: Job): Promise<boolean> {
  if (job.tip === null || job.tip === job.onto?.oid || CLOSED_STATES.has(job.state)) return false;
  const tip = (await workTip(bench, job)) ?? job.tip;
  return !(await isHere(bench, tip));
}

/** As `isElsewhere`, of many: ids. Commits are looked for at once. `branch`: where the branch stands here. */
export async function elsewhereOf(
  bench: Workbench,
  jobs: readonly Job[],
  branch: (job: Job) => Oid | null,
): Promise<ReadonlySet<JobId>> {
  const engine = await bench.repository.engine();
  const apart = jobs.filter((job) => job.tip !== null && job.onto !== null && branch(job) !== job.tip);
  const there = await engine.exists(apart.map((job) => job.tip as Oid));
  const away = new Set<JobId>();
  for (const [at, job] of apart.entries()) if (there[at] !== true && (await isElsewhere(bench, job))) away.add(job.id);
  return away;
}

/** Why no Run of it can begin here, although nothing is wrong with it; null: its commits are here. */
export const whyElsewhere = async (bench: Workbench, job: Job): Promise<OwlError | null> =>
  (await isElsewhere(bench, job)) ? commitsElsewhere(job, job.tip as Oid) : null;

/** Before anything of a Run is spent. Throws OwlError `missing-commit`. */
export async function needWork(bench: Workbench, job: Job): Promise<void> {
  const error = await whyElsewhere(bench, job);
  if (error !== null) throw error;
}

/** Throws OwlError `missing-commit` where the commits of the work are not here: a branch that is older than the record is not it. */
export async function needJobCommits(bench: Workbench, job: Job): Promise<void> {
  const tip = (await workTip(bench, job)) ?? job.tip;
  if (tip !== null && !(await isHere(bench, tip))) throw commitsElsewhere(job, tip);
}

/** Of a Goal, whose commits come with its target once it is integrated. Throws OwlError `missing-commit`. */
export async function needGoalCommits(
  bench: Workbench,
  goal: Pick<Goal, 'id' | 'integration'>,
  tip: Oid,
): Promise<void> {
  if (await isHere(bench, tip)) return;
  const [remote = 'origin'] = (await bench.remotes()).remotes;
  throw new OwlError(
    'missing-commit',
    `the commits of goal ${goal.id} are in another clone (${tip})${goal.integration !== null ? '; they come with its target' : ''}`,
    { preserved: ['nothing was changed'], next: [goal.integration !== null ? `git fetch ${remote}` : 'git owl sync'] },
  );
}

const isHere = async (bench: Workbench, commit: Oid): Promise<boolean> =>
  (await (await bench.repository.engine()).exists([commit]))[0] === true;
