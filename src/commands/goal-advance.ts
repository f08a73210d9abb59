// `goal advance`: carries one Goal from where it is as far as it can go now (03).

import { advanceGoal } from '../app/goal/advance.js';
import { checkCarried } from '../app/goal/claim.js';
import { findGoal } from '../app/goals.js';
import { settleLeftovers } from '../app/leftovers.js';
import { runJobSkills } from '../app/skill/job-skills.js';
import { openWorkbench, type Workbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { EXIT, OwlError } from '../domain/errors.js';
import type { Goal } from '../domain/goal.js';
import { goalCommands } from '../domain/goal-next.js';
import type { Report } from '../output/report.js';
import { describeGoal } from './describe-goal.js';
import { stoppedGoal } from './stopped.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const maxParallel = request.number('max-parallel') ?? null;
  if (maxParallel !== null && (!Number.isInteger(maxParallel) || maxParallel < 1))
    throw new OwlError('usage', '--max-parallel takes a whole number from 1');
  if (!bench.dryRun) {
    // Who commits is asked meanwhile: every step needs it.
    bench.repository.identity().catch(() => {});
    await settleLeftovers(bench);
  }
  const found = await findGoal(await bench.store.snapshot(), request.args['id'] ?? '');
  if (bench.dryRun) return planned(bench, found);
  const unit = await advanceGoal(bench, found.id, { step: request.flag('step'), merge: true, maxParallel });
  await runJobSkills(bench);
  bench.progress.done();
  const { goal } = unit;
  const snapshot = await bench.store.snapshot();
  const next = goalCommands(goal, await snapshot.evidence(goal.id));
  return {
    kind: 'goal',
    data: await describeGoal(bench, snapshot, goal),
    view: (theme) => [`goal ${theme.id(goal.id)} ${theme.text(goal.status)}  ${theme.text(goal.title)}`],
    notes: [...unit.notes, ...(unit.exit === EXIT.ok ? next.slice(0, 2).map((command) => `next: ${command}`) : [])],
    ...(await stoppedGoal(snapshot, goal, unit.exit)),
  };
}

/** What it would begin with; nothing is fetched or started. */
async function planned(bench: Workbench, goal: Goal): Promise<Report> {
  checkCarried(goal);
  return {
    kind: 'goal',
    data: await describeGoal(bench, await bench.store.snapshot(), goal),
    view: (theme) => [
      `goal ${theme.id(goal.id)} would go on ${goal.status === 'todo' ? 'from the queue' : `with ${goal.status}`}`,
    ],
  };
}
