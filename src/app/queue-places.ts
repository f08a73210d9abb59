// The one queue that Jobs, Goals without a Feature, and Features share: fractional keys, compared as text (J2, G3).

import { generateKeyBetween } from 'fractional-indexing';
import { isRoundJob } from '../domain/names.js';
import type { Snapshot, Tx } from '../state/types.js';

export interface Placed {
  readonly id: string;
  readonly position: string;
}

/** All that has a place in it, in order. */
export async function queuePlaces(
  tx: Pick<Snapshot, 'openJobs' | 'openGoals' | 'features'>,
): Promise<readonly Placed[]> {
  const jobs = (await tx.openJobs()).filter((job) => !isRoundJob(job));
  const goals = (await tx.openGoals()).filter((goal) => goal.feature === null);
  const all: readonly Placed[] = [...jobs, ...goals, ...(await tx.features())];
  return all.toSorted((one, two) => (one.position < two.position ? -1 : one.position > two.position ? 1 : 0));
}

/** A key behind all others. */
export const lastPosition = async (tx: Tx): Promise<string> =>
  generateKeyBetween((await queuePlaces(tx)).at(-1)?.position ?? null, null);

/** A key at place `at`, from 0, among these in their order. Equal keys can come from two clones: they are stepped over. */
export function positionAmong(others: readonly Placed[], at: number): string {
  const next = others[at];
  if (next === undefined) return generateKeyBetween(others.at(-1)?.position ?? null, null);
  const previous = others.slice(0, at).findLast((other) => other.position < next.position);
  return generateKeyBetween(previous?.position ?? null, next.position);
}
