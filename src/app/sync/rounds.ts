// Branches of the Rounds of open Goals, where they travel by sync (`sync.rounds`): made or followed here where another clone went on,
// and sent where this one did (01, Refs). The record's tip decides.

import { branchName, type Oid, type RefName, remoteRef } from '../../domain/git.js';
import type { Job, JobId } from '../../domain/job.js';
import { fetchRef } from '../../git/fetch.js';
import type { PushUpdate } from '../../git/push.js';
import { makeBranchAgain } from '../branch-again.js';
import { followRecord } from '../claims/follow-record.js';
import { standingOf } from '../claims/standing.js';
import { jobRef } from '../jobs.js';
import type { Workbench } from '../workbench.js';

export interface Rounds {
  /** Jobs of Rounds whose branch was made or moved here. */
  readonly brought: readonly JobId[];
  /** What the remote lacks. */
  readonly updates: readonly PushUpdate[];
}

export async function exchangeRounds(
  bench: Workbench,
  remote: string,
  there: ReadonlyMap<RefName, Oid>,
): Promise<Rounds> {
  const brought: JobId[] = [];
  const updates: PushUpdate[] = [];
  for (const job of await (await bench.store.snapshot()).openJobs()) {
    if (job.goal === null || job.state === 'active' || job.onto === null || job.tip === null) continue;
    const [ref, tip] = [jobRef(job), job.tip];
    const theirs = there.get(ref);
    const standing = await standingOf(bench, job);
    if (standing.kind === 'here') {
      if (standing.tip === tip && theirs !== tip && (theirs === undefined || (await isKnownTip(bench, job, theirs))))
        updates.push({ ref, old: theirs ?? 'absent', new: tip });
    } else if (theirs === tip && (await bringRound(bench, remote, job, tip))) brought.push(job.id);
  }
  return { brought, updates };
}

async function bringRound(bench: Workbench, remote: string, job: Job, tip: Oid): Promise<boolean> {
  const ref = jobRef(job);
  const to = remoteRef(remote, branchName(ref) ?? '');
  const fetched = await fetchRef(bench.repository, { remote, from: ref, to });
  if (fetched.status === 'failed') bench.say(`the branch of goal ${job.goal} could not be fetched: ${fetched.reason}`);
  const followed = await followRecord(bench, job);
  if (followed.kind === 'stays') bench.say(`goal ${job.goal}: ${followed.why}`);
  if (followed.kind !== 'stands' || followed.tip !== null || fetched.status === 'failed' || fetched.oid !== tip)
    return followed.kind === 'moved';
  return (
    (await makeBranchAgain(bench, { ref, oid: tip, work: job.goal ?? job.id }, `owl: go on with ${job.id}`)) === 'made'
  );
}

/** Is that an earlier tip of this Job? One that no record speaks of yet is of a runner whose state is still to come. */
export async function isKnownTip(bench: Workbench, job: Job, tip: Oid): Promise<boolean> {
  const runs = await (await bench.store.snapshot()).runs(job.id);
  if (runs.some((run) => run.tip_before === tip || run.tip_after === tip)) return true;
  return (await (await bench.repository.engine()).isAncestor(tip, job.tip as Oid)) === 'ancestor';
}
