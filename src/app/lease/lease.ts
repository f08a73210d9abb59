// Work under the lease of a target: acquired with a bounded, visible wait, renewed while the work goes on, released at its
// end (G30). The lease keeps others from working in vain; what decides is the compare-and-swap of the target itself.

import type { RefName } from '../../domain/git.js';
import { decideLease, type LeaseRead, type LeaseUnit, type LeaseValue, sayHolder } from '../../domain/lease.js';
import { failpoint } from '../../system/failpoint.js';
import type { Workbench } from '../workbench.js';
import { type Got, hold, instant, type Lease } from './hold.js';
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
  /** Token that the state knows of: it grows across refs that went (S7). */
  readonly floor?: number | undefined;
  /** What was read there a moment ago: the first try asks nobody. */
  readonly seen?: LeaseRead | undefined;
}

export type Leased<T> =
  | { readonly kind: 'worked'; readonly value: T }
  | { readonly kind: 'held'; readonly why: string; readonly by: LeaseValue }
  | { readonly kind: 'unreachable'; readonly why: string }
  /** The remote takes no such ref, or what it holds there is no lease. */
  | { readonly kind: 'impossible'; readonly why: string; readonly damaged: boolean };

/** Milliseconds without renewal after which others may take over (10 m). */
const LENGTH = 600_000;
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
  for (let { seen } = request; ; seen = undefined) {
    const read = seen ?? (await place.read());
    if (read.kind === 'failed') return { kind: 'unreachable', why: read.reason };
    const sight = await noteSight(bench, place.name, read);
    const here = read.kind === 'value' ? await holderHere(bench, place.name, read.value) : null;
    const floor = request.floor ?? 0;
    const facts = { read, sight: { ...sight, token: Math.max(sight.token, floor) }, now: bench.clock.now() };
    const decision = decideLease({ ...facts, unit: request.unit, holder: here });
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
