// `goal add`: records a Goal, and says where it will land (G1, 06).

import { addGoal } from '../app/goal/add.js';
import { resolveTarget, sayLanding } from '../app/goal/target.js';
import { settleLeftovers } from '../app/leftovers.js';
import { unpublishedNote } from '../app/policy.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import { loadTaste } from '../config/taste.js';
import type { Context } from '../context.js';
import type { Priority } from '../domain/goal.js';
import { goalCommands } from '../domain/goal-next.js';
import type { Report } from '../output/report.js';
import { describeGoal } from './describe-goal.js';
import { readText } from './prompt-input.js';
import { sayUnnamed } from './unnamed-agent.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const { landing, current, wish } = await resolveTarget(bench, {
    target: request.text('target') ?? null,
    remote: request.text('remote') ?? null,
  });
  const asked = await readText(context, request, 'request');
  if (!bench.dryRun) await settleLeftovers(bench);
  const { goal, repeated } = await addGoal(bench, {
    title: request.rest.join(' '),
    request: asked,
    queue: request.flag('queue'),
    feature: request.text('feature'),
    order: request.number('order'),
    priority: request.text('priority') as Priority | undefined,
    needs: request.list('needs'),
    labels: [...(await loadTaste(bench.repository.git)).labels, ...request.list('label')],
    target: wish.target ?? undefined,
    remote: wish.remote ?? undefined,
  });
  const where = `it will land on ${sayLanding(landing)}, before you review it`;
  const { terminal } = context.streams.stdout;
  return {
    kind: 'goal',
    data: { ...(await describeGoal(bench, await bench.store.snapshot(), goal)), landing },
    view: (theme) =>
      terminal
        ? [`${theme.id(goal.id)}  in ${goal.status}; ${theme.text(where)}${repeated ? ' (as answered before)' : ''}`]
        : [goal.id],
    notes: [
      ...(terminal ? [] : [`goal ${goal.id} is in ${goal.status}; ${where}`]),
      ...sayUnnamed(current.loaded, null),
      ...unpublishedNote(current),
      ...current.loaded.warnings,
      ...(terminal && !bench.dryRun
        ? goalCommands(goal)
            .slice(0, 1)
            .map((command) => `next: ${command}`)
        : []),
    ],
  };
}
