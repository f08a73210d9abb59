// What closed work keeps in the archive of the remote alone, since another clone closed it: it comes here before the write that opens the
// work again (M12). Without it a Candidate, or the tip of a Job, would be known by its id only.

import type { Goal } from '../../domain/goal.js';
import { CLOSED_GOALS } from '../../domain/goal.js';
import { CLOSED_STATES, type Job } from '../../domain/job.js';
import { fetchObjects } from '../../git/fetch.js';
import { lookAtRefs } from '../../git/push.js';
import { archivedTips, tipsIn } from '../../state/archived.js';
import { readChain } from '../../state/chain.js';
import { ARCHIVE_PREFIX, chainName, chainRef, sharedName } from '../../state/layout.js';
import { openEnv } from '../../state/store.js';
import type { StoreEnv } from '../../state/store-env.js';
import { failpoint } from '../../system/failpoint.js';
import { sharedRef } from '../claims/refs.js';
import { sharedRemote } from '../sync/shared.js';
import type { Workbench } from '../workbench.js';

/** The Candidates of a closed Goal. A remote that cannot be asked is said, and nothing is lost: what is open again, no archive lets go. */
export async function bringArchivedGoal(bench: Workbench, goal: Goal): Promise<void> {
  if (bench.dryRun || !CLOSED_GOALS.has(goal.status) || goal.candidate === null) return;
  const env = await openEnv(bench);
  const name = chainName(goal.id, 'candidates');
  if ((await env.engine.resolve(chainRef(name))) !== null || (await archivedTips(env, name)).length > 0) return;
  const tip = await fromRemote(bench, env, name);
  if (tip === null) return;
  await failpoint('reopen.before-pins');
  await env.engine.swap({ ref: chainRef(name), old: 'absent', new: tip }, `bring back what ${goal.id} keeps`);
  await failpoint('reopen.after-pins');
}

/** The tip that a closed Job shared, where it is not here. */
export async function bringArchivedJob(bench: Workbench, job: Job): Promise<void> {
  if (bench.dryRun || !CLOSED_STATES.has(job.state) || job.tip === null) return;
  const env = await openEnv(bench);
  if ((await env.engine.exists([job.tip]))[0] === true) return;
  const link = await fromRemote(bench, env, sharedName(job.id));
  const kept = link === null ? undefined : (await readChain(env.objects, link))[0]?.kept;
  if (kept === undefined || kept === null) return;
  await failpoint('reopen.before-pins');
  await env.engine.swap({ ref: sharedRef(job.id), old: 'absent', new: kept }, `bring back the tip of ${job.id}`);
  await failpoint('reopen.after-pins');
}

/** The newest tip of that chain in the archives of the remote that the state is shared with; null: there is none, or it cannot be asked. */
async function fromRemote(bench: Workbench, env: StoreEnv, name: string) {
  const remote = await sharedRemote(bench);
  if (remote === null) return null;
  const unseen = (why: string): null => {
    bench.say(`what was kept of it in the archive of ${remote} could not be fetched: ${why}`);
    return null;
  };
  bench.progress.step(`looking into the archive of ${remote}`);
  const look = await lookAtRefs(bench.repository, { remote, refs: [`${ARCHIVE_PREFIX}*`] });
  if (look.kind === 'failed') return unseen(look.reason);
  const months = [...look.refs].sort(([one], [two]) => (one < two ? 1 : -1));
  for (const [ref, oid] of months) {
    const why = await fetchObjects(bench.repository, { remote, refs: [ref] });
    if (why !== null) return unseen(why);
    if ((await env.engine.exists([oid]))[0] !== true) return unseen(`${ref} moved meanwhile`);
    const [newest] = await tipsIn(env, oid, name);
    if (newest !== undefined) return newest;
  }
  return null;
}
