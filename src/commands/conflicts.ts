// `conflicts`: which open branches will collide with their target, or with each other, from objects alone (06).

import { type OpenBranch, type PredictedCollision, predictConflicts } from '../app/conflicts/predict.js';
import { findWork } from '../app/goals.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import type { Report } from '../output/report.js';
import { COLLISION_FIELDS, conflictsView, type PublishedCollision } from '../output/views/conflicts.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const snapshot = await bench.store.snapshot();
  const ids: string[] = [];
  for (const text of request.rest) {
    const work = await findWork(snapshot, text);
    ids.push(work.kind === 'goal' ? work.goal.id : work.job.id);
  }
  const { branches, collisions, elsewhere } = await predictConflicts(bench, { ids });
  const items = collisions.map(published);
  return {
    kind: 'conflicts',
    data: { branches: branches.map(named), items },
    rows: items,
    fields: COLLISION_FIELDS,
    view: (theme, width, rows) => conflictsView(rows as readonly PublishedCollision[], theme, width, branches.length),
    notes: elsewhere.map((id) => `${id} is left out: its commits are not in this clone ("git owl sync" brings them)`),
    ...(request.flag('exit-code') && items.length > 0 ? { exit: 5 } : {}),
  };
}

const named = ({ kind, id, title, target, tip }: OpenBranch) => ({ kind, id, title, target: target.ref, tip });

const published = ({ branch, with: other, paths }: PredictedCollision): PublishedCollision => ({
  kind: branch.kind,
  id: branch.id,
  title: branch.title,
  target: branch.target.ref,
  with: other === null ? null : { kind: other.kind, id: other.id, title: other.title },
  paths,
});
