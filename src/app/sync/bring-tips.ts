// What another clone did can be reviewed, merged and gone on with here: the shared tips of open Jobs come, and their branches are made,
// or follow (05, S1; J8).

import type { Oid, RefName } from '../../domain/git.js';
import type { Job, JobId } from '../../domain/job.js';
import { failpoint } from '../../system/failpoint.js';
import { followRecord } from '../claims/follow-record.js';
import { sharedRef } from '../claims/refs.js';
import { standingOf } from '../claims/standing.js';
import { branchFromShared, fetchTips } from '../claims/tip.js';
import type { Workbench } from '../workbench.js';

/** `there`: what the remote has. Returns the ids of Jobs whose branch was made or moved; one that stays is said. */
export async function bringTips(
  bench: Workbench,
  remote: string,
  there: ReadonlyMap<RefName, Oid>,
): Promise<readonly JobId[]> {
  const jobs = await wantedTips(bench, await (await bench.store.snapshot()).openJobs());
  const engine = await bench.repository.engine();
  const wanted = new Map<RefName, Job>();
  for (const job of jobs)
    if ((await engine.exists([job.tip as Oid]))[0] !== true || (await engine.resolve(sharedRef(job.id))) === null)
      wanted.set(sharedRef(job.id), job);
  await fetchTips(bench, remote, wanted, there);
  await failpoint('sync.before-branches');
  const brought: JobId[] = [];
  for (const job of jobs) {
    const followed = await followRecord(bench, job);
    if (followed.kind === 'stays') bench.say(`job ${job.id}: ${followed.why}`);
    const made = followed.kind === 'stands' && followed.tip === null && (await branchFromShared(bench, job)) !== null;
    if (made || followed.kind === 'moved') brought.push(job.id);
  }
  return brought;
}

/** Of these, the Jobs whose branch is not the work that the record names. The Job of a Round has no shared tip; one at work moves its own. */
export async function wantedTips(bench: Workbench, jobs: readonly Job[]): Promise<readonly Job[]> {
  const wanted: Job[] = [];
  for (const job of jobs) {
    if (job.goal !== null || job.state === 'active' || job.onto === null || job.tip === null) continue;
    if ((await standingOf(bench, job)).kind !== 'here') wanted.push(job);
  }
  return wanted;
}
