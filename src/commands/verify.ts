// `verify`: replay and checks on the tip as it is, without an agent (J29).

import { findJob } from '../app/jobs.js';
import { settleLeftovers } from '../app/leftovers.js';
import { clearWorktree } from '../app/place.js';
import { settleDeadOf } from '../app/run/recover.js';
import { verifyJob } from '../app/verify.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { OwlError } from '../domain/errors.js';
import { mayHappen, wrongState } from '../domain/machine.js';
import { exitOfJob } from '../domain/reasons.js';
import type { Report } from '../output/report.js';
import { decided } from './decided.js';
import { stoppedJob } from './stopped.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const id = request.args['id'] ?? '';
  const force = request.flag('force');
  if (bench.dryRun) {
    const job = await findJob(await bench.store.snapshot(), id);
    if (!mayHappen(job.state, 'verify')) throw wrongState(job, 'verify');
    await clearWorktree(bench, job, null, force, 'verify');
    return decided(bench, { result: job, repeated: false }, 'would be replayed and checked');
  }
  await settleLeftovers(bench);
  await settleDeadOf(bench, id);
  const { job, superseded, repeated } = await verifyJob(bench, id, { force });
  if (superseded)
    throw new OwlError('superseded', `job ${job.id} was decided otherwise meanwhile; it is ${job.state}`, {
      preserved: ['the replayed branch, and what the checks said, are kept'],
      next: [`git owl show ${job.id}`],
    });
  const unverified =
    job.state === 'review' && job.verification?.checks.length === 0 ? ' (not verified: no checks are configured)' : '';
  const report = await decided(
    bench,
    { result: job, repeated },
    `is ${job.state === 'review' ? 'in review' : job.state}${unverified}`,
  );
  return job.state === 'blocked'
    ? { ...report, ...stoppedJob(job, exitOfJob(job)) }
    : { ...report, notes: job.state === 'review' ? [`next: git owl merge ${job.id}`] : [] };
}
