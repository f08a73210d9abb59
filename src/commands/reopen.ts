// `reopen`: opens a closed Job or Goal again.

import { reopenJob } from '../app/decide/cancel.js';
import { reopenGoal } from '../app/goal/decide/close.js';
import { findWork } from '../app/goals.js';
import { settleLeftovers } from '../app/leftovers.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import type { Report } from '../output/report.js';
import { decided } from './decided.js';
import { goalDecided } from './goal-decided.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  if (!bench.dryRun) await settleLeftovers(bench);
  const said = `${bench.dryRun ? 'would be' : 'is'} open again: `;
  const work = await findWork(await bench.store.snapshot(), request.args['id'] ?? '');
  if (work.kind === 'goal') {
    const updated = await reopenGoal(bench, work.goal.id);
    return goalDecided(bench, updated, `${said}${updated.result.status}`);
  }
  const updated = await reopenJob(bench, work.job.id);
  return decided(bench, updated, `${said}${updated.result.state}`);
}
