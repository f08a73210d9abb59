// `goal move`: another status by decision (G41, G42).

import { moveGoalTo } from '../app/goal/decide/move.js';
import { settleLeftovers } from '../app/leftovers.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import type { GoalStatus } from '../domain/goal.js';
import type { Report } from '../output/report.js';
import { goalDecided } from './goal-decided.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  if (!bench.dryRun) await settleLeftovers(bench);
  const updated = await moveGoalTo(bench, request.args['id'] ?? '', {
    to: (request.args['status'] ?? '') as GoalStatus,
    reason: request.text('reason'),
    expectRevision: request.number('expect-revision'),
    force: request.flag('force'),
    allowGuarded: request.flag('allow-guarded'),
  });
  return goalDecided(bench, updated, `${bench.dryRun ? 'would be' : 'is'} in ${updated.result.status}`);
}
