// `export`: a branch of the user's own from the work of a Job or a Goal (J30, G34).

import { exportWork } from '../app/decide/export.js';
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
  const done = await exportWork(bench, request.args['id'] ?? '', {
    branch: request.args['branch'],
    squash: request.flag('squash'),
    force: request.flag('force'),
    dryRun: bench.dryRun,
  });
  const { work, branch, repeated } = done;
  const commits = done.commits === 1 ? '1 commit' : `${done.commits} commits`;
  const said = `${bench.dryRun ? 'would be' : 'is'} on ${branch}: ${commits}, without the Handoff${done.verified ? '' : ' (not verified)'}`;
  const next = bench.dryRun || done.remote === null ? [] : [`git push ${done.remote} ${branch}`];
  const more = { exported: { ref: done.ref, oid: done.tip, commits: done.commits } };
  if (work.kind === 'job') return decided(bench, { result: work.job, repeated }, said, next, more);
  const report = await goalDecided(bench, { result: work.goal, repeated }, said, more);
  const back = `git owl goal reconcile ${work.goal.id} --merged-by <commit>`;
  const after = next.length === 0 ? [] : [...next, back];
  return { ...report, notes: after.map((command) => `next: ${command}`) };
}
