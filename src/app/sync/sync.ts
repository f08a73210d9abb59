// `git owl sync`: state, and refs of open work, of this clone and a remote come together (05, S1).

import { OwlError } from '../../domain/errors.js';
import type { Oid, RefName } from '../../domain/git.js';
import type { JobId } from '../../domain/job.js';
import { ROUND_PREFIX } from '../../domain/names.js';
import type { PublishedContest } from '../../domain/side-merge.js';
import { lookAtRefs } from '../../git/push.js';
import { SHARED_PREFIX, STATE_REF } from '../../state/layout.js';
import { loadStateAt } from '../../state/load-state.js';
import type { Damage } from '../../state/types.js';
import { sharedRef } from '../claims/refs.js';
import { currentPolicy } from '../policy.js';
import type { Workbench } from '../workbench.js';
import { wantedTips } from './bring-tips.js';
import { type Exchanged, exchangeState } from './exchange.js';
import { type ExchangedRefs, exchangeRefs } from './refs.js';
import { lackingTips } from './send-tips.js';
import { contestedHere, type SettledRecord, settleContested, type TakeRequest } from './settle.js';
import { forgetSides, publishContest } from './sides.js';

export interface SyncRequest {
  /** `--remote`; undefined: the base's remote. */
  readonly remote: string | undefined;
  readonly take: TakeRequest | null;
}

export interface Synced extends Omit<Exchanged, 'taken' | 'along'>, ExchangedRefs {
  /** With `--dry-run`: what would be; `unknown` where the remote has commits that are not here. */
  readonly taken: Exchanged['taken'] | 'unknown';
  readonly contested: readonly PublishedContest[];
  readonly settled: readonly SettledRecord[];
  /** Records that cannot be read, wherever they came from. */
  readonly damaged: readonly Omit<Damage, 'kind'>[];
}

/** Throws OwlError `missing-remote`, and what `exchangeState` and `settleContested` throw. */
export async function syncState(bench: Workbench, request: SyncRequest): Promise<Synced> {
  const remote = await syncRemote(bench, request.remote);
  if (bench.dryRun) return foresee(bench, remote, request.take);
  const { take } = request;
  const settled: SettledRecord[] = [];
  const settle = async (): Promise<void> => {
    if (take !== null) settled.push(...(await settleContested(bench, take)));
  };
  // What is known to be contested is settled also where the remote cannot be reached.
  await settle();
  const exchanged = await exchangeState(bench, remote, { between: take?.record === null ? settle : undefined });
  const refs = await exchangeRefs(bench, remote);
  const contested = await contestedHere(bench);
  await forgetSides(bench, contested);
  const { along: _, ...state } = exchanged;
  // A branch of a Round goes with a commit of the state.
  const further = refs.shared.some((ref) => ref.startsWith(`refs/heads/${ROUND_PREFIX}`));
  const tip = further ? await (await bench.repository.engine()).resolve(STATE_REF) : state.tip;
  return {
    ...state,
    ...refs,
    tip,
    settled,
    damaged: await damagedHere(bench),
    contested: await Promise.all(contested.map((work) => publishContest(bench, work))),
  };
}

/** What is contested is told apart from it. */
async function damagedHere(bench: Workbench): Promise<readonly Omit<Damage, 'kind'>[]> {
  const damages = await (await bench.store.snapshot()).damages();
  return damages.flatMap(({ kind, path, why }) => (kind === 'contested' ? [] : [{ path, why }]));
}

/** The one remote of state, leases, claims and targets (03). Throws OwlError `missing-remote`. */
export async function syncRemote(bench: Workbench, option: string | undefined): Promise<string> {
  const { remotes } = await bench.remotes();
  const remote = option ?? (remotes.length === 0 ? null : (await currentPolicy(bench, {})).base.remote);
  if (remote !== null && remotes.includes(remote)) return remote;
  const what = remote === null ? 'there is no remote to share the state with' : `there is no remote ${remote}`;
  throw new OwlError('missing-remote', what, {
    preserved: ['the state here is whole'],
    next: ['git remote add origin <url>'],
  });
}

/** What a sync would do, without a fetch: nothing is written. */
async function foresee(bench: Workbench, remote: string, take: TakeRequest | null): Promise<Synced> {
  const look = await lookAtRefs(bench.repository, { remote, refs: [STATE_REF, `${SHARED_PREFIX}*`] });
  if (look.kind === 'failed')
    throw new OwlError('remote', `the state of ${remote} could not be reached: ${look.reason}`, {
      preserved: ['nothing was changed'],
      next: ['git owl doctor'],
    });
  const { engine } = await bench.store.env();
  const ours = await engine.resolve(STATE_REF);
  const theirs = look.refs.get(STATE_REF) ?? null;
  const { taken, pushed } = await relation(bench, ours, theirs);
  const settled = take === null ? [] : await settleContested(bench, take);
  const left = (await contestedHere(bench)).filter(({ id }) => settled.every((one) => one.id !== id));
  const contested = await Promise.all(left.map((work) => publishContest(bench, work)));
  const shared = (await lackingTips(bench, look.refs)).map(({ ref }) => ref);
  const none = { rewritten: null, settled, shared, folded: [], damaged: await damagedHere(bench) };
  const tips = await foreseenTips(bench, look.refs, taken === 'created' || taken === 'forwarded' ? theirs : ours);
  return { ...none, remote, taken, pushed, tip: ours, contested, tips };
}

/** Jobs whose branch would be made or moved, as far as the state that would be here is known: the remote has their tip. */
async function foreseenTips(
  bench: Workbench,
  there: ReadonlyMap<RefName, Oid>,
  state: Oid | null,
): Promise<readonly JobId[]> {
  const env = await bench.store.env();
  if (state === null || (await env.engine.exists([state]))[0] !== true) return [];
  const { openJobs } = await loadStateAt(env, state);
  const jobs = await wantedTips(bench, await openJobs());
  return jobs.filter((job) => there.get(sharedRef(job.id)) === job.tip).map(({ id }) => id);
}

async function relation(
  bench: Workbench,
  ours: Oid | null,
  theirs: Oid | null,
): Promise<Pick<Synced, 'taken' | 'pushed'>> {
  if (ours === theirs) return { taken: 'nothing', pushed: false };
  if (theirs === null) return { taken: 'nothing', pushed: true };
  if (ours === null) return { taken: 'created', pushed: false };
  const engine = await bench.repository.engine();
  if ((await engine.exists([theirs]))[0] !== true) return { taken: 'unknown', pushed: true };
  if ((await engine.isAncestor(ours, theirs)) === 'ancestor') return { taken: 'forwarded', pushed: false };
  if ((await engine.isAncestor(theirs, ours)) === 'ancestor') return { taken: 'nothing', pushed: true };
  return { taken: 'merged', pushed: true };
}
