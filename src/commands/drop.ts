// `drop`: cancels a Job and removes its worktree and branch; the tip is kept (J30).

import { dropJob } from '../app/decide/drop.js';
import { settleLeftovers } from '../app/leftovers.js';
import { settleDeadOf } from '../app/run/recover.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import type { Report } from '../output/report.js';
import { decided } from './decided.js';
import { ignoredNote } from './ignored.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const id = request.args['id'] ?? '';
  if (!bench.dryRun) {
    await settleLeftovers(bench);
    await settleDeadOf(bench, id);
  }
  const done = await dropJob(bench, id, { force: request.flag('force'), dryRun: bench.dryRun });
  const kept = done.tip === null ? '' : `; its tip ${done.tip} is kept`;
  const report = await decided(
    bench,
    { result: done.job, repeated: done.repeated },
    `${bench.dryRun ? 'would be dropped' : 'is dropped'}${kept}`,
    [],
    {
      kept: done.tip,
      ignored: done.ignored,
    },
  );
  return {
    ...report,
    notes: [
      ...done.left,
      ...ignoredNote(done.ignored),
      ...(bench.dryRun ? [] : [`next: git owl restore ${done.job.id}`]),
    ],
  };
}
