// The refs of open work, of this clone and of the remote, come together once the state has (05, S1): one look at the remote for all.

import type { Oid, RefName } from '../../domain/git.js';
import type { JobId } from '../../domain/job.js';
import { lookAtRefs } from '../../git/push.js';
import type { Workbench } from '../workbench.js';
import { bringTips } from './bring-tips.js';

export interface ExchangedRefs {
  /** Jobs whose branch was made, or followed, at the tip that another clone shared. */
  readonly tips: readonly JobId[];
}

/** What the remote has of our refs; null where it could not be asked, and that is said. */
export async function lookAtOurs(bench: Workbench, remote: string): Promise<ReadonlyMap<RefName, Oid> | null> {
  const look = await lookAtRefs(bench.repository, { remote, refs: ['refs/owl/*'] });
  if (look.kind === 'looked') return look.refs;
  bench.say(`the refs of open work on ${remote} could not be looked at: ${look.reason}`);
  return null;
}

/** A failure is said, and the next sync makes up for it: the state is what counts. */
export async function exchangeRefs(bench: Workbench, remote: string): Promise<ExchangedRefs> {
  const there = await lookAtOurs(bench, remote);
  if (there === null) return { tips: [] };
  return { tips: await bringTips(bench, remote, there) };
}
