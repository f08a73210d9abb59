// The tip of a Job on its way between runners: `refs/owl/shared/<job>` on the remote; the branch itself is never pushed (01, S7).

import type { Oid, RefName } from '../../domain/git.js';
import type { Job, JobId } from '../../domain/job.js';
import { fetchRef, fetchSame } from '../../git/fetch.js';
import { lookAtRefs, pushRefs } from '../../git/push.js';
import { failpoint } from '../../system/failpoint.js';
import { foundJob, jobRef, ownTip } from '../jobs.js';
import { keepOnly } from '../run/settle.js';
import type { Workbench } from '../workbench.js';

const SHARED = 'refs/owl/shared/';
const sharedRef = (job: JobId): RefName => `${SHARED}${job}` as RefName;

/** The branch stands where the last runner left it, as far as the remote has that; what it held here before is kept. */
export async function bringTip(bench: Workbench, remote: string, job: Job): Promise<void> {
  if (job.onto === null || job.tip === null) return;
  const engine = await bench.repository.engine();
  const here = await engine.resolve(jobRef(job));
  if (here === job.tip) return;
  const shared = sharedRef(job.id);
  const fetched = await fetchRef(bench.repository, { remote, from: shared, to: shared });
  if (fetched.status === 'failed' || fetched.oid !== job.tip) return;
  if (here !== null) await keepOnly(bench, job.id, [{ commit: here, subject: 'tip before that of another runner' }]);
  await engine.swap({ ref: jobRef(job), old: here ?? 'absent', new: job.tip }, 'owl: the tip of another runner');
}

/**
 * Where a Job begun in another clone has no branch here, it is made at the tip that its record names, from the shared ref that brought
 * that (J8). A branch that is there is left alone. Null: neither the branch nor that commit is here.
 */
export async function branchFromShared(bench: Workbench, job: Job): Promise<Oid | null> {
  if (job.tip === null) return null;
  const engine = await bench.repository.engine();
  const shared = await engine.resolve(sharedRef(job.id));
  if (shared === null) return null;
  if (shared !== job.tip && (await engine.isAncestor(job.tip, shared)) !== 'ancestor') return null;
  const made = await engine.swap({ ref: jobRef(job), old: 'absent', new: job.tip }, `owl: go on with ${job.id}`);
  return made.kind === 'moved' ? job.tip : null;
}

/**
 * `sync`: what another clone finished can be reviewed, merged and tried again here. Of open Jobs without a branch here the shared
 * tips are fetched, all in one fetch, and their branches made. Returns the ids of these Jobs; what could not be fetched is said.
 */
export async function bringTips(bench: Workbench, remote: string): Promise<readonly JobId[]> {
  const engine = await bench.repository.engine();
  const wanted = new Map<RefName, Job>();
  for (const job of await (await bench.store.snapshot()).openJobs()) {
    // The Job of a Round is claimed nowhere and has no shared tip; one at work moves its tip.
    if (job.goal !== null || job.state === 'active' || job.onto === null || job.tip === null) continue;
    if ((await engine.resolve(jobRef(job))) === null) wanted.set(sharedRef(job.id), job);
  }
  if (wanted.size === 0) return [];
  const look = await lookAtRefs(bench.repository, { remote, refs: [`${SHARED}*`] });
  if (look.kind === 'failed') {
    bench.say(`the shared tips of ${remote} could not be looked at: ${look.reason}`);
    return [];
  }
  const fetching: RefName[] = [];
  for (const [ref, job] of wanted) {
    const there = look.refs.get(ref);
    const here = await engine.resolve(ref);
    if (there === undefined || there === here) continue;
    if (here !== null) await keepOnly(bench, job.id, [{ commit: here, subject: 'tip that was shared before' }]);
    fetching.push(ref);
  }
  const why = fetching.length === 0 ? null : await fetchSame(bench.repository, { remote, refs: fetching });
  if (why !== null) bench.say(`the shared tips of ${remote} could not be fetched: ${why}`);
  await failpoint('sync.before-branches');
  const made: JobId[] = [];
  for (const job of wanted.values()) if ((await branchFromShared(bench, job)) !== null) made.push(job.id);
  return made;
}

/** Before the state that speaks of it. A remote that takes no such ref gets the state alone, and that is said. */
export async function publishTip(bench: Workbench, remote: string, id: JobId): Promise<void> {
  const loaded = await (await bench.store.snapshot()).job(id);
  const job = foundJob(id, loaded);
  const tip: Oid | null = await ownTip(bench, job);
  if (tip === null) return;
  const ref = sharedRef(id);
  const look = await lookAtRefs(bench.repository, { remote, refs: [ref] });
  const old = look.kind === 'looked' ? (look.refs.get(ref) ?? 'absent') : 'absent';
  if (look.kind === 'failed' || old === tip) return;
  const { refs, why } = await pushRefs(bench.repository, { remote, updates: [{ ref, old, new: tip }] });
  const status = refs[0]?.status;
  if (status === 'done' || status === 'there') {
    const engine = await bench.repository.engine();
    await engine.swap({ ref, old: (await engine.resolve(ref)) ?? 'absent', new: tip }, 'owl: tip shared');
    return;
  }
  bench.say(`the tip of job ${id} was not shared with ${remote}: ${why ?? status}`);
}
