// Usage limits in what an agent says about its own failure, and when they lift (J16b). Only failure messages come here,
// never what the agent writes about its work. The one place that reads prose: no agent has a machine form for all of it.

import { formatTimestamp } from '../../system/clock.js';

const LIMITED = [
  /\bhit your\b.{0,40}\blimit\b/i,
  /\b(?:usage|session|weekly|5-hour|hourly|daily|monthly|rate) limit (?:has been )?(?:reached|exceeded|hit)\b/i,
  /\busage_limit_reached\b/i,
  /\bexhausted your (?:capacity|daily quota|quota)\b/i,
  /\bquota (?:has been )?(?:exceeded|exhausted)\b/i,
  /\bout of (?:extra )?usage\b/i,
  /\binsufficient_quota\b/i,
  /\bexceeded your (?:current )?quota\b/i,
  /\b429 Too Many Requests\b/i,
];

/** Does this failure message tell of a usage limit? `notBefore`: when it lifts, RFC 3339 in UTC, when that is said. */
export function recogniseLimit(
  message: string,
  now: number,
): { readonly limited: boolean; readonly notBefore: string | null } {
  if (!LIMITED.some((pattern) => pattern.test(message))) return { limited: false, notBefore: null };
  const at = epoch(message) ?? duration(message, now) ?? dated(message, now) ?? timeOfDay(message, now);
  return { limited: true, notBefore: at === null ? null : formatTimestamp(at) };
}

/** `…|1778565600` or `resets_at 1778565600`: seconds since the epoch. */
function epoch(message: string): number | null {
  const found = /(?:\||resets?_?at\D{0,4})(\d{10})\b/i.exec(message);
  return found === null ? null : Number(found[1]) * 1000;
}

/** `try again in 2 days 3 hours 5 minutes`, `reset after 3h25m12s`. */
function duration(message: string, now: number): number | null {
  const found =
    /\b(?:in|after)\s+((?:\d+\s*(?:days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|[dhms]),?\s*(?:and\s+)?)+)/i.exec(
      message,
    );
  if (found === null) return null;
  const units: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };
  const parts = [...(found[1] ?? '').matchAll(/(\d+)\s*([dhms])/gi)];
  return parts.reduce((sum, part) => sum + Number(part[1]) * (units[(part[2] ?? '').toLowerCase()] ?? 0), now);
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const CLOCK = String.raw`(\d{1,2})(?::(\d{2}))?\s*([ap]m)?`;
const ZONE = String.raw`(?:\s*\(([A-Za-z_]+(?:\/[A-Za-z_+-]+)*)\)|\s+(UTC|GMT))?`;

/** `Oct 9, 5pm (Europe/Berlin)`, `Dec 29th, 2025 10:15 PM`. */
function dated(message: string, now: number): number | null {
  const pattern = new RegExp(
    String.raw`\b(${MONTHS.join('|')})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,?(?: (\d{4}),?)?(?: at)? ${CLOCK}${ZONE}`,
    'i',
  );
  const found = pattern.exec(message);
  if (found === null) return null;
  const [, month = '', day = '', year, hour = '', minute, half, zone, utc] = found;
  const local = {
    month: MONTHS.indexOf(month.toLowerCase()),
    day: Number(day),
    ...hourAndMinute(hour, minute, half),
  };
  const zoneName = zone ?? (utc === undefined ? undefined : 'UTC');
  const first = year === undefined ? new Date(now).getUTCFullYear() : Number(year);
  const at = inZone({ year: first, ...local }, zoneName);
  // Without a year it is the coming one of that date.
  return year === undefined && at !== null && at < now - 86_400_000
    ? inZone({ year: first + 1, ...local }, zoneName)
    : at;
}

/** `resets 9pm (Europe/Berlin)`, `try again at 3:05 PM`: the next such time. */
function timeOfDay(message: string, now: number): number | null {
  const found = new RegExp(String.raw`\b(?:resets?|again|until)(?: at)? ${CLOCK}${ZONE}`, 'i').exec(message);
  if (found === null) return null;
  const [, hour = '', minute, half, zone, utc] = found;
  if (minute === undefined && half === undefined) return null;
  const zoneName = zone ?? (utc === undefined ? undefined : 'UTC');
  const today = fieldsIn(now, zoneName);
  if (today === null) return null;
  const clock = hourAndMinute(hour, minute, half);
  const at = inZone({ ...today, ...clock }, zoneName);
  return at !== null && at <= now ? inZone({ ...today, day: today.day + 1, ...clock }, zoneName) : at;
}

function hourAndMinute(hour: string, minute: string | undefined, half: string | undefined) {
  const twelve = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  return { hour: twelve, minute: Number(minute ?? 0) };
}

interface Fields {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

/** The calendar fields of an instant in a zone (default: this machine's); null for a zone that does not exist. */
function fieldsIn(at: number, zone: string | undefined): Fields | null {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      ...(zone === undefined ? {} : { timeZone: zone }),
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
  } catch {
    return null;
  }
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = part;
  return { year, month: month - 1, day, hour, minute };
}

/** The instant at which a zone's calendar shows these fields; twice, since the first guess may lie across a clock change. */
function inZone(fields: Fields, zone: string | undefined): number | null {
  const wanted = Date.UTC(fields.year, fields.month, fields.day, fields.hour, fields.minute);
  let at = wanted;
  for (let round = 0; round < 2; round += 1) {
    const seen = fieldsIn(at, zone);
    if (seen === null) return null;
    at += wanted - Date.UTC(seen.year, seen.month, seen.day, seen.hour, seen.minute);
  }
  return at;
}
