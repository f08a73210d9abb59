// `status`: what runs now, what waits and why, what needs a decision; `--short` for prompts (06).

import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import type { Report } from '../output/report.js';
import { statusShort } from '../output/views/status-short.js';

/** A prompt must not wait for what only the whole picture needs, so that is loaded apart. */
export const run = async (context: Context, request: Request): Promise<Report> =>
  request.flag('short') ? short(context) : (await import('./status-whole.js')).wholeStatus(context);

/** From two small blobs, without any record: what a prompt can afford (P2, P3). */
async function short(context: Context): Promise<Report> {
  const counts = await (await context.store()).openCounts();
  return { kind: 'status', data: { counts }, view: () => [statusShort(counts)] };
}
