// `gc`: settles what is dead, removes checkouts that nobody needs, folds what closed work keeps, and reports what is unfinished (04).

import type { Collected } from '../app/collect/act.js';
import { collect } from '../app/collect/collect.js';
import { explained } from '../app/collect/explain.js';
import { sayDamages } from '../app/damages.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import type { Item } from '../domain/collect.js';
import { COLLECT_REASONS } from '../domain/collect-reasons.js';
import { OwlError } from '../domain/errors.js';
import type { Report } from '../output/report.js';
import { type CollectedItem, collectedView, explainView } from '../output/views/collected.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const explain = request.text('explain');
  const expire = request.list('expire');
  if (explain !== undefined) {
    if (expire.length > 0)
      throw new OwlError('usage', '--explain only looks; it does not go with --expire', { next: ['git owl gc -h'] });
    return explainOne(await explained(bench, await collect({ ...bench, dryRun: true }, []), explain));
  }
  const all = request.flag('all');
  const items = (await collect(bench, expire)).map(publish);
  const notes = await sayDamages(await bench.store.snapshot());
  return { kind: 'gc', data: { items }, view: (theme, width) => collectedView(items, theme, width, { all }), notes };
}

function explainOne(found: readonly (Item | Collected)[]): Report {
  const items = found.map((item) => ({ ...publish(item), meaning: COLLECT_REASONS[item.reason] }));
  return { kind: 'gc', data: { items }, view: (theme) => explainView(items, theme) };
}

const publish = (item: Item | Collected): CollectedItem => ({
  kind: item.kind,
  subject: item.subject,
  remote: item.remote,
  job: item.owner,
  action: item.action,
  reason: item.reason,
  detail: item.detail,
  result: 'result' in item ? item.result : 'none',
  guarantee: 'guarantee' in item ? item.guarantee : undefined,
  proof: item.proof,
});
