// `reorder`: gives a Job another place in the queue (J2).

import { reorderJob } from '../app/decide/queue.js';
import { settleLeftovers } from '../app/leftovers.js';
import { queuePlaces } from '../app/queue-places.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import type { Report } from '../output/report.js';
import { decided } from './decided.js';
import { placeOf } from './place-option.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const wanted = placeOf(request);
  await settleLeftovers(bench);
  const updated = await reorderJob(bench, request.args['id'] ?? '', wanted);
  const { result } = updated;
  const others = (await queuePlaces(await bench.store.snapshot())).filter((other) => other.id !== result.id);
  const place = others.filter((other) => other.position < result.position).length + 1;
  const verb = bench.dryRun ? 'would be' : 'is';
  return decided(bench, updated, `${verb} at place ${place} of ${others.length + 1} in the queue`);
}
