// `goal adopt`: standalone work becomes a Goal in quality (G60).

import { adoptWork } from '../app/goal/adopt.js';
import { settleLeftovers } from '../app/leftovers.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import type { Priority } from '../domain/goal.js';
import type { Report } from '../output/report.js';
import { goalDecided } from './goal-decided.js';
import { readText } from './prompt-input.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const asked = await readText(context, request, 'request');
  if (!bench.dryRun) await settleLeftovers(bench);
  const { goal, source, repeated } = await adoptWork(bench, {
    source: request.args['source'] ?? '',
    title: request.text('title'),
    request: asked,
    commit: request.flag('commit'),
    feature: request.text('feature'),
    order: request.number('order'),
    priority: request.text('priority') as Priority | undefined,
    needs: [],
    labels: request.list('label'),
    target: request.text('target'),
    remote: request.text('remote'),
  });
  const said = `${bench.dryRun ? 'would be adopted' : 'is adopted'} from ${source}, in ${goal.status}`;
  const report = await goalDecided(bench, { result: goal, repeated }, said);
  const { terminal } = context.streams.stdout;
  const next = bench.dryRun ? [] : [`next: git owl goal advance ${goal.id}`];
  return {
    ...report,
    ...(terminal ? {} : { view: () => [goal.id] }),
    notes: terminal ? next : [`goal ${goal.id} ${said}`, ...next],
  };
}
