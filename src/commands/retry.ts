// `retry`: returns a Job to the queue, with text for the next prompt (J29); a Goal that failed goes on (11, Goals).

import { retryJob } from '../app/decide/retry.js';
import { retryGoal } from '../app/goal/decide/retry.js';
import { findWork } from '../app/goals.js';
import { settleLeftovers } from '../app/leftovers.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { OwlError } from '../domain/errors.js';
import type { Report } from '../output/report.js';
import { decided } from './decided.js';
import { goalDecided } from './goal-decided.js';
import { readFileOrInput } from './prompt-input.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const file = request.text('file');
  const text = request.text('message');
  if (file !== undefined && text !== undefined) throw new OwlError('usage', '-m and -F exclude each other');
  const message = file === undefined ? text : (await readFileOrInput(context, file)).toString('utf8');
  if (!bench.dryRun) await settleLeftovers(bench);
  const asked = { message, restart: request.flag('restart'), ttl: request.number('ttl') };
  const work = await findWork(await bench.store.snapshot(), request.args['id'] ?? '');
  const why = { reason: request.text('reason'), expectRevision: request.number('expect-revision') };
  if (work.kind === 'goal') {
    const updated = await retryGoal(bench, work.goal.id, asked, why);
    return goalDecided(bench, updated, `${bench.dryRun ? 'would go' : 'goes'} on with ${updated.result.status}`);
  }
  if (why.reason !== undefined || why.expectRevision !== undefined)
    throw new OwlError('usage', '--reason and --expect-revision are for a Goal', {
      preserved: ['nothing was changed'],
      next: [`git owl retry ${work.job.id}`],
    });
  const updated = await retryJob(bench, work.job.id, asked);
  if (bench.dryRun) return decided(bench, updated, 'would be back in the queue');
  return decided(bench, updated, 'is back in the queue', [`git owl run ${updated.result.id}`]);
}
