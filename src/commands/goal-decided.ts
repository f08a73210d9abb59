// The report of a decision about one Goal: its fields as data, one line for a person, the next command.

import { standingNotes } from '../app/goal/standing.js';
import type { Workbench } from '../app/workbench.js';
import type { Goal } from '../domain/goal.js';
import { goalCommands } from '../domain/goal-next.js';
import type { Report } from '../output/report.js';
import type { Updated } from '../state/types.js';
import { describeGoal } from './describe-goal.js';

/** `said` follows `goal <id>`: `is in todo`. */
export async function goalDecided(
  bench: Workbench,
  updated: Pick<Updated<Goal>, 'result' | 'repeated'>,
  said: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Report> {
  const goal = updated.result;
  const next = bench.dryRun ? [] : goalCommands(goal).slice(0, 1);
  return {
    kind: 'goal',
    data: { ...(await describeGoal(bench, await bench.store.snapshot(), goal)), ...more },
    view: (theme) => [
      `goal ${theme.id(goal.id)} ${theme.text(said)}${updated.repeated ? ' (as answered before)' : ''}`,
    ],
    notes: next.map((command) => `next: ${command}`),
  };
}

/** The same for a decision that takes nothing back: what stays on the target is named (G50). */
export const withStanding = async (bench: Workbench, goal: Goal, report: Report): Promise<Report> => ({
  ...report,
  notes: [...(await standingNotes(bench, goal)), ...(report.notes ?? [])],
});
