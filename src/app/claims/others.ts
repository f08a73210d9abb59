// Other clones at work, as far as this one has seen: in the state of a remote as it was last fetched, and in copies of claims (05, S7).
// Only looks, and asks no remote.

import { isOwlError } from '../../domain/errors.js';
import type { RefName } from '../../domain/git.js';
import { type LeaseRead, parseLease } from '../../domain/lease.js';
import { loadStateAt } from '../../state/load-state.js';
import { openEnv } from '../../state/store.js';
import { isAlive } from '../../system/processes.js';
import { holderHere, knownSight, noteSight } from '../lease/notes.js';
import { type LeasePlace, leasePlace } from '../lease/place.js';
import { trackedState } from '../state-share/part.js';
import { loadForeign } from '../sync/foreign.js';
import type { Workbench } from '../workbench.js';
import { CLAIMS } from './refs.js';

/** How many are named. */
const NAMED = 3;

/** One sentence; null: nobody else is known to be at work. */
export async function sayOthers(bench: Workbench): Promise<string | null> {
  const { remotes } = await bench.remotes();
  const busy = new Set<string>();
  for (const remote of remotes) for (const id of await busyIn(bench, remote)) busy.add(id);
  for (const id of await claimed(bench, remotes)) busy.add(id);
  if (busy.size === 0) return null;
  const ids = [...busy].sort();
  const more = ids.length > NAMED ? ` and ${ids.length - NAMED} more` : '';
  return `another clone is at work on ${ids.slice(0, NAMED).join(', ')}${more}: with --claim-remote two clones never take one Job`;
}

/** Work that the state of the remote has at work, and that is no claim of this clone. */
async function busyIn(bench: Workbench, remote: string): Promise<readonly string[]> {
  const env = await openEnv(bench);
  const tip = await env.engine.resolve(trackedState(remote));
  if (tip === null) return [];
  try {
    const there = await loadStateAt(env, tip);
    const here = await bench.store.snapshot();
    const foreign = await loadForeign(bench);
    const identity = await bench.environment.process();
    const busy: string[] = [];
    for (const unit of [...(await there.openJobs()), ...(await there.openGoals())]) {
      if (unit.claim === null || isAlive(unit.claim, identity) === 'dead') continue;
      const known = unit.kind === 'job' ? await here.job(unit.id) : await here.goal(unit.id);
      const own = known.kind === 'found' && known.record.claim?.run === unit.claim.run && !foreign.waits(known.record);
      const over = known.kind === 'found' && known.record.occurrence.number > unit.occurrence.number;
      if (!own && !over) busy.push(unit.id);
    }
    return busy;
  } catch (error) {
    // What is wrong with that state `sync` and `fsck` say.
    if (!isOwlError(error)) throw error;
    return [];
  }
}

/** Jobs with a claim that another clone holds, not expired by this clone's own clock since a sync first saw it. */
async function claimed(bench: Workbench, remotes: readonly string[]): Promise<readonly string[]> {
  const busy = new Set<string>();
  for (const { ref } of await (await bench.repository.engine()).list(CLAIMS)) {
    const read = await readCopy(bench, ref);
    if (read === null || read.value.holder === null) continue;
    const places = remotes.map((remote) => placeOf(bench, remote, ref));
    const holders = await Promise.all(places.map((place) => holderHere(bench, place.name, read.value)));
    if (holders.some((holder) => holder !== null)) continue;
    for (const place of places)
      if ((await knownSight(bench, place.name, read)).since + read.value.length > bench.clock.now())
        busy.add(ref.slice(CLAIMS.length));
  }
  return [...busy];
}

/** The first sight of these claims of a remote, whose copies are here. */
export async function noteClaims(bench: Workbench, remote: string, refs: readonly RefName[]): Promise<void> {
  for (const ref of refs) {
    const read = await readCopy(bench, ref);
    if (read !== null) await noteSight(bench, placeOf(bench, remote, ref).name, read);
  }
}

const placeOf = (bench: Workbench, remote: string, ref: RefName): LeasePlace =>
  leasePlace(bench, { target: ref.slice(CLAIMS.length), remote, ref });

async function readCopy(bench: Workbench, ref: RefName): Promise<Extract<LeaseRead, { kind: 'value' }> | null> {
  const engine = await bench.repository.engine();
  const oid = await engine.resolve(ref);
  const object = oid === null ? null : await engine.read(oid);
  const value = object?.type === 'blob' ? parseLease(object.data.toString('utf8')) : 'none';
  return oid === null || typeof value === 'string' ? null : { kind: 'value', oid, value };
}
