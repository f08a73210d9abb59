// `run --notify`: a command of the person who runs us, told what became of each Job or Goal (06).

import { runCommand } from '../../agent/command.js';
import { EXIT } from '../../domain/errors.js';
import { isAutomated } from '../../domain/goal-machine.js';
import type { Workbench } from '../workbench.js';
import { openScratch, removeScratch } from './scratch.js';
import type { UnitResult } from './units.js';

/** With the unit in its environment; its failure changes nothing. Nothing for what ended well and only goes on later. */
export async function notify(bench: Workbench, command: string | null, unit: UnitResult): Promise<void> {
  if (command === null || (unit.exit === EXIT.ok && goesOnLater(unit))) return;
  const marker = `notify-${bench.ids.operation()}`;
  const scratch = await openScratch(bench, marker);
  const result = await runCommand({
    command,
    cwd: bench.environment.cwd,
    env: { ...definedOf(bench.environment.variables), ...tellUnit(unit) },
    timeout: { ms: 60_000, text: '60s' },
    signal: bench.signal,
    clock: bench.clock,
    logFile: scratch.file('notify'),
  });
  await removeScratch(bench, marker);
  if (result.code !== 0) bench.say(`--notify ended with ${result.code ?? result.signal ?? 'a time limit'}`);
}

const goesOnLater = (unit: UnitResult): boolean =>
  unit.kind === 'job' ? unit.job.state === 'pending' : unit.goal.status === 'todo' || isAutomated(unit.goal.status);

function tellUnit(unit: UnitResult): Record<string, string> {
  const { title, reason } = unit.kind === 'job' ? unit.job : unit.goal;
  return {
    ...(unit.kind === 'job' ? { OWL_NOTIFY_JOB: unit.job.id } : { OWL_NOTIFY_GOAL: unit.goal.id }),
    OWL_NOTIFY_STATE: unit.kind === 'job' ? unit.job.state : unit.goal.status,
    OWL_NOTIFY_TITLE: title,
    OWL_NOTIFY_REASON: reason?.text ?? '',
  };
}

/** It is the person's own command: it gets their environment as it is. */
const definedOf = (variables: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).filter((pair): pair is [string, string] => pair[1] !== undefined));
