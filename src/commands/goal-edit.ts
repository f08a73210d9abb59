// `goal edit`: title, request, place, needs, labels, owner and target of a Goal.

import { editGoal } from '../app/goal/decide/edit.js';
import { settleLeftovers } from '../app/leftovers.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { OwlError } from '../domain/errors.js';
import type { Priority } from '../domain/goal.js';
import type { Report } from '../output/report.js';
import { goalDecided } from './goal-decided.js';
import { readText } from './prompt-input.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const given = {
    title: request.text('title'),
    request: await readText(context, request, 'request'),
    feature: orNone(request.text('feature')),
    order: request.number('order'),
    priority: request.text('priority') as Priority | undefined,
    needs: listOrNone(request.list('needs')),
    labels: listOrNone(request.list('label')),
    owner: orNone(request.text('owner')),
    target: orNone(request.text('target')),
  };
  if (Object.values(given).every((value) => value === undefined)) {
    throw new OwlError('usage', 'nothing to change was given', { next: ['git owl goal edit -h'] });
  }
  if (!bench.dryRun) await settleLeftovers(bench);
  const updated = await editGoal(bench, request.args['id'] ?? '', given, request.number('expect-revision'));
  return goalDecided(bench, updated, bench.dryRun ? 'would be edited' : 'edited');
}

/** `none` takes a value away. */
const orNone = (text: string | undefined): string | null | undefined => (text === 'none' ? null : text);

/** Given at all, a list is replaced. */
const listOrNone = (list: readonly string[]): readonly string[] | undefined =>
  list.length === 0 ? undefined : list.filter((text) => text !== 'none');
