// Work whose commits are in another clone: its record came by sync, its commits did not (05, S1, S7). That is no damage.

import { OwlError } from '../../domain/errors.js';
import type { Oid } from '../../domain/git.js';
import type { Goal } from '../../domain/goal.js';
import type { Job } from '../../domain/job.js';
import type { Workbench } from '../workbench.js';
import { commitsElsewhere, workTip } from './standing.js';

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
