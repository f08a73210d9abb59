// `goal reconcile`: what is on the target already is taken in (G54, G34).

import { reconcileGoal } from '../app/goal/reconcile.js';
import { settleLeftovers } from '../app/leftovers.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import type { Report } from '../output/report.js';
import { goalDecided } from './goal-decided.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  if (!bench.dryRun) await settleLeftovers(bench);
  const updated = await reconcileGoal(bench, request.args['id'] ?? '', {
    mergedBy: request.text('merged-by'),
    reason: request.text('reason'),
    expectRevision: request.number('expect-revision'),
  });
  bench.progress.done();
  return goalDecided(bench, updated, `${bench.dryRun ? 'would be' : 'is'} in ${updated.result.status}`);
}
