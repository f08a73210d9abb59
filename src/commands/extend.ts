// `extend`: gives a Job more Runs (J3).

import { extendJob } from '../app/decide/queue.js';
import { settleLeftovers } from '../app/leftovers.js';
import { openWorkbench } from '../app/workbench.js';
import { parseWhole, quote } from '../cli/coerce.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { OwlError } from '../domain/errors.js';
import type { Report } from '../output/report.js';
import { decided } from './decided.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const text = request.args['n'] ?? '';
  const runs = parseWhole(text);
  if (runs === null)
    throw new OwlError('usage', `extend takes a whole number of Runs, not ${quote(text)}`, {
      next: ['git owl extend -h'],
    });
  await settleLeftovers(bench);
  const updated = await extendJob(bench, request.args['id'] ?? '', runs);
  return decided(bench, updated, `has ${updated.result.ttl === 1 ? '1 Run' : `${updated.result.ttl} Runs`} left`);
}
