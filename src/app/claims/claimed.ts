// One Job or Goal of a queue that several machines share (05, S7): taken by a claim on the remote, carried, published, released. The
// claim is a lease whose name is the unit's; what decides is the state: it must still be to do at the occurrence in the claim.

import { isOwlError, OwlError } from '../../domain/errors.js';
import type { LeaseRead } from '../../domain/lease.js';
import { failpoint } from '../../system/failpoint.js';
import type { Lease } from '../lease/hold.js';
import { withLease } from '../lease/lease.js';
import { exchangeState, takeState } from '../sync/exchange.js';
import type { Fence, Workbench } from '../workbench.js';
import { needWork } from './elsewhere.js';
import { publishWork, sayOnly } from './publish.js';
import { claimRef } from './refs.js';
import { bringTip } from './tip.js';
import { HELD, mayBegin, needCandidate, notTaken, recordOf, type Unit, workOf } from './unit.js';

export type Claimed<T> =
  | { readonly kind: 'worked'; readonly value: T }
  /** `lost`: another runner has the claim. */
  | { readonly kind: 'not-now'; readonly error: OwlError; readonly lost: boolean };

/**
 * Does the work under the claim; `seen`: what the remote had there a moment ago. Whatever comes of it, also by a signal, what was done is published, then the claim is released.
 * Throws OwlError `remote`, and what the work throws.
 */
export async function underClaim<T>(
  bench: Workbench,
  remote: string,
  unit: Unit,
  work: (bench: Workbench) => Promise<T>,
  seen?: LeaseRead | undefined,
): Promise<Claimed<T>> {
  const { kind, id } = unit;
  const before = await recordOf(bench, unit);
  const request = {
    target: id,
    remote,
    ref: claimRef(id),
    unit: { kind, id, occurrence: before.occurrence },
    wait: 0,
    floor: before.token ?? 0,
    seen,
  };
  const leased = await withLease(bench, request, async (lease): Promise<Claimed<T>> => {
    await exchangeState(bench, remote);
    const now = await recordOf(bench, unit);
    if (!mayBegin(now, before))
      return { kind: 'not-now', error: notTaken(unit, 'another runner was faster'), lost: false };
    const job = await workOf(bench, unit);
    if (job !== null) await bringTip(bench, remote, job);
    try {
      await needCandidate(bench, now);
      if (now.kind === 'job') await needWork(bench, now);
    } catch (error) {
      if (isOwlError(error)) return { kind: 'not-now', error, lost: false };
      throw error;
    }
    await failpoint('claim.before-work');
    try {
      return { kind: 'worked', value: await work({ ...bench, fence: fenceOf(bench, remote, lease) }) };
    } finally {
      await failpoint('claim.before-publish');
      await publishAndRelease(bench, remote, unit, lease);
    }
  });
  switch (leased.kind) {
    case 'worked':
      return leased.value;
    case 'held':
      return { kind: 'not-now', error: notTaken(unit, HELD), lost: true };
    case 'unreachable':
    case 'impossible':
      throw new OwlError('remote', `${kind} ${id} cannot be claimed on ${remote}: ${leased.why}`, {
        preserved: ['nothing was changed'],
        next: ['git owl doctor', `git owl run ${id}`],
      });
  }
}

export const fenceOf = (bench: Workbench, remote: string, lease: Lease): Fence => ({
  token: lease.token,
  holds: async () => {
    if (lease.fresh() || (await lease.confirm()) === null || !lease.lost.aborted) return true;
    // Another runner has it by now: what it said counts, and this result is kept beside it.
    await takeState(bench, remote).catch(sayOnly(bench));
    return false;
  },
});

export async function publishAndRelease(bench: Workbench, remote: string, unit: Unit, lease: Lease): Promise<void> {
  await lease.endWith(
    async (release) => (await publishWork(bench, remote, [{ unit, release }])).get(unit.id) ?? 'kept',
  );
  await failpoint('claim.after-publish');
}
