// Work under the lease of a target: acquired with a bounded, visible wait, renewed while the work goes on, released at its
// end (G30). The lease keeps others from working in vain; what decides is the compare-and-swap of the target itself.

import type { Oid, RefName } from '../../domain/git.js';
import { decideLease, type LeaseUnit, type LeaseValue, sayHolder } from '../../domain/lease.js';
import { failpoint } from '../../system/failpoint.js';
import type { Workbench } from '../workbench.js';
import { giveBack } from './give-back.js';
import { endOwn, forgetOthers, forgetOwn, holderHere, noteOwn, noteSight } from './notes.js';
import { type LeasePlace, leasePlace } from './place.js';

export interface LeaseRequest {
  /** Branch name, whole. */
  readonly target: string;
  /** Where the target is published; null: nowhere, the lease is local. */
  readonly remote: string | null;
  readonly unit: LeaseUnit;
  /** Of a claim: where it lies (S7). */
  readonly ref?: RefName | undefined;
  /** Milliseconds to wait for another holder; default 60 000, `OWL_LEASE_WAIT` of the environment. */
  readonly wait?: number | undefined;
}

export interface Lease {
  readonly token: number;
  /** `mine`: an acquisition of this unit that was interrupted goes on. */
  readonly how: 'free' | 'expired' | 'dead' | 'mine';
  /** Aborted when it was lost to somebody else, or could not be renewed in time. */
  readonly lost: AbortSignal;
  /** Renews, unless that was done a moment ago; false: it is lost. To be asked before anything is published. */
  confirm(): Promise<boolean>;
}

export type Leased<T> =
  | { readonly kind: 'worked'; readonly value: T }
  | { readonly kind: 'held'; readonly why: string; readonly by: LeaseValue }
  | { readonly kind: 'unreachable'; readonly why: string }
  /** The remote takes no such ref, or what it holds there is no lease. */
  | { readonly kind: 'impossible'; readonly why: string; readonly damaged: boolean };

/** Milliseconds without renewal after which others may take over (10 m), and between two renewals (3 m of them). */
const LENGTH = 600_000;
const RENEWALS = 0.3;
/** Part of the length in which a renewal is not made again: nobody can have taken it over, and each is a call to the remote. */
const FRESH = 1 / 60;
const WAIT = 60_000;
const POLL = 2_000;

/** Does the work under the lease. Throws what the work throws, after the release. */
export async function withLease<T>(
  bench: Workbench,
  request: LeaseRequest,
  work: (lease: Lease) => Promise<T>,
): Promise<Leased<T>> {
  const place = leasePlace(bench, request);
  const holder = bench.ids.operation();
  const sent = new Set<string>();
  const got = await acquire(bench, place, request, { holder, sent });
  // Noted before a try that was lost; an interrupted acquisition that goes on has its own holder.
  if (got.kind === 'got' ? got.value.holder !== holder : !sent.has(holder)) await forgetOwn(bench, place.name, holder);
  if (got.kind !== 'got') {
    for (const noted of sent) await endOwn(bench, place.name, noted);
    return got;
  }
  const held = hold(bench, place, got);
  await failpoint('lease.after-acquire');
  try {
    return { kind: 'worked', value: await work(held.lease) };
  } finally {
    await held.release();
  }
}

interface Got {
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

const instant = ({ clock }: Workbench): Instant => ({ elapsed: clock.elapsed(), now: clock.now() });

const number = (text: string | undefined, otherwise: number): number => {
  const value = Number(text);
  return text !== undefined && text !== '' && value >= 0 ? value : otherwise;
};

async function acquire(
  bench: Workbench,
  place: LeasePlace,
  request: LeaseRequest,
  /** `sent`: holders that the remote may have, though it did not say so. */
  { holder, sent }: { readonly holder: string; readonly sent: Set<string> },
): Promise<Got | Exclude<Leased<never>, { kind: 'worked' }>> {
  const { variables } = bench.environment;
  const wait = request.wait ?? number(variables['OWL_LEASE_WAIT'], WAIT);
  const length = number(variables['OWL_LEASE_LENGTH'], LENGTH);
  const until = bench.clock.elapsed() + wait;
  let said = '';
  let unanswered = 0;
  for (;;) {
    const read = await place.read();
    if (read.kind === 'failed') return { kind: 'unreachable', why: read.reason };
    const sight = await noteSight(bench, place.name, read);
    const here = read.kind === 'value' ? await holderHere(bench, place.name, read.value) : null;
    const decision = decideLease({ read, sight, now: bench.clock.now(), unit: request.unit, holder: here });
    if (decision.kind === 'damaged')
      return { kind: 'impossible', damaged: true, why: `the lease of ${place.target} is damaged: ${decision.why}` };
    if (decision.kind === 'held') {
      const why = `the lease of ${place.target} is held by ${sayHolder(decision.value)}`;
      const left = until - bench.clock.elapsed();
      if (left <= 0 || bench.signal.aborted) return { kind: 'held', why, by: decision.value };
      // Once for each holder: where standard error is no terminal, every line stays.
      if (said !== why) bench.say(`waiting: ${why}`);
      said = why;
      await bench.clock.sleep(Math.max(50, Math.min(POLL, left, decision.left)), bench.signal);
      continue;
    }
    const next = nextValue(place, request, length, decision, holder);
    await noteOwn(bench, place, next.holder ?? holder, request.unit);
    await failpoint('lease.before-take');
    const since = instant(bench);
    const swap = await place.swap('oid' in read ? read.oid : 'absent', next);
    if (swap.kind === 'unanswered' || decision.kind === 'mine') sent.add(next.holder ?? holder);
    await failpoint('lease.after-take');
    if (swap.kind === 'moved') {
      await forgetOthers(bench, place.name, next.holder);
      return { kind: 'got', how: decision.kind === 'mine' ? 'mine' : decision.how, oid: swap.oid, value: next, since };
    }
    if (swap.kind === 'declined' || (swap.kind === 'unanswered' && ++unanswered >= 3)) {
      return swap.kind === 'declined'
        ? { kind: 'impossible', damaged: false, why: swap.why }
        : { kind: 'unreachable', why: swap.why };
    }
  }
}

const nextValue = (
  place: LeasePlace,
  request: LeaseRequest,
  length: number,
  decision: { kind: 'take'; token: number } | { kind: 'mine'; value: LeaseValue },
  holder: string,
): LeaseValue =>
  decision.kind === 'mine'
    ? { ...decision.value, length, beat: decision.value.beat + 1 }
    : {
        schema: 1,
        kind: 'lease',
        target: place.target,
        token: decision.token,
        holder,
        unit: request.unit,
        length,
        beat: 0,
      };

/** Keeps it alive until it is released. */
function hold(bench: Workbench, place: LeasePlace, got: Got): { lease: Lease; release(): Promise<void> } {
  const lost = new AbortController();
  const over = new AbortController();
  let { oid, value } = got;
  let renewed = got.since;
  let last: Promise<boolean> = Promise.resolve(true);

  const renew = async (): Promise<boolean> => {
    if (lost.signal.aborted) return false;
    const next = { ...value, beat: value.beat + 1 };
    const began = instant(bench);
    const swap = await place.swap(oid, next);
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
  const isFresh = (): boolean => {
    // By both clocks: a machine that slept has not counted that in the one.
    const past = Math.max(bench.clock.elapsed() - renewed.elapsed, Math.abs(bench.clock.now() - renewed.now));
    return !lost.signal.aborted && past < value.length * FRESH;
  };
  const confirm = async (): Promise<boolean> =>
    isFresh() || (await inTurn()) || (!lost.signal.aborted && (await inTurn()));
  const beat = async (): Promise<void> => {
    while (!over.signal.aborted && !lost.signal.aborted) {
      await bench.clock.sleep(value.length * RENEWALS, over.signal);
      if (!over.signal.aborted) await inTurn();
    }
  };
  const beating = beat();
  return {
    lease: { token: value.token, how: got.how, lost: lost.signal, confirm },
    release: async () => {
      over.abort();
      await beating;
      await last.catch(() => false);
      await failpoint('lease.before-release');
      const back = await giveBack(bench, place, oid, value);
      if (value.holder !== null) await (back ? forgetOwn : endOwn)(bench, place.name, value.holder);
      await failpoint('lease.after-release');
    },
  };
}
