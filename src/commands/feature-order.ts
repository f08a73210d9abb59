// `feature order`: gives a Feature another place, and its Goals with it (G3).

import { orderFeature } from '../app/goal/features.js';
import { settleLeftovers } from '../app/leftovers.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { featureFields } from '../output/goal-part-fields.js';
import type { Report } from '../output/report.js';
import { placeOf } from './place-option.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const place = placeOf(request);
  if (!bench.dryRun) await settleLeftovers(bench);
  const updated = await orderFeature(bench, request.args['id'] ?? '', place);
  const goals = await (await bench.store.snapshot()).openGoals();
  const feature = updated.result;
  const said = bench.dryRun ? 'would have another place' : 'has another place';
  return {
    kind: 'feature',
    data: featureFields(feature, goals),
    view: (theme) => [`feature ${theme.id(feature.id)} ${said}${updated.repeated ? ' (as answered before)' : ''}`],
  };
}
