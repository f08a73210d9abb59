// What was done under claims goes to the remote before they are released: the tips, the state that speaks of them, the claims' refs,
// in one push that moves all of it or nothing, so that a Job costs two of them (05, S5, S7).

import { isOwlError } from '../../domain/errors.js';
import type { Oid, RefName } from '../../domain/git.js';
import type { Job } from '../../domain/job.js';
import type { PushedRef, PushUpdate } from '../../git/push.js';
import { jobRef } from '../jobs.js';
import { keepOnly } from '../run/settle.js';
import { exchangeState } from '../sync/exchange.js';
import type { Workbench } from '../workbench.js';
import { sharedRef } from './refs.js';
import { standingOf } from './standing.js';
import { publishTip } from './tip.js';
import { type Unit, workOf } from './unit.js';
import { sharedCommit } from './wip.js';
import { carriesCopiedFile } from './withheld.js';

/** A claim whose work ended, and the update that gives it back. */
export interface Ending {
  readonly unit: Unit;
  readonly release: PushUpdate;
}

/**
 * `kept`: what was done could not be published, and the claim stays until it is. `alone`: it was, and the claim is still to be given
 * back. `lost`: another runner has it.
 */
export type Published = 'released' | 'kept' | 'alone' | 'lost';

const ROUNDS = 4;

/** A signal does not cut it short: each call to the remote has its own deadline. Never throws what a remote can cause. */
export async function publishWork(
  bench: Workbench,
  remote: string,
  endings: readonly Ending[],
): Promise<ReadonlyMap<string, Published>> {
  const calm = { ...bench, signal: new AbortController().signal };
  const results = new Map<string, Published>();
  let left = [...endings];
  const known = new Map<RefName, Oid | 'absent'>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const tips = await tipUpdates(calm, left, known);
    const along = [...tips, ...left.map(({ release }) => release)];
    const pushed = await together(calm, remote, along);
    if (pushed === 'busy') continue;
    if (pushed === 'apart') break;
    const at = new Map(pushed.map((ref) => [ref.ref, ref]));
    const moved = pushed.filter(({ status }) => status === 'moved');
    if (moved.length === 0) {
      await copy(calm, along, at);
      for (const { unit, release } of left) results.set(unit.id, isThere(at.get(release.ref)) ? 'released' : 'alone');
      return results;
    }
    for (const { ref, found } of moved) if (found !== 'unknown') known.set(ref, found);
    const lost = left.filter(({ release }) => at.get(release.ref)?.status === 'moved');
    for (const { unit } of lost) results.set(unit.id, 'lost');
    left = left.filter((one) => !lost.includes(one));
    if (left.length > 0) continue;
    // Its record as the other runner left it comes here, and what was done here goes there beside it.
    await stateAlone(calm, remote);
    return results;
  }
  const published = await apart(calm, remote, left);
  for (const { unit } of left) results.set(unit.id, published ? 'alone' : 'kept');
  return results;
}

/** `apart`: the remote does not take them together. */
async function together(
  bench: Workbench,
  remote: string,
  along: readonly PushUpdate[],
): Promise<readonly PushedRef[] | 'busy' | 'apart'> {
  try {
    return (await exchangeState(bench, remote, { along })).along;
  } catch (error) {
    if (!isOwlError(error)) throw error;
    return error.code === 'busy' ? 'busy' : 'apart';
  }
}

/** One after the other: the tips first, then the state. False: the state is not there. */
async function apart(bench: Workbench, remote: string, endings: readonly Ending[]): Promise<boolean> {
  for (const { unit } of endings) {
    const job = await workOf(bench, unit);
    if (job !== null) await publishTip(bench, remote, job.id);
  }
  return stateAlone(bench, remote);
}

async function stateAlone(bench: Workbench, remote: string): Promise<boolean> {
  try {
    await exchangeState(bench, remote);
    return true;
  } catch (error) {
    sayOnly(bench)(error);
    return false;
  }
}

/** The work is done and here: a later sync carries it. */
export const sayOnly =
  (bench: Pick<Workbench, 'say'>) =>
  (error: unknown): void => {
    if (!isOwlError(error)) throw error;
    bench.say(`${error.message}; ${error.preserved.join(', ')}`);
  };

/** Of the Jobs whose tip is not shared yet. `known`: what the remote has, where it was looked at. */
async function tipUpdates(
  bench: Workbench,
  endings: readonly Ending[],
  known: ReadonlyMap<RefName, Oid | 'absent'>,
): Promise<readonly PushUpdate[]> {
  const engine = await bench.repository.engine();
  const updates: PushUpdate[] = [];
  const tips: Tip[] = [];
  for (const { unit } of endings) {
    const job = await workOf(bench, unit);
    const standing = job === null ? null : await standingOf(bench, job);
    if (job !== null && standing?.kind === 'here' && !(await carriesCopiedFile(bench, job, standing.tip)))
      tips.push({ job, tip: await sharedCommit(bench, job, standing.tip) });
  }
  for (const { job, tip } of [...tips, ...(await tipsAtWork(bench, tips))]) {
    const ref = sharedRef(job.id);
    const here = await engine.resolve(ref);
    if (here !== null && here !== tip)
      await keepOnly(bench, job.id, [{ commit: here, subject: 'tip that was shared before' }]);
    // The ref here says what was sent there at last; whether that arrived, the answer to this push says.
    const old = known.get(ref) ?? here ?? 'absent';
    if (old !== tip || !known.has(ref)) updates.push({ ref, old, new: tip });
  }
  return updates;
}

interface Tip {
  readonly job: Job;
  readonly tip: Oid;
}

/** The state says of other work under claims of this clone where it began: whoever has to take that over finds it there. */
async function tipsAtWork(bench: Workbench, known: readonly Tip[]): Promise<readonly Tip[]> {
  const engine = await bench.repository.engine();
  const tips: Tip[] = [];
  for (const job of await (await bench.store.snapshot()).openJobs()) {
    const { tip } = job;
    if (job.state !== 'active' || job.token == null || tip === null || known.some((one) => one.job.id === job.id))
      continue;
    if ((await engine.resolve(jobRef(job))) === null || (await engine.resolve(sharedRef(job.id))) === tip) continue;
    if ((await engine.exists([tip]))[0] === true) tips.push({ job, tip });
  }
  return tips;
}

/** The refs here are copies of those there. */
async function copy(
  bench: Workbench,
  updates: readonly PushUpdate[],
  at: ReadonlyMap<RefName, PushedRef>,
): Promise<void> {
  const engine = await bench.repository.engine();
  for (const update of updates) {
    if (!isThere(at.get(update.ref)) || update.new === 'absent') continue;
    const old = (await engine.resolve(update.ref)) ?? 'absent';
    if (old !== update.new) await engine.swap({ ref: update.ref, old, new: update.new }, 'owl: published');
  }
}

const isThere = (ref: PushedRef | undefined): boolean => ref?.status === 'done' || ref?.status === 'there';
