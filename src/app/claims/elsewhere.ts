// Work whose commits are in another clone: its record came by sync, its commits did not (05, S1, S7). That is no damage.

import { OwlError } from '../../domain/errors.js';
import type { Oid } from '../../domain/git.js';
import type { Goal } from '../../domain/goal.js';
import type { Job } from '../../domain/job.js';
import { ownTip } from '../jobs.js';
import type { Workbench } from '../workbench.js';

/** What a person can do about it: one clause. */
export const PUBLISHES = 'the clone that has it publishes it with git owl run --claim-remote';

/** Throws OwlError `missing-commit` where neither the branch of a Job is here nor the tip that its record names. */
export async function needJobCommits(bench: Workbench, job: Job): Promise<void> {
  if (job.tip === null || (await ownTip(bench, job)) !== null || (await isHere(bench, job.tip))) return;
  throw new OwlError('missing-commit', `the commits of job ${job.id} are in another clone (${job.tip}); ${PUBLISHES}`, {
    preserved: ['nothing was changed'],
    next: ['git owl sync'],
  });
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
