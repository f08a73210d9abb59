// `restore`: brings a dropped Job back (J30).

import { restoreJob } from '../app/decide/drop.js';
import { settleLeftovers } from '../app/leftovers.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import type { Report } from '../output/report.js';
import { decided } from './decided.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  if (!bench.dryRun) await settleLeftovers(bench);
  const { job, repeated } = await restoreJob(bench, request.args['id'] ?? '');
  return decided(bench, { result: job, repeated }, bench.dryRun ? 'would come back' : `is back: ${job.state}`);
}
