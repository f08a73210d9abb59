// `accept`: closes a reviewed Job without merging it (J30).

import { acceptJob } from '../app/decide/accept.js';
import { settleLeftovers } from '../app/leftovers.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import type { Report } from '../output/report.js';
import { decided } from './decided.js';
import { ignoredNote } from './ignored.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  if (!bench.dryRun) await settleLeftovers(bench);
  const done = await acceptJob(bench, request.args['id'] ?? '', { force: request.flag('force'), dryRun: bench.dryRun });
  const report = await decided(
    bench,
    { result: done.job, repeated: done.repeated },
    bench.dryRun ? 'would be accepted' : 'is done; its branch stays',
    [],
    { ignored: done.ignored },
  );
  return { ...report, notes: [...done.notes, ...ignoredNote(done.ignored)] };
}
