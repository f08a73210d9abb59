// `goal round`: another Round with its own request (G44).

import { openRound } from '../app/goal/decide/round.js';
import { settleLeftovers } from '../app/leftovers.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { OwlError } from '../domain/errors.js';
import type { Report } from '../output/report.js';
import { goalDecided } from './goal-decided.js';
import { readWordsOrFile } from './prompt-input.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const asked = await readWordsOrFile(context, request);
  if (asked === undefined) {
    throw new OwlError('usage', 'what is the round asked for? Give a request, or -F <file>', {
      preserved: ['nothing was changed'],
      next: ['git owl goal round -h'],
    });
  }
  if (!bench.dryRun) await settleLeftovers(bench);
  const updated = await openRound(bench, request.args['id'] ?? '', {
    request: asked,
    from: request.number('from'),
    reason: request.text('reason'),
    expectRevision: request.number('expect-revision'),
  });
  const said = bench.dryRun ? 'would have' : 'has';
  return goalDecided(bench, updated, `${said} round ${updated.result.round}, in ${updated.result.status}`);
}
