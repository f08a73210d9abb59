// One Job of a queue that several machines share (05, S7): taken by a claim on the remote, carried, published, released. The
// claim is a lease whose name is the Job's; what decides is the state: it must still be pending at the occurrence in the claim.

import { OwlError } from '../../domain/errors.js';
import type { Job, JobId } from '../../domain/job.js';
import { stands } from '../../domain/machine.js';
import { failpoint } from '../../system/failpoint.js';
import { foundJob } from '../jobs.js';
import { withLease } from '../lease/lease.js';
import { exchangeState, takeState } from '../sync/exchange.js';
import type { Workbench } from '../workbench.js';
import { publishWork, sayOnly } from './publish.js';
import { claimRef } from './refs.js';
import { bringTip } from './tip.js';

export type Claimed<T> =
  | { readonly kind: 'worked'; readonly value: T }
  | { readonly kind: 'not-now'; readonly error: OwlError };

/**
 * Does the work under the claim. Whatever comes of it, also by a signal, what was done is published, then the claim is released.
 * Throws OwlError `remote`, and what the work throws.
 */
export async function underClaim<T>(
  bench: Workbench,
  remote: string,
  id: JobId,
  work: (bench: Workbench) => Promise<T>,
): Promise<Claimed<T>> {
  const before = await jobHere(bench, id);
  const unit = { kind: 'job' as const, id, occurrence: before.occurrence };
  const request = { target: id, remote, ref: claimRef(id), unit, wait: 0, floor: before.token ?? 0 };
  const leased = await withLease(bench, request, async (lease) => {
    await exchangeState(bench, remote);
    const job = await jobHere(bench, id);
    if (job.state !== 'pending' || !stands(job, before.occurrence)) return null;
    await bringTip(bench, remote, job);
    await failpoint('claim.before-work');
    const holds = async (): Promise<boolean> => {
      if (lease.fresh() || (await lease.confirm()) === null || !lease.lost.aborted) return true;
      // Another runner has it by now: what it said counts, and this result is kept beside it.
      await takeState(bench, remote).catch(sayOnly(bench));
      return false;
    };
    try {
      return { value: await work({ ...bench, fence: { token: lease.token, holds } }) };
    } finally {
      await failpoint('claim.before-publish');
      await lease.endWith(async (release) => (await publishWork(bench, remote, [{ id, release }])).get(id) ?? 'kept');
      await failpoint('claim.after-publish');
    }
  });
  switch (leased.kind) {
    case 'worked':
      return leased.value === null ? notNow(id, 'another runner was faster') : { kind: 'worked', ...leased.value };
    case 'held':
      return notNow(id, 'another runner has it');
    case 'unreachable':
    case 'impossible':
      throw new OwlError('remote', `job ${id} cannot be claimed on ${remote}: ${leased.why}`, {
        preserved: ['nothing was changed'],
        next: ['git owl doctor', `git owl run ${id}`],
      });
  }
}

const jobHere = async (bench: Workbench, id: JobId): Promise<Job> =>
  foundJob(id, await (await bench.store.snapshot()).job(id));

const notNow = (id: JobId, why: string): Extract<Claimed<never>, { kind: 'not-now' }> => ({
  kind: 'not-now',
  error: new OwlError('busy', `job ${id} was not taken: ${why}`, {
    preserved: [`job ${id} is as it was`],
    next: ['git owl status'],
  }),
});
