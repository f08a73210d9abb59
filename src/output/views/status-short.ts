// The counts of open work on one line.

import { formatOpen, type OpenCounts } from '../../domain/open-counts.js';

/** One line of digits and fixed words (`3 pending 1 active 1 goal-review`), `idle` when nothing is open: for shell prompts. */
export function statusShort(counts: OpenCounts): string {
  const open = formatOpen({ ...counts, done: 0, cancelled: 0 });
  return open === 'none' ? 'idle' : open;
}
