// `feature add`: an order for Goals (G3).

import { addFeature } from '../app/goal/features.js';
import { settleLeftovers } from '../app/leftovers.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { featureFields } from '../output/goal-part-fields.js';
import type { Report } from '../output/report.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  if (!bench.dryRun) await settleLeftovers(bench);
  const { feature, repeated } = await addFeature(bench, request.rest.join(' '));
  const { terminal } = context.streams.stdout;
  return {
    kind: 'feature',
    data: featureFields(feature, []),
    view: (theme) =>
      terminal
        ? [`feature ${theme.id(feature.id)} ${theme.text(feature.title)}${repeated ? ' (as answered before)' : ''}`]
        : [feature.id],
    notes: terminal && !bench.dryRun ? [`next: git owl goal add "<title>" --feature ${feature.id}`] : [],
  };
}
