// The state of this clone and that of a remote are brought together: fetched whole, merged here, pushed with the value that was
// read; again when the remote moved meanwhile, a bounded number of times (05, S1, S2, S5, S6).

import { isOwlError, OwlError } from '../../domain/errors.js';
import type { Oid } from '../../domain/git.js';
import { isRoundJob } from '../../domain/names.js';
import { type PushedRef, type PushUpdate, pushRefs } from '../../git/push.js';
import { loadRoot } from '../../state/guard.js';
import { STATE_REF } from '../../state/layout.js';
import { takeIn } from '../../state/merge-states.js';
import { refuseNewer } from '../../state/newer.js';
import { remoteNote, remoteNoteName } from '../../state/remote-note.js';
import type { StoreEnv } from '../../state/store-env.js';
import { failpoint } from '../../system/failpoint.js';
import { fetchState, trackedState } from '../state-share/part.js';
import type { Workbench } from '../workbench.js';
import { noteArrival } from './arrive.js';
import { SHARED_NOTE } from './shared.js';

export interface Exchanged {
  readonly remote: string;
  /** What the state here took in: nothing, all of it since there was none, later commits, or a merge. */
  readonly taken: 'nothing' | 'created' | 'forwarded' | 'merged';
  readonly pushed: boolean;
  /** The state as both have it now; null: neither has one. */
  readonly tip: Oid | null;
  /** The history of the remote's state was rewritten: what it had before. */
  readonly rewritten: Oid | null;
  /** What went along; empty: nothing was asked for. */
  readonly along: readonly PushedRef[];
}

export interface ExchangeOptions {
  /** Called once what the remote has is taken in, and before it is pushed. */
  readonly between?: (() => Promise<void>) | undefined;
  /**
   * Goes in the same push as the state, all or nothing: hosts ask for few of them a minute (S5). Where one of these has another
   * value there, nothing is pushed, and that is returned.
   */
  readonly along?: readonly PushUpdate[] | undefined;
}

const TRIES = 6;
const PAUSE = 250;

/** Throws OwlError `remote`, `busy`, `foreign-state`, `newer-state`, `damaged-state`. */
export async function exchangeState(
  bench: Workbench,
  remote: string,
  options: ExchangeOptions = {},
): Promise<Exchanged> {
  const env = await bench.store.env();
  let taken: Exchanged['taken'] = 'nothing';
  let rewritten: Oid | null = null;
  let why = 'the state on it moves all the time';
  const along = options.along ?? [];
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    if (attempt > 0) await bench.clock.sleep((1 + bench.ids.random()) * PAUSE * 2 ** (attempt - 1), bench.signal);
    const before = (await remoteNote(env.engine, remote)) ?? (await env.engine.resolve(trackedState(remote)));
    bench.progress.step(`fetching the state of ${remote}`);
    const fetched = await fetchState(bench, remote);
    if (fetched.status === 'failed' && fetched.reason !== 'no-branch') throw unreachable(remote, fetched.reason);
    const theirs = fetched.status === 'fetched' ? fetched.oid : null;
    await failpoint('sync.after-fetch');
    if (theirs !== null) {
      if (before !== null && (await isRewritten(env, before, theirs))) {
        rewritten = before;
        await take(bench, env, remote, before);
      }
      taken = stronger(taken, await take(bench, env, remote, theirs));
    }
    await options.between?.();
    await settleStarts(bench);
    const ours = await env.engine.resolve(STATE_REF);
    if (ours === null || (ours === theirs && along.length === 0)) {
      if (ours !== null) await noteShared(bench, remote, ours);
      return { remote, taken, pushed: false, tip: ours, rewritten, along: [] };
    }
    await refuseToPush(bench);
    await failpoint('sync.before-push');
    bench.progress.step(`pushing the state to ${remote}`);
    const pushed = await pushRefs(bench.repository, {
      remote,
      updates: [{ ref: STATE_REF, old: theirs ?? 'absent', new: ours }, ...along],
      atomic: along.length > 0,
    });
    await failpoint('sync.after-push');
    const [ref, ...others] = pushed.refs;
    if (others.some(({ status }) => status === 'moved') && ref?.status !== 'done')
      return { remote, taken, pushed: false, tip: ours, rewritten, along: others };
    switch (ref?.status) {
      case 'done':
      case 'there':
        await env.engine.swap({ ref: trackedState(remote), old: theirs ?? 'absent', new: ours }, 'owl: state pushed');
        await noteShared(bench, remote, ours);
        return { remote, taken, pushed: true, tip: ours, rewritten, along: others };
      case 'declined':
        throw declined(remote, pushed.why ?? 'it gave no reason');
      case 'held-back':
        // It shows the ref to readers and not to writers, or it moved since: the next look tells.
        if (attempt >= 2) throw declined(remote, pushed.why ?? 'it cannot be updated');
        break;
      case 'moved':
        break;
      case 'unanswered':
        // It was asked what it has, and that is the old value: it answers, and takes no push of ours.
        why = pushed.why ?? 'it did not answer the push';
        if (attempt >= 2) throw notTaken(remote, why);
        break;
      default:
        why = pushed.why ?? 'it did not answer';
        if (attempt >= 2) throw unreachable(remote, why);
    }
  }
  throw new OwlError('busy', `the state could not be brought to ${remote} in ${TRIES} tries: ${why}`, {
    preserved: [KEPT],
    next: ['git owl sync'],
  });
}

/** Loaded where there is the Job of a Round. */
async function settleStarts(bench: Workbench): Promise<void> {
  if (!(await (await bench.store.snapshot()).openJobs()).some(isRoundJob)) return;
  const { closeStartedTwice } = await import('../goal/started-twice.js');
  for (const line of await closeStartedTwice(bench)) bench.say(line);
}

const KEPT = 'the state here is whole; the next git owl sync carries it';

const unreachable = (remote: string, why: string): OwlError =>
  new OwlError('remote', `the state of ${remote} could not be reached: ${why}`, {
    preserved: [KEPT],
    next: ['git owl doctor', 'git owl sync'],
  });

const notTaken = (remote: string, why: string): OwlError =>
  new OwlError('remote', `${remote} can be read, and refine/state could not be pushed there: ${why}`, {
    preserved: [KEPT],
    next: ['git owl doctor', 'git owl sync'],
  });

const declined = (remote: string, why: string): OwlError =>
  new OwlError('remote', `${remote} declined refine/state: ${why}`, {
    preserved: [KEPT],
    next: [`git ls-remote ${remote} ${STATE_REF}`, 'git owl sync'],
  });

const ORDER = ['nothing', 'forwarded', 'created', 'merged'] as const;
const stronger = (one: Exchanged['taken'], other: Exchanged['taken']): Exchanged['taken'] =>
  ORDER.indexOf(one) >= ORDER.indexOf(other) ? one : other;

async function take(bench: Workbench, env: StoreEnv, remote: string, theirs: Oid): Promise<Exchanged['taken']> {
  const ours = await env.engine.resolve(STATE_REF);
  if (ours === theirs) return 'nothing';
  try {
    if (ours !== null)
      await refuseNewer(env.objects, await loadRoot(env.objects, ours), await loadRoot(env.objects, theirs));
    const taken = await takeIn(env, theirs, {
      unrelated: ours !== null && (await isFirstUse(bench, env, remote)),
      before: (from, next) => noteArrival(bench, env, { ours: from, next }),
    });
    switch (taken.kind) {
      case 'same':
        return 'nothing';
      case 'taken':
        return ours === null ? 'created' : taken.tip === theirs ? 'forwarded' : 'merged';
      case 'foreign':
        throw foreign(remote, taken.why);
      case 'busy':
        throw new OwlError('busy', 'the state here changes all the time', {
          preserved: [KEPT],
          next: ['git owl sync'],
        });
    }
  } catch (error) {
    if (isOwlError(error, 'foreign-state') && error.data['remote'] === undefined)
      throw foreign(remote, 'git owl did not make it');
    if (isOwlError(error, 'newer-state') || isOwlError(error, 'damaged-state'))
      throw new OwlError(error.code, `the state of ${remote} was not taken in: ${error.message}`, {
        preserved: [KEPT],
        next: error.next,
        data: error.data,
        cause: error,
      });
    throw error;
  }
}

/** Takes in what the remote has; pushes nothing. Throws as `exchangeState`. */
export async function takeState(bench: Workbench, remote: string): Promise<void> {
  const fetched = await fetchState(bench, remote);
  if (fetched.status === 'fetched') await take(bench, await bench.store.env(), remote, fetched.oid);
  else if (fetched.reason !== 'no-branch') throw unreachable(remote, fetched.reason);
}

const foreign = (remote: string, why: string): OwlError =>
  new OwlError('foreign-state', `refine/state on ${remote} belongs to another repository: ${why}`, {
    preserved: [KEPT, `${remote} is as it was`],
    next: [`git log -3 ${trackedState(remote)}`],
    data: { remote },
  });

const isRewritten = async (env: StoreEnv, before: Oid, now: Oid): Promise<boolean> =>
  before !== now && (await env.engine.isAncestor(before, now)) === 'not-ancestor';

/**
 * A state that was never shared, in a clone whose code comes from this very remote, is a first use: it joins the repository's.
 * One that was shared has its repository, and another id is another one's (S2, S9).
 */
async function isFirstUse(bench: Workbench, env: StoreEnv, remote: string): Promise<boolean> {
  if ((await bench.notes.read(SHARED_NOTE)) !== null) return false;
  const here = (await env.engine.list('refs/heads/')).filter(({ ref }) => !ref.startsWith('refs/heads/refine/'));
  const there = (await env.engine.list(`refs/remotes/${remote}/`)).filter(({ ref }) => !ref.includes('/refine/'));
  for (const { oid: theirs } of there) {
    for (const { oid: ours } of here) {
      const bases = ours === theirs ? [ours] : await env.engine.mergeBases(ours, theirs);
      if (Array.isArray(bases) && bases.length > 0) return true;
    }
  }
  return false;
}

async function noteShared(bench: Workbench, remote: string, tip: Oid): Promise<void> {
  if ((await bench.notes.read(SHARED_NOTE)) === null) await bench.notes.write(SHARED_NOTE, { remote }, 'absent');
  const name = remoteNoteName(remote);
  const before = await bench.notes.read<{ readonly tip: Oid }>(name);
  if (before?.value.tip !== tip) await bench.notes.write(name, { tip }, before?.oid ?? 'absent');
}

/** A state with records that this program does not know is not moved on there by it (S8). */
async function refuseToPush(bench: Workbench): Promise<void> {
  const newer = (await (await bench.store.snapshot()).damages()).find(({ kind }) => kind === 'newer');
  if (newer === undefined) return;
  throw new OwlError('newer-state', `the state was not pushed: ${newer.path} is of a newer git owl: ${newer.why}`, {
    preserved: [KEPT],
    next: ['git owl fsck', 'npm install --global git-owl@latest'],
  });
}
