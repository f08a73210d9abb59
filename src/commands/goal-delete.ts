// `goal delete`: takes a Goal out of the state; a tombstone, its branches and what is kept stay (11, Goals).

import { deleteGoal } from '../app/goal/decide/close.js';
import { settleLeftovers } from '../app/leftovers.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import type { Report } from '../output/report.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  if (!bench.dryRun) await settleLeftovers(bench);
  const { result, repeated } = await deleteGoal(bench, request.args['id'] ?? '');
  const said = bench.dryRun ? 'would be deleted' : 'is deleted; its branches and what is kept stay';
  return {
    kind: 'deleted',
    data: { id: result.id, kind: 'goal' },
    view: (theme) => [`goal ${theme.id(result.id)} ${said}${repeated ? ' (as answered before)' : ''}`],
  };
}
