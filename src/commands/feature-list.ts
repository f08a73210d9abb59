// `feature list`: Features in their order, each with its open Goals.

import { openWorkbench } from '../app/workbench.js';
import type { Context } from '../context.js';
import { FEATURE_FIELDS, featureFields, type PublishedFeature } from '../output/goal-part-fields.js';
import type { Report, Row } from '../output/report.js';
import { featuresView } from '../output/views/features.js';

export async function run(context: Context): Promise<Report> {
  const bench = await openWorkbench(context);
  const snapshot = await bench.store.snapshot();
  const goals = await snapshot.openGoals();
  const items = (await snapshot.features()).map((feature) => featureFields(feature, goals));
  return {
    kind: 'features',
    data: { items },
    fields: FEATURE_FIELDS,
    rows: items,
    view: (theme, width, rows: readonly Row[]) => featuresView(rows as readonly PublishedFeature[], theme, width),
  };
}
