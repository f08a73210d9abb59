// `goal decline`: a Goal in review gets a new Round from the target as it is now; history stays (G51).

import { declineGoal } from '../app/goal/decide/round.js';
import { settleLeftovers } from '../app/leftovers.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import type { Report } from '../output/report.js';
import { goalDecided, withStanding } from './goal-decided.js';
import { readWordsOrFile } from './prompt-input.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const asked = await readWordsOrFile(context, request);
  if (!bench.dryRun) await settleLeftovers(bench);
  const updated = await declineGoal(bench, request.args['id'] ?? '', {
    request: asked,
    expectRevision: request.number('expect-revision'),
  });
  const said = bench.dryRun ? 'would be declined, with' : 'is declined and has';
  const told = `${said} round ${updated.result.round}, in ${updated.result.status}`;
  return withStanding(bench, updated.result, await goalDecided(bench, updated, told));
}
