// A note that asks one unit of a process to stop, where that process carries several: a signal would end them all (J18).

import type { Workbench } from '../workbench.js';
import type { Carrying } from './units.js';

interface StopNote {
  readonly run: string;
}

/** Milliseconds between two looks of a process that carries several Runs. */
const INTERVAL = 500;

const noteOf = (id: string): string => `stops/${id}`;

/** Asks for the Run that this Job has now, or the Goal's step. */
export async function askToStop(bench: Workbench, { id, run }: Carrying): Promise<void> {
  const before = await bench.notes.read<StopNote>(noteOf(id));
  if (before?.value.run !== run) await bench.notes.write(noteOf(id), { run }, before?.oid ?? 'absent');
}

/** Takes the request away once it was served, or came too late. */
export async function forgetStop(bench: Workbench, id: string): Promise<void> {
  const note = await bench.notes.read<StopNote>(noteOf(id));
  if (note !== null) await bench.notes.remove(noteOf(id), note.oid);
}

export interface StopWatch {
  /** Aborted by the signal of the bench, or by a request for what was claimed last. */
  readonly signal: AbortSignal;
  claimed(carrying: Carrying): void;
  /** A Skill or handler of it, which has a claim of its own. */
  skill(started: Carrying): void;
  close(): void;
}

/** Looks for such a request while one unit lives; with `on` false only the signal of the bench counts. */
export function watchForStop(bench: Workbench, on: boolean): StopWatch {
  const asked = new AbortController();
  const over = new AbortController();
  const signal = AbortSignal.any([bench.signal, asked.signal]);
  let current: Carrying | null = null;
  let skill: Carrying | null = null;
  let looking = false;
  const look = async (): Promise<void> => {
    while (!over.signal.aborted && !signal.aborted) {
      await bench.clock.sleep(INTERVAL, over.signal);
      if (over.signal.aborted) continue;
      for (const one of [current, skill]) {
        const note = one === null ? null : await bench.notes.read<StopNote>(noteOf(one.id)).catch(() => null);
        if (note !== null && note.value.run === one?.run) asked.abort('SIGTERM');
      }
    }
  };
  const begin = (): void => {
    if (on && !looking) void look();
    looking = true;
  };
  return {
    signal: on ? signal : bench.signal,
    claimed: (carrying) => {
      current = carrying;
      begin();
    },
    skill: (started) => {
      skill = started;
      begin();
    },
    close: () => over.abort(),
  };
}
