// Leases of this clone whose process died, or could not give them back: given back, so that nobody waits for them to run out (G30).

import { failpoint } from '../../system/failpoint.js';
import { isClaim } from '../claims/refs.js';
import { readPublication } from '../publish/note.js';
import type { Workbench } from '../workbench.js';
import { freed } from './give-back.js';
import { type Acquisition, deadAcquisitions, forgetOwn, holderHere } from './notes.js';
import { leasePlace } from './place.js';

/** Milliseconds for each call to a remote: a writing command does not wait for long. */
const TIMEOUT = 10_000;

/** Called by writing commands, after publications were looked for. Silent: nothing is lost by a lease that stays. */
export async function resumeLeases(bench: Workbench): Promise<void> {
  for (const acquisition of await deadAcquisitions(bench)) {
    // Of a claim on a shared queue: once what was done under it is there (S7).
    if (acquisition.ref !== undefined && isClaim(acquisition.ref)) continue;
    if (await mayGo(bench, acquisition)) await giveBack(bench, acquisition);
  }
}

/** Would the next command that writes give this one back? */
export async function isLeft(bench: Workbench, holder: string): Promise<boolean> {
  const dead = (await deadAcquisitions(bench)).find((one) => one.holder === holder);
  return dead !== undefined && (dead.ref === undefined || !isClaim(dead.ref)) && (await mayGo(bench, dead));
}

/** Not while nobody knows what was sent under it, and not that of a Goal which goes on under it. */
async function mayGo(bench: Workbench, { unit }: Acquisition): Promise<boolean> {
  const note = await readPublication(bench, unit);
  if (note !== null && note.value.step !== 'looked') return false;
  if (unit.kind === 'job') return true;
  const goal = await (await bench.store.snapshot()).goal(unit.id);
  return goal.kind !== 'found' || goal.record.status !== 'governance';
}

async function giveBack(bench: Workbench, acquisition: Acquisition): Promise<void> {
  const place = leasePlace(bench, acquisition, TIMEOUT);
  const read = await place.read();
  if (read.kind === 'failed') return;
  if (read.kind === 'value' && read.value.holder === acquisition.holder) {
    // Its unit goes on under it meanwhile, in another process: noted before it took it.
    if ((await holderHere(bench, place.name, read.value)) !== 'dead') return;
    await failpoint('lease.before-resume');
    const swap = await place.swap(read.oid, freed(read.value, read.value.token));
    if (swap.kind !== 'moved') return;
  }
  await forgetOwn(bench, place.name, acquisition.holder);
}
