// `goal approve`: done, without merging or pushing (G51).

import { approveGoal } from '../app/goal/decide/approve.js';
import { settleLeftovers } from '../app/leftovers.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import type { Report } from '../output/report.js';
import { goalDecided } from './goal-decided.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  if (!bench.dryRun) await settleLeftovers(bench);
  const updated = await approveGoal(bench, request.args['id'] ?? '', {
    reason: request.text('reason'),
    expectRevision: request.number('expect-revision'),
  });
  return goalDecided(bench, updated, bench.dryRun ? 'would be done' : 'is done');
}
