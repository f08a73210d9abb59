// Work that the state of the remote shows at work, of a runner that does not renew its claim any more: nobody else may do it while
// that stands, so it is settled as interrupted, under the next claim (01, Liveness; 05, S7).

import { decideLease } from '../../domain/lease.js';
import { isAlive } from '../../system/processes.js';
import { settleDeadGoal } from '../goal/dead.js';
import { withLease } from '../lease/lease.js';
import { noteSight } from '../lease/notes.js';
import { leasePlace } from '../lease/place.js';
import { settleDead } from '../run/recover.js';
import { exchangeState } from '../sync/exchange.js';
import type { Workbench } from '../workbench.js';
import { fenceOf, publishAndRelease } from './claimed.js';
import { claimRef } from './refs.js';
import { claimIn, recordOf, type Unit } from './unit.js';

const WHY = 'its runner does not renew its claim';

/** Only where there is a claim that ran out: a runner without one may be at work for as long as it likes. */
export async function takeOverExpired(bench: Workbench, remote: string): Promise<void> {
  const snapshot = await bench.store.snapshot();
  const here = await bench.environment.process();
  const goals = await snapshot.openGoals();
  const jobs = (await snapshot.openJobs()).filter((job) => job.goal === null);
  for (const record of [...goals, ...jobs]) {
    const claim = claimIn(record);
    if (claim === null || isAlive(claim, here) !== 'elsewhere') continue;
    const unit: Unit = { kind: record.kind, id: record.id };
    const where = { target: record.id, remote, ref: claimRef(record.id) };
    if (!(await hasExpired(bench, where, { ...unit, occurrence: record.occurrence }))) continue;
    const request = { ...where, unit: { ...unit, occurrence: record.occurrence }, wait: 0, floor: record.token ?? 0 };
    await withLease(bench, request, async (lease) => {
      await exchangeState(bench, remote);
      const now = await recordOf(bench, unit);
      if (claimIn(now)?.run === claim.run) {
        const fenced = { ...bench, fence: fenceOf(bench, remote, lease) };
        bench.say(now.kind === 'job' ? await settleDead(fenced, now, WHY) : await settleDeadGoal(fenced, now, WHY));
      }
      await publishAndRelease(bench, remote, unit, lease);
    });
  }
}

async function hasExpired(
  bench: Workbench,
  where: Parameters<typeof leasePlace>[1],
  unit: Parameters<typeof decideLease>[0]['unit'],
): Promise<boolean> {
  const place = leasePlace(bench, where);
  const read = await place.read();
  if (read.kind !== 'value' || read.value.holder === null) return false;
  const sight = await noteSight(bench, place.name, read);
  const decision = decideLease({ read, sight, now: bench.clock.now(), unit, holder: null });
  return decision.kind === 'take' && decision.how === 'expired';
}
