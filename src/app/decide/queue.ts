// `extend` and `reorder`: attempts and place of a Job (J2, J3).

import { OwlError } from '../../domain/errors.js';
import type { Job } from '../../domain/job.js';
import { mayHappen, moveJob, wrongState } from '../../domain/machine.js';
import { TTL_LIMIT } from '../../domain/policy.js';
import { resolveWorkId } from '../../state/resolve-id.js';
import type { Tx, Updated } from '../../state/types.js';
import { changeJob } from '../jobs.js';
import { lastPosition, positionAmong, queuePlaces } from '../queue-places.js';
import type { Workbench } from '../workbench.js';

/** Adds Runs; an exhausted Job is pending again, in its place. Throws OwlError `usage`, `wrong-state`. */
export async function extendJob(bench: Workbench, id: string, runs: number): Promise<Updated<Job>> {
  if (!Number.isInteger(runs) || runs < 1 || runs > TTL_LIMIT) {
    throw new OwlError('usage', `extend takes a whole number of Runs from 1 to ${TTL_LIMIT}, not ${runs}`);
  }
  return changeJob(bench, id, 'extend', { runs }, (job, tx) => {
    const to = job.state === 'exhausted' ? 'pending' : job.state;
    const ttl = job.ttl + runs;
    const moved = moveJob(
      job,
      { event: 'extend', to, op: tx.op, at: tx.now },
      {
        ttl,
        reason: job.state === 'exhausted' ? null : job.reason,
      },
    );
    return {
      job: moved,
      event: 'job.extended',
      subject: `job ${job.id}: ${runs === 1 ? '1 more Run' : `${runs} more Runs`}, ${ttl} left`,
    };
  });
}

export type Place =
  | { readonly kind: 'first' }
  | { readonly kind: 'last' }
  | { readonly kind: 'before'; readonly id: string };

/** Gives a Job another place in the queue. Throws OwlError `wrong-state`, `usage`. */
export async function reorderJob(bench: Workbench, id: string, place: Place): Promise<Updated<Job>> {
  return changeJob(bench, id, 'reorder', { place }, async (job, tx) => {
    if (!mayHappen(job.state, 'reorder')) throw wrongState(job, 'reorder');
    const position = await positionAt(tx, job, place);
    const moved = moveJob(job, { event: 'reorder', to: job.state, op: tx.op, at: tx.now }, { position });
    return { job: moved, event: 'job.reordered', subject: `job ${job.id}: moved ${sayPlace(place)}` };
  });
}

/** Before a Job, or before a Goal that has a place in the queue itself. */
async function positionAt(tx: Tx, job: Job, place: Place): Promise<string> {
  if (place.kind === 'last') return lastPosition(tx);
  const others = (await queuePlaces(tx)).filter((other) => other.id !== job.id);
  if (place.kind === 'first') return positionAmong(others, 0);
  const { id } = await resolveWorkId(tx, place.id);
  const at = others.findIndex((other) => other.id === id);
  if (at < 0) throw new OwlError('usage', `${id} has no place in the queue to go before`);
  return positionAmong(others, at);
}

const sayPlace = (place: Place): string =>
  place.kind === 'before' ? `before ${place.id}` : `to the ${place.kind === 'first' ? 'front' : 'end'}`;
