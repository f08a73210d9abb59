// What `run` says of each Job or Goal that it carried, and of those that wait: as data, and for people (06).

import type { Waiting } from '../app/run/choose.js';
import { idOf, type UnitResult } from '../app/run/units.js';
import type { Workbench } from '../app/workbench.js';
import { EXIT } from '../domain/errors.js';
import { goalCommands } from '../domain/goal-next.js';
import type { Unit } from '../domain/goal-queue.js';
import { nextCommands } from '../domain/next.js';
import type { PublishedGoal } from '../output/goal-fields.js';
import { type PublishedJob, type PublishedRun, runFields } from '../output/job-fields.js';
import { type FailureEnvelope, failure, type SuccessEnvelope, success } from '../output/json.js';
import type { Report } from '../output/report.js';
import type { Theme } from '../output/theme.js';
import { describeJob } from './describe.js';
import { describeGoal } from './describe-goal.js';
import { partsOf, stoppedGoal, stoppedJob } from './stopped.js';

type PublishedUnit =
  | (PublishedJob & {
      readonly unit: {
        readonly runs: readonly PublishedRun[];
        readonly merged: boolean;
        readonly unmerged: string | null;
        readonly exit: number;
      };
    })
  | (PublishedGoal & {
      readonly unit: {
        readonly runs: readonly PublishedRun[];
        readonly steps: readonly string[];
        readonly exit: number;
      };
    });

/** One line of `--json`: a unit that did not end well has its data and the error beside them. */
export async function unitDocument(bench: Workbench, unit: UnitResult): Promise<SuccessEnvelope | FailureEnvelope> {
  const value = await describeUnit(bench, unit);
  const { error } = unit.exit === EXIT.ok ? {} : await stoppedUnit(bench, unit);
  return error === undefined ? success('run', value) : failure(error, { kind: 'run', value });
}

async function describeUnit(bench: Workbench, unit: UnitResult): Promise<PublishedUnit> {
  const runs = unit.runs.map(runFields);
  const { exit } = unit;
  if (unit.kind === 'goal') {
    const described = await describeGoal(bench, await bench.store.snapshot(), unit.goal);
    return { ...described, unit: { runs, steps: unit.steps, exit } };
  }
  const { merged, unmerged } = unit;
  return { ...(await describeJob(bench, unit.job)), unit: { runs, merged, unmerged, exit } };
}

/** Exit status and error of a report about what did not end well. */
export async function stoppedUnit(bench: Workbench, unit: UnitResult): Promise<Pick<Report, 'exit' | 'error'>> {
  const { exit } = unit;
  if (unit.kind === 'job') return stoppedJob(unit.job, exit);
  if (unit.trouble !== null) return { exit, error: partsOf(unit.trouble) };
  return stoppedGoal(await bench.store.snapshot(), unit.goal, exit);
}

export function sayUnit(unit: UnitResult, theme: Theme): string {
  const { title } = unit.kind === 'job' ? unit.job : unit.goal;
  const state = unit.kind === 'job' ? unit.job.state : unit.goal.status;
  const merged = unit.kind === 'job' && unit.merged ? ', merged' : '';
  return `${unit.kind} ${theme.id(idOf(unit))} ${theme.state(state)}${merged}  ${theme.text(title)}`;
}

export const notesOf = (unit: UnitResult): readonly string[] =>
  unit.notes.map((note) => `${unit.kind} ${idOf(unit)}: ${note}`);

export const nextOf = (unit: UnitResult): readonly string[] =>
  unit.kind === 'job' ? nextCommands(unit.job) : goalCommands(unit.goal);

/** As published: the id below the kind's name. */
export const waitingData = (waiting: readonly Waiting[]) => waiting.map(({ kind, id, why }) => ({ [kind]: id, why }));

export const sayWaiting = (waiting: readonly Waiting[], theme: Theme): readonly string[] =>
  waiting.map(({ id, why }) => `  ${theme.id(id)} waits: ${theme.text(why)}`);

/** Commands that are proposed for what waits. */
const PROPOSED = 2;

/** What lets go on what waits, where nothing runs: commands, the first in the queue first, then what ends such waits for good. */
export function remediesOf(waiting: readonly Waiting[]): readonly string[] {
  const commands = new Set(waiting.flatMap(({ next }) => next ?? []));
  const notes = new Set(waiting.flatMap(({ note }) => note ?? []));
  return [...[...commands].slice(0, PROPOSED).map((command) => `next: ${command}`), ...notes];
}

/** What would be taken (`--dry-run`). */
export const foreseenData = (unit: Unit) =>
  unit.kind === 'job' ? { id: unit.id, phase: unit.job.phase } : { id: unit.id, status: unit.goal.status };

export function sayForeseen(unit: Unit, theme: Theme): string {
  const [what, { title }] = unit.kind === 'job' ? [unit.job.phase, unit.job] : [unit.goal.status, unit.goal];
  return `would run ${theme.id(unit.id)} (${what})  ${theme.text(title)}`;
}
