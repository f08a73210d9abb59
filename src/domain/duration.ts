// Lengths of time as people write them: `90s`, `15m`, `4h30m`, `2d`. Pure.

import type { Duration } from './policy.js';

const UNITS = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
} as const;

/** One or more numbers with their units, the greatest unit first, not all of them zero. */
const WRITTEN = /^(?=.*[1-9])(?:(\d{1,4})d)?(?:(\d{1,4})h)?(?:(\d{1,5})m)?(?:(\d{1,7})s)?(?:(\d{1,9})ms)?$/;

/** Reads a length of time greater than zero; null when it is not one. The text is kept: reasons name a limit as written (J18). */
export function parseDuration(text: string): Duration | null {
  const match = WRITTEN.exec(text);
  if (match === null) return null;
  const [d, h, m, s, ms] = match.slice(1).map((digits) => Number(digits ?? 0));
  const total =
    (d ?? 0) * UNITS.d + (h ?? 0) * UNITS.h + (m ?? 0) * UNITS.m + (s ?? 0) * UNITS.s + (ms ?? 0) * UNITS.ms;
  return { ms: total, text };
}

/** A length of time known to be well written (a default, or validated text). Throws a TypeError otherwise. */
export function durationOf(text: string): Duration {
  const duration = parseDuration(text);
  if (duration === null) throw new TypeError(`not a length of time: ${JSON.stringify(text)}`);
  return duration;
}
