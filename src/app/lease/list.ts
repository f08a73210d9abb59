// `lease`: the leases that are known here and on the remotes, and breaking one by hand (G30).

import { OwlError } from '../../domain/errors.js';
import type { Oid, RefName } from '../../domain/git.js';
import { type LeaseRead, type LeaseUnit, type LeaseValue, parseLease, sayHolder } from '../../domain/lease.js';
import { fetchRef } from '../../git/fetch.js';
import { lookAtRefs } from '../../git/push.js';
import { listRemotes } from '../../git/remote.js';
import { STATE_REF } from '../../state/layout.js';
import { formatTimestamp } from '../../system/clock.js';
import type { Workbench } from '../workbench.js';
import { freed } from './give-back.js';
import { knownSight, noteSight } from './notes.js';
import { LEASES, type LeasePlace, leasePlace, leaseRef } from './place.js';
import { isLeft } from './resume.js';
import { leasesInState } from './state-door.js';

/** One lease as it is published. */
export interface ListedLease {
  readonly target: string | null;
  /** Where it was read; null: here, for a target that is published nowhere. */
  readonly remote: string | null;
  readonly ref: RefName;
  readonly state: 'free' | 'held' | 'expired' | 'damaged';
  readonly token: number | null;
  readonly unit: LeaseUnit | null;
  readonly length: number | null;
  /** First sight of this value here; null: this is the first one. */
  readonly seen: string | null;
  readonly expires: string | null;
}

export interface LeaseList {
  readonly items: readonly ListedLease[];
  /** Remotes that did not answer. */
  readonly notes: readonly string[];
}

const TIMEOUT = 15_000;

/** All of them. Reads only: the remotes are asked for their refs, and a value that is not here is fetched into its copy. */
export async function listLeases(bench: Workbench): Promise<LeaseList> {
  const engine = await bench.repository.engine();
  const items: ListedLease[] = [];
  const notes: string[] = [];
  const remote = new Set<RefName>();
  for (const name of await listRemotes(bench.repository)) {
    const look = await lookAtRefs(bench.repository, { remote: name, refs: [`${LEASES}*`], timeout: TIMEOUT });
    if (look.kind === 'failed') {
      notes.push(`${name} could not be asked for its leases: ${look.reason}`);
      continue;
    }
    for (const ref of look.refs.keys()) {
      remote.add(ref);
      items.push(await listed(bench, { ref, remote: name }, await fetchedValue(bench, name, ref)));
    }
    for (const oid of await leasesInState(bench, name)) {
      const read = readText(oid, await textOf(bench, oid));
      const at = read.kind === 'value' ? leaseRef(read.value.target) : STATE_REF;
      if (!remote.has(at)) items.push(await listed(bench, { ref: STATE_REF, remote: name }, read));
    }
  }
  for (const { ref, oid } of await engine.list(LEASES)) {
    if (remote.has(ref)) continue;
    items.push(await listed(bench, { ref, remote: null }, readText(oid, await textOf(bench, oid))));
  }
  return { items: items.sort((one, two) => (one.ref < two.ref ? -1 : 1)), notes };
}

async function textOf(bench: Workbench, oid: Oid): Promise<string | null> {
  const object = await (await bench.repository.engine()).read(oid);
  return object?.type === 'blob' ? object.data.toString('utf8') : null;
}

function readText(oid: Oid, text: string | null): LeaseRead {
  if (text === null) return { kind: 'damaged', oid, why: 'it is no lease' };
  const value = parseLease(text);
  return typeof value === 'string' ? { kind: 'damaged', oid, why: value } : { kind: 'value', oid, value };
}

async function fetchedValue(bench: Workbench, remote: string, ref: RefName): Promise<LeaseRead> {
  const fetched = await fetchRef(bench.repository, { remote, from: ref, to: ref, timeout: TIMEOUT });
  if (fetched.status === 'failed') return { kind: 'failed', reason: fetched.reason };
  return readText(fetched.oid, await textOf(bench, fetched.oid));
}

async function listed(
  bench: Workbench,
  where: { readonly ref: RefName; readonly remote: string | null },
  read: LeaseRead,
): Promise<ListedLease> {
  const none = { ...where, token: null, unit: null, length: null, seen: null, expires: null };
  if (read.kind !== 'value') return { ...none, target: null, state: read.kind === 'absent' ? 'free' : 'damaged' };
  const { value } = read;
  const { target, token, unit, length } = value;
  const base = { ...none, target, token, unit, length };
  if (value.holder === null) return { ...base, state: 'free' };
  const place = leasePlace(bench, { target, remote: where.remote });
  const sight = await knownSight(bench, place.name, read);
  const expires = sight.since + length;
  return {
    ...base,
    state: expires <= bench.clock.now() ? 'expired' : 'held',
    seen: formatTimestamp(sight.since),
    expires: formatTimestamp(expires),
  };
}

/**
 * Takes a lease from whoever holds it: the holder's next renewal finds that it is lost. Only with `force` (G30).
 * Throws OwlError `unknown-id`, `refused`, `remote`, `busy`.
 */
export async function breakLease(
  bench: Workbench,
  where: { readonly target: string; readonly remote: string | null },
  force: boolean,
): Promise<{ readonly lease: ListedLease; readonly broken: boolean }> {
  const place = leasePlace(bench, where, TIMEOUT);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const read = await place.read();
    if (read.kind === 'failed') throw unreachable(place, read.reason);
    if (read.kind === 'absent') {
      throw new OwlError('unknown-id', `there is no lease of ${place.target}${at(place)}`, { next: ['git owl lease'] });
    }
    const old = await listed(bench, place, read);
    if (read.kind === 'value' && read.value.holder === null) return { lease: old, broken: false };
    // What is given back first where something may be written.
    if (bench.dryRun && read.kind === 'value' && (await isLeft(bench, read.value.holder ?? '')))
      return { lease: { ...old, state: 'free', unit: null }, broken: false };
    if (!force) throw notByItself(place, read);
    if (bench.dryRun) return { lease: old, broken: true };
    const sight = await noteSight(bench, place.name, read);
    const swap = await place.swap(read.oid, brokenValue(place, read, sight.token));
    if (swap.kind === 'moved') {
      const now = await place.read();
      await noteSight(bench, place.name, now);
      return { lease: await listed(bench, place, now), broken: true };
    }
    if (swap.kind !== 'lost') throw unreachable(place, swap.why);
  }
  throw new OwlError('busy', `the lease of ${place.target} moves faster than it can be broken`, {
    preserved: ['nothing was changed'],
    next: ['git owl lease'],
  });
}

function brokenValue(place: LeasePlace, read: Extract<LeaseRead, { oid: Oid }>, token: number): LeaseValue {
  if (read.kind === 'value') return freed(read.value, Math.max(read.value.token, token) + 1);
  const { target } = place;
  return { schema: 1, kind: 'lease', target, token: token + 1, holder: null, unit: null, length: 0, beat: 0 };
}

const at = (place: LeasePlace): string => (place.remote === null ? '' : ` on ${place.remote}`);

const unreachable = (place: LeasePlace, why: string): OwlError =>
  new OwlError('remote', `the lease of ${place.target}${at(place)} cannot be reached: ${why}`, {
    preserved: ['nothing was changed'],
    next: ['git owl doctor'],
  });

const notByItself = (place: LeasePlace, read: LeaseRead): OwlError =>
  new OwlError(
    'refused',
    read.kind === 'value'
      ? `the lease of ${place.target} is held by ${sayHolder(read.value)}; one that expires is taken over by itself`
      : `the lease of ${place.target} is damaged`,
    { preserved: ['nothing was changed'], next: [`git owl lease --break ${place.target} --force`] },
  );
