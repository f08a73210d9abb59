// Claims of this clone whose process died, or whose work could not be published: that goes to the remote first, then they are given
// back, so that nobody does it again (05, S7).

import { newBlob } from '../../git/objects.js';
import { type PushUpdate, pushedAll, pushRefs } from '../../git/push.js';
import { canonical } from '../../state/canonical.js';
import { failpoint } from '../../system/failpoint.js';
import { isAlive } from '../../system/processes.js';
import { endDeadWork, settleDeadGoal } from '../goal/dead.js';
import { freed } from '../lease/give-back.js';
import { type Acquisition, deadAcquisitions, forgetOwn } from '../lease/notes.js';
import { leasePlace } from '../lease/place.js';
import { exchangeState } from '../sync/exchange.js';
import type { Workbench } from '../workbench.js';
import { type Ending, publishWork } from './publish.js';
import { isClaim } from './refs.js';
import { takeOverExpired } from './take-over.js';
import { claimIn, recordOf } from './unit.js';

/** The queue as the remote and this clone have it, before anything is taken from it. Throws as `exchangeState`. */
export async function exchangeQueue(bench: Workbench, remote: string): Promise<void> {
  if (!(await resumeClaims(bench, remote))) await exchangeState(bench, remote);
  await takeOverExpired(bench, remote);
}

interface Resumed extends Ending {
  readonly acquisition: Acquisition;
  /** For notes of this clone. */
  readonly name: string;
}

/** Returns whether the state was exchanged on the way. A remote that cannot be reached is said: the claims stay as they are. */
async function resumeClaims(bench: Workbench, remote: string): Promise<boolean> {
  const resumed: Resumed[] = [];
  for (const acquisition of await deadAcquisitions(bench)) {
    const { ref, holder, unit } = acquisition;
    if (ref === undefined || !isClaim(ref) || acquisition.remote !== remote) continue;
    const place = leasePlace(bench, acquisition);
    const read = await place.read();
    if (read.kind === 'failed' || (await isAtWork(bench, unit))) continue;
    if (read.kind !== 'value' || read.value.holder !== holder) {
      // It never arrived, or another runner has taken it over: of what both say then, the later claim counts.
      await forgetOwn(bench, place.name, holder);
      continue;
    }
    const release = await releaseOf(
      bench,
      { ref: place.ref, old: read.oid },
      canonical(freed(read.value, read.value.token)),
    );
    resumed.push({ unit, release, acquisition, name: place.name });
  }
  if (resumed.length === 0) return false;
  await failpoint('claim.before-resume');
  const published = await publishWork(bench, remote, resumed);
  for (const { unit, acquisition, release, name } of resumed) {
    const how = published.get(unit.id);
    const alone = how === 'alone' ? await pushRefs(bench.repository, { remote, updates: [release] }) : null;
    if (how === 'released' || how === 'lost' || (alone !== null && pushedAll(alone)))
      await forgetOwn(bench, name, acquisition.holder);
  }
  return [...published.values()].some((how) => how === 'released');
}

async function releaseOf(bench: Workbench, at: Pick<PushUpdate, 'ref' | 'old'>, text: string): Promise<PushUpdate> {
  const engine = await bench.repository.engine();
  const blob = newBlob(engine.format, text);
  await engine.write([blob]);
  return { ...at, new: blob.oid };
}

/** What it started could not be proven to be gone, or nobody knows yet whether its merge arrived. Dead Runs were settled before. */
async function isAtWork(bench: Workbench, unit: Acquisition['unit']): Promise<boolean> {
  const record = await recordOf(bench, unit);
  if (record.kind === 'goal' && record.claim !== null) {
    if (isAlive(record.claim, await bench.environment.process()) !== 'dead') return true;
    const waits = await endDeadWork(bench, record);
    if (waits !== null) return true;
    bench.say(await settleDeadGoal(bench, record, 'git owl was ended while it was carried'));
  }
  return claimIn(await recordOf(bench, unit)) !== null;
}
