// The lease of a target: what its ref holds, and who may take it now (G30). Pure.

import type { Oid } from './git.js';

/** Who works under a lease: one Job or Goal, in one occurrence. */
export interface LeaseUnit {
  readonly kind: 'job' | 'goal';
  readonly id: string;
  readonly occurrence: { readonly number: number; readonly decision: string };
}

/** What the ref of a lease holds. A released one stays, with its token. */
export interface LeaseValue {
  readonly schema: 1;
  readonly kind: 'lease';
  /** Branch name, whole. */
  readonly target: string;
  /** Only grows: each acquisition and each break is one more. */
  readonly token: number;
  /** Random, of one acquisition; null: free. */
  readonly holder: string | null;
  readonly unit: LeaseUnit | null;
  /** Milliseconds without a sign of life after which it may be taken over. */
  readonly length: number;
  /** Goes up at each renewal, so that the ref has another value. */
  readonly beat: number;
}

/** The ref as it was just read. `damaged` is not obeyed, and not taken for free. */
export type LeaseRead =
  | { readonly kind: 'absent' }
  | { readonly kind: 'value'; readonly oid: Oid; readonly value: LeaseValue }
  | { readonly kind: 'damaged'; readonly oid: Oid; readonly why: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** First sight of one value, by the clock of this clone; the token outlives the ref. */
export interface LeaseSight {
  readonly oid: Oid | null;
  readonly token: number;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

const DAY = 24 * 60 * 60 * 1000;
const JUMP = 1_000_000;

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Reads what a ref held. Text that came by sync is data: every field is looked at. */
export function parseLease(text: string): LeaseValue | string {
  let value: Partial<Record<keyof LeaseValue, unknown>>;
  try {
    value = JSON.parse(text);
  } catch {
    return 'not JSON';
  }
  if (typeof value !== 'object' || value === null || value.kind !== 'lease') return 'not a lease';
  if (value.schema !== 1)
    return `schema ${JSON.stringify(value.schema)?.slice(0, 20)}, which this program does not know`;
  const { target, token, holder, unit, length, beat } = value;
  if (typeof target !== 'string' || !isCount(token) || !isCount(beat)) return 'target, token or beat is not right';
  if (!isCount(length) || length > DAY) return 'a length of more than 24 hours';
  if (holder !== null && (typeof holder !== 'string' || !/^[a-z0-9]{1,64}$/.test(holder)))
    return 'its holder is not right';
  if (unit !== null && !isUnit(unit)) return 'its unit is not right';
  return { schema: 1, kind: 'lease', target, token, holder, unit, length, beat };
}

function isUnit(unit: unknown): unit is LeaseUnit {
  if (typeof unit !== 'object' || unit === null) return false;
  const { kind, id, occurrence } = unit as Partial<LeaseUnit>;
  if ((kind !== 'job' && kind !== 'goal') || typeof id !== 'string' || !/^[a-z][a-z0-9]{3,15}$/.test(id)) return false;
  return isCount(occurrence?.number) && typeof occurrence?.decision === 'string' && occurrence.decision.length <= 64;
}

/** The sight that counts: of the same value the first one, unless the clock was put back since. */
export function sightOf(before: LeaseSight | null, read: LeaseRead, now: number): LeaseSight {
  if (before !== null && read.kind === 'value' && before.oid === read.oid && before.since <= now) return before;
  const token = read.kind === 'value' ? read.value.token : 0;
  return { oid: 'oid' in read ? read.oid : null, token: Math.max(token, before?.token ?? 0), since: now };
}

export interface LeaseFacts {
  readonly read: Exclude<LeaseRead, { kind: 'failed' }>;
  readonly sight: LeaseSight;
  readonly now: number;
  readonly unit: LeaseUnit;
  /** What this clone knows of the holder: another process, a process proven dead, this very one; null: of another clone. */
  readonly holder: 'live' | 'dead' | 'self' | null;
}

export type LeaseDecision =
  /** `token` is that of the next acquisition. */
  | { readonly kind: 'take'; readonly token: number; readonly how: 'free' | 'expired' | 'dead' }
  /** Another answer than `take`: it is held already, by this unit in this clone. */
  | { readonly kind: 'mine'; readonly value: LeaseValue }
  | { readonly kind: 'held'; readonly value: LeaseValue; readonly left: number }
  | { readonly kind: 'damaged'; readonly why: string };

/** Who may have the lease now (G30). */
export function decideLease(facts: LeaseFacts): LeaseDecision {
  const { read, sight, now, unit } = facts;
  if (read.kind === 'damaged') return { kind: 'damaged', why: read.why };
  if (read.kind === 'absent') return { kind: 'take', token: sight.token + 1, how: 'free' };
  const { value } = read;
  if (value.token < sight.token)
    return { kind: 'damaged', why: `token ${value.token} after ${sight.token}: it went back` };
  if (sight.oid !== read.oid && value.token > sight.token + JUMP) return { kind: 'damaged', why: 'its token jumped' };
  const token = value.token + 1;
  if (value.holder === null) return { kind: 'take', token, how: 'free' };
  const gone = facts.holder === 'dead' || facts.holder === 'self';
  if (gone && value.unit !== null && sameUnit(value.unit, unit)) return { kind: 'mine', value };
  if (facts.holder === 'dead') return { kind: 'take', token, how: 'dead' };
  const left = sight.since + value.length - now;
  return left <= 0 ? { kind: 'take', token, how: 'expired' } : { kind: 'held', value, left };
}

export const sameUnit = (one: LeaseUnit, other: LeaseUnit): boolean =>
  one.kind === other.kind &&
  one.id === other.id &&
  one.occurrence.number === other.occurrence.number &&
  one.occurrence.decision === other.occurrence.decision;

/** For people: `job k3x9qp`; what holds it without saying who. */
export const sayHolder = (value: Pick<LeaseValue, 'unit'>): string =>
  value.unit === null ? 'somebody' : `${value.unit.kind} ${value.unit.id}`;
