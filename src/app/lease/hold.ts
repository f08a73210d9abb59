// A lease while it is held: renewed until the work ends, then given back, by itself or in a push of whoever held it (G30, S7).

import type { Oid } from '../../domain/git.js';
import type { LeaseValue } from '../../domain/lease.js';
import { newBlob } from '../../git/objects.js';
import type { PushUpdate } from '../../git/push.js';
import { canonical } from '../../state/canonical.js';
import { failpoint } from '../../system/failpoint.js';
import type { Workbench } from '../workbench.js';
import { freed, giveBack } from './give-back.js';
import { endOwn, forgetOwn } from './notes.js';
import type { LeasePlace } from './place.js';

export interface Lease {
  readonly token: number;
  /** `mine`: an acquisition of this unit that was interrupted goes on. */
  readonly how: 'free' | 'expired' | 'dead' | 'mine';
  /** Aborted when it was lost to somebody else, or could not be renewed in time. */
  readonly lost: AbortSignal;
  /** Renews, unless that was done a moment ago. Null: it is held. To be asked before anything is published. */
  confirm(): Promise<Unconfirmed | null>;
  /** Nobody can have taken it over yet, by both clocks of this machine: asks nobody. */
  fresh(): boolean;
  /**
   * Gives it back by a push of the caller's, which is given the update of its ref; then nothing is pushed at the end of the work.
   * `kept`: it is to stay, since what was done under it is not published. `alone`: it is still to be given back.
   */
  endWith(push: (release: PushUpdate) => Promise<'released' | 'lost' | 'kept' | 'alone'>): Promise<void>;
}

/** `lost`: somebody else has it, or may have. `unreachable`: the place that it lies at did not answer. */
interface Unconfirmed {
  readonly kind: 'lost' | 'unreachable';
  readonly why: string;
}

export interface Got {
  readonly kind: 'got';
  readonly how: Lease['how'];
  readonly oid: Oid;
  readonly value: LeaseValue;
  /** Before it was asked for. */
  readonly since: Instant;
}

/** Milliseconds, by the clock that nobody sets and by the one that people read. */
interface Instant {
  readonly elapsed: number;
  readonly now: number;
}

export const instant = ({ clock }: Workbench): Instant => ({ elapsed: clock.elapsed(), now: clock.now() });

/** Parts of its length: between two renewals (3 m of 10). */
const RENEWALS = 0.3;
/** In which a renewal is not made again: each is a call to the remote. */
const MOMENT = 1 / 600;
/** In which nobody can have taken it over, though a renewal may be late. */
const FRESH = 0.6;

/** Keeps it alive until it is released. */
export function hold(bench: Workbench, place: LeasePlace, got: Got): { lease: Lease; release(): Promise<void> } {
  const lost = new AbortController();
  const over = new AbortController();
  let { oid, value } = got;
  let renewed = got.since;
  let ended: 'released' | 'lost' | 'kept' | 'alone' = 'alone';
  let last: Promise<boolean> = Promise.resolve(true);
  /** Why the last renewal was not answered. */
  let silent: string | null = null;

  const renew = async (): Promise<boolean> => {
    if (lost.signal.aborted) return false;
    const next = { ...value, beat: value.beat + 1 };
    const began = instant(bench);
    const swap = await place.swap(oid, next);
    silent = null;
    if (swap.kind === 'moved') {
      oid = swap.oid;
      value = next;
      renewed = began;
      return true;
    }
    // An answer that was lost: the remote may have the new value all the same, and the next try finds the ref moved.
    const now = await place.read();
    if (now.kind === 'value' && now.value.holder === value.holder && now.value.token === value.token) {
      oid = now.oid;
      value = now.value;
      return false;
    }
    if (now.kind === 'failed') silent = now.reason;
    const gone = swap.kind === 'lost' && now.kind !== 'failed';
    if (gone || bench.clock.elapsed() - renewed.elapsed > value.length)
      lost.abort(`the lease of ${place.target} was lost`);
    return false;
  };
  /** One at a time, whoever asks. */
  const inTurn = (): Promise<boolean> => {
    last = last.then(renew, renew);
    return last;
  };
  const isFresh = (share: number): boolean => {
    // By both clocks: a machine that slept has not counted that in the one.
    const { elapsed, now } = instant(bench);
    const past = Math.max(elapsed - renewed.elapsed, Math.abs(now - renewed.now));
    return !lost.signal.aborted && past < value.length * share;
  };
  const confirm = async (): Promise<Unconfirmed | null> => {
    if (isFresh(MOMENT) || (await inTurn()) || (!lost.signal.aborted && (await inTurn()))) return null;
    if (silent === null) return { kind: 'lost', why: `the lease of ${place.target} was lost` };
    return { kind: 'unreachable', why: `the lease of ${place.target} could not be renewed: ${silent}` };
  };
  const beat = async (): Promise<void> => {
    while (!over.signal.aborted && !lost.signal.aborted) {
      await bench.clock.sleep(value.length * RENEWALS, over.signal);
      if (!over.signal.aborted) await inTurn();
    }
  };
  const beating = beat();
  const stop = async (): Promise<void> => {
    over.abort();
    await beating;
    await last.catch(() => false);
  };
  const endWith: Lease['endWith'] = async (push) => {
    await stop();
    const engine = await bench.repository.engine();
    const blob = newBlob(engine.format, canonical(freed(value, value.token)));
    await engine.write([blob]);
    ended = 'kept';
    ended = await push({ ref: place.ref, old: oid, new: blob.oid });
  };
  return {
    lease: { token: value.token, how: got.how, lost: lost.signal, confirm, fresh: () => isFresh(FRESH), endWith },
    release: async () => {
      await stop();
      await failpoint('lease.before-release');
      const back = ended === 'alone' ? await giveBack(bench, place, oid, value) : ended !== 'kept';
      if (value.holder !== null) await (back ? forgetOwn : endOwn)(bench, place.name, value.holder);
      await failpoint('lease.after-release');
    },
  };
}
