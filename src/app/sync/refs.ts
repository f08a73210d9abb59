// The refs of open work, of this clone and of the remote, come together once the state has (05, S1): one look at the remote for all,
// few fetches, one push. Leases and claims are only fetched.

import type { Oid, RefName } from '../../domain/git.js';
import type { JobId } from '../../domain/job.js';
import { ROUND_PREFIX } from '../../domain/names.js';
import { fetchSame } from '../../git/fetch.js';
import { lookAtRefs, type PushUpdate, pushRefs } from '../../git/push.js';
import { STATE_REF } from '../../state/layout.js';
import { failpoint } from '../../system/failpoint.js';
import { noteClaims } from '../claims/others.js';
import { CLAIMS } from '../claims/refs.js';
import { LEASES } from '../lease/place.js';
import { currentPolicy } from '../policy.js';
import type { Workbench } from '../workbench.js';
import { bringTips } from './bring-tips.js';
import { bringCandidates } from './candidates.js';
import { foldClosed } from './fold.js';
import { sendNewRounds } from './new-rounds.js';
import { exchangeRounds } from './rounds.js';
import { tipsToSend } from './send-tips.js';

export interface ExchangedRefs {
  /** Jobs whose branch was made, or followed, at the tip that another clone shared. */
  readonly tips: readonly JobId[];
  /** Refs of the remote that were moved to what this clone has. */
  readonly shared: readonly RefName[];
  /** Names of closed work that went from the remote, folded into its archive. */
  readonly folded: readonly RefName[];
}

/** What the remote has of our refs; null where it could not be asked, and that is said. */
export async function lookAtOurs(bench: Workbench, remote: string): Promise<ReadonlyMap<RefName, Oid> | null> {
  const look = await lookAtRefs(bench.repository, { remote, refs: ['refs/owl/*', `refs/heads/${ROUND_PREFIX}*`] });
  if (look.kind === 'looked') return look.refs;
  bench.say(`the refs of open work on ${remote} could not be looked at: ${look.reason}`);
  return null;
}

/** A failure is said, and the next sync makes up for it: the state is what counts. */
export async function exchangeRefs(bench: Workbench, remote: string): Promise<ExchangedRefs> {
  const there = await lookAtOurs(bench, remote);
  if (there === null) return { tips: [], shared: [], folded: [] };
  await copyClaims(bench, remote, there);
  const tips = await bringTips(bench, remote, there);
  const candidates = await bringCandidates(bench, remote, there);
  const travel = await roundsTravel(bench);
  const rounds = travel ? await exchangeRounds(bench, remote, there) : { brought: [], updates: [] };
  const moved = rounds.updates.filter(({ old }) => old !== 'absent');
  const updates = [...(await tipsToSend(bench, there)), ...(travel ? [...candidates, ...moved] : [])];
  const sent = await send(bench, remote, updates);
  const made = rounds.updates.filter(({ old }) => old === 'absent');
  const fresh = await sendNewRounds(bench, remote, { state: there.get(STATE_REF), updates: made });
  const shared = [...sent, ...fresh];
  return { tips: [...tips, ...rounds.brought], shared, folded: await foldClosed(bench, remote, there) };
}

async function roundsTravel(bench: Workbench): Promise<boolean> {
  if ((await (await bench.store.snapshot()).openGoals()).length === 0) return false;
  return (await currentPolicy(bench, {})).loaded.policy.sync.rounds;
}

async function send(bench: Workbench, remote: string, updates: readonly PushUpdate[]): Promise<readonly RefName[]> {
  if (updates.length === 0) return [];
  await failpoint('sync.before-refs');
  const { refs, why } = await pushRefs(bench.repository, { remote, updates });
  await failpoint('sync.after-refs');
  if (why !== null) bench.say(`not all refs of open work went to ${remote}: ${why}`);
  return refs.filter(({ status }) => status === 'done' || status === 'there').map(({ ref }) => ref);
}

/** Copies for people and for `run` (S7). A lease that this clone holds here, for a target that is published nowhere, is no copy. */
async function copyClaims(bench: Workbench, remote: string, there: ReadonlyMap<RefName, Oid>): Promise<void> {
  const engine = await bench.repository.engine();
  const snapshot = await bench.store.snapshot();
  const open = new Set([...(await snapshot.openJobs()), ...(await snapshot.openGoals())].map(({ id }) => id));
  const refs: RefName[] = [];
  for (const [ref, oid] of there) {
    const claim = ref.startsWith(CLAIMS) && open.has(ref.slice(CLAIMS.length));
    if ((!claim && !ref.startsWith(LEASES)) || (await engine.resolve(ref)) === oid) continue;
    const own = claim ? [] : await bench.notes.list(`lease/${ref.slice(LEASES.length)}`);
    if (own.length === 0) refs.push(ref);
  }
  const why = refs.length === 0 ? null : await fetchSame(bench.repository, { remote, refs });
  if (why !== null) bench.say(`leases and claims of ${remote} could not be fetched: ${why}`);
  else
    await noteClaims(
      bench,
      remote,
      refs.filter((ref) => ref.startsWith(CLAIMS)),
    );
}
