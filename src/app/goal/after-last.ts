// A Goal that no step carries any more: what its last status made due is carried out by who brought it there (G61).

import type { Goal } from '../../domain/goal.js';
import { isAutomated } from '../../domain/goal-machine.js';
import { foundGoal } from '../goals.js';
import type { Workbench } from '../workbench.js';
import { dueSkills, runDueOf } from './skills.js';

/** As it is afterwards; where a Skill had it decided, the next command goes on. */
export async function afterLast(bench: Workbench, goal: Goal): Promise<Goal> {
  if (isAutomated(goal.status) || bench.signal.aborted || (await dueSkills(bench, goal)).length === 0) return goal;
  await runDueOf(bench, goal);
  return foundGoal(goal.id, await (await bench.store.snapshot()).goal(goal.id));
}
