// Times and lengths for people; JSON has RFC 3339 (06). Pure.

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/** The two greatest units of a length in milliseconds: `4m12s`, `2d3h`, `0s`. */
export function sayLength(ms: number): string {
  let left = Math.max(0, Math.floor(ms / 1000));
  const parts: string[] = [];
  for (const [unit, seconds] of UNITS) {
    const count = Math.floor(left / seconds);
    left -= count * seconds;
    if (count > 0) parts.push(`${count}${unit}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.length === 0 ? '0s' : parts.join('');
}

/** How long ago: `just now`, `5m ago`, `3h ago`; a time ahead of the clock is `in 5m`. `now` in milliseconds. */
export function sayAge(time: string, now: number): string {
  const ms = now - Date.parse(time);
  if (Number.isNaN(ms)) return time;
  const seconds = Math.floor(Math.abs(ms) / 1000);
  if (seconds < 10) return 'just now';
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? (['s', 1] as const);
  const text = `${Math.floor(seconds / size)}${unit}`;
  return ms < 0 ? `in ${text}` : `${text} ago`;
}
