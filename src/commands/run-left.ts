// What `run` leaves behind after several units: how much waits for a decision, and for what, as `status` says it, in a line each (06).

import { loadSchedule } from '../app/goal/schedule.js';
import type { Workbench } from '../app/workbench.js';
import { goalCommands } from '../domain/goal-next.js';
import type { Unit } from '../domain/goal-queue.js';
import { nextCommands } from '../domain/next.js';
import { DECIDE, stateOf } from './deciding.js';

/** The most pressing first; empty: nothing is open. */
export async function sayLeft(bench: Workbench): Promise<readonly string[]> {
  const units = await loadSchedule(bench, await bench.store.snapshot());
  const lines = DECIDE.flatMap((state) => {
    const found = units.filter((unit) => stateOf(unit) === state);
    const [first] = found;
    if (first === undefined) return [];
    return [`${found.length} ${state === 'review' ? 'in review' : state}: ${commandOf(first)}`];
  });
  const waiting = units.filter((unit) => stateOf(unit) === (unit.kind === 'job' ? 'pending' : 'todo'));
  return waiting.length === 0 ? lines : [...lines, `${waiting.length} waiting: git owl status`];
}

const commandOf = (unit: Unit): string =>
  (unit.kind === 'job' ? nextCommands(unit.job) : goalCommands(unit.goal))[0] ?? `git owl show ${unit.id}`;
