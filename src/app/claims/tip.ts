// The tip of a Job on its way between runners: `refs/owl/shared/<job>` on the remote; the branch itself is never pushed (01, S7).
// The local ref of that name is what this clone last saw, or sent, there.

import { branchRef, type Oid, type RefName, remoteRef } from '../../domain/git.js';
import type { Job, JobId } from '../../domain/job.js';
import { deepenUntil } from '../../git/deepen.js';
import type { Engine } from '../../git/engine.js';
import { fetchSame } from '../../git/fetch.js';
import { lookAtRefs, pushRefs } from '../../git/push.js';
import { closedSince } from '../../state/archive.js';
import { foundJob, jobRef } from '../jobs.js';
import { keepOnly } from '../run/settle.js';
import type { Workbench } from '../workbench.js';
import { followRecord } from './follow-record.js';
import { sharedRef } from './refs.js';
import { standingOf } from './standing.js';
import { sharedCommit } from './wip.js';
import { carriesCopiedFile } from './withheld.js';

/** The branch stands where the last runner left it, as far as the remote has that; what it held here before is kept (S7). */
export async function bringTip(bench: Workbench, remote: string, job: Job): Promise<void> {
  if (job.onto === null || job.tip === null || (await standingOf(bench, job)).kind === 'here') return;
  await fetchTip(bench, remote, job);
  const brought = await followRecord(bench, job);
  if (brought.kind === 'stays') bench.say(`job ${job.id}: ${brought.why}`);
  if (brought.kind === 'stands' && brought.tip === null) await branchFromShared(bench, job);
}

/** The tip of one Job, as far as the remote has it: no branch moves. */
export async function fetchTip(bench: Workbench, remote: string, job: Job): Promise<void> {
  const ref = sharedRef(job.id);
  const look = await lookAtRefs(bench.repository, { remote, refs: [ref] });
  if (look.kind === 'looked') await fetchTips(bench, remote, new Map([[ref, job]]), look.refs);
}

/** Shared tips that the remote has and this clone lacks, all in one fetch; what the local refs held is kept. */
export async function fetchTips(
  bench: Workbench,
  remote: string,
  wanted: ReadonlyMap<RefName, Pick<Job, 'id' | 'onto'>>,
  there: ReadonlyMap<RefName, Oid>,
): Promise<void> {
  const engine = await bench.repository.engine();
  const refs: RefName[] = [];
  for (const [ref, job] of wanted) {
    const here = await engine.resolve(ref);
    if (!there.has(ref) || there.get(ref) === here) continue;
    if (here !== null) await keepOnly(bench, job.id, [{ commit: here, subject: 'tip that was shared before' }]);
    refs.push(ref);
  }
  const why = refs.length === 0 ? null : await fetchSame(bench.repository, { remote, refs });
  if (why !== null) bench.say(`the shared tips of ${remote} could not be fetched: ${why}`);
  for (const job of wanted.values()) await deepenBase(bench, remote, job);
}

/** In a shallow clone the base is deepened until it has the base commit of the Job: what is merged, and what is not, hangs on it (S6). */
async function deepenBase(bench: Workbench, remote: string, { id, onto }: Pick<Job, 'id' | 'onto'>): Promise<void> {
  const name = onto === null ? undefined : /^refs\/(?:heads|remotes\/[^/]+)\/(.+)$/.exec(onto.ref)?.[1];
  if (onto === null || name === undefined || !bench.repository.shallow) return;
  const request = { remote, from: branchRef(name), to: remoteRef(remote, name) };
  const why = await deepenUntil(bench.repository, request, onto.oid);
  if (why !== null) bench.say(`the history of ${name} does not reach the base commit of job ${id}: ${why}`);
}

/**
 * Where a Job begun in another clone has no branch here, it is made at the tip that its record names: the shared ref brought that, or it
 * is a commit of the base, where nothing was done yet (J8). A branch that is there is left alone. Null: that commit is not here.
 */
export async function branchFromShared(bench: Workbench, job: Job): Promise<Oid | null> {
  if (job.tip === null) return null;
  const engine = await bench.repository.engine();
  if (!(await isShared(engine, job, job.tip))) return null;
  // It was open when the others were looked at, too (M10).
  if ((await closedSince(await bench.store.snapshot(), job.id)) !== null) return null;
  const made = await engine.swap({ ref: jobRef(job), old: 'absent', new: job.tip }, `owl: go on with ${job.id}`);
  return made.kind === 'moved' ? job.tip : null;
}

/** Not every commit that happens to be here: whoever took the branch away in this clone meant it. */
async function isShared(engine: Engine, job: Job, tip: Oid): Promise<boolean> {
  for (const holder of [await engine.resolve(sharedRef(job.id)), job.onto?.oid ?? null])
    if (holder !== null && (holder === tip || (await engine.isAncestor(tip, holder)) === 'ancestor')) return true;
  return false;
}

/**
 * Before the state that speaks of it. A remote that takes no such ref gets the state alone, and that is said; one that did not answer
 * gets it with the next sync, since the local ref says that this Job is shared.
 */
export async function publishTip(bench: Workbench, remote: string, id: JobId): Promise<void> {
  const job = foundJob(id, await (await bench.store.snapshot()).job(id));
  const standing = await standingOf(bench, job);
  if (standing.kind !== 'here' || (await carriesCopiedFile(bench, job, standing.tip))) return;
  const tip = await sharedCommit(bench, job, standing.tip);
  const ref = sharedRef(id);
  const engine = await bench.repository.engine();
  const known = await engine.resolve(ref);
  if (known !== null && known !== tip)
    await keepOnly(bench, id, [{ commit: known, subject: 'tip that was shared before' }]);
  await engine.swap({ ref, old: known ?? 'absent', new: tip }, 'owl: tip to share');
  const look = await lookAtRefs(bench.repository, { remote, refs: [ref] });
  const old = look.kind === 'looked' ? (look.refs.get(ref) ?? 'absent') : 'absent';
  if (look.kind === 'failed' || old === tip) return;
  const { refs, why } = await pushRefs(bench.repository, { remote, updates: [{ ref, old, new: tip }] });
  const status = refs[0]?.status;
  if (status !== 'done' && status !== 'there')
    bench.say(`the tip of job ${id} was not shared with ${remote}: ${why ?? status}`);
}
