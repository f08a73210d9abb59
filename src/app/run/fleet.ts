// Several units in one `run`: named ones, all, or for ever; side by side up to `--max-parallel`; within a time (06, run).

import { isOwlError, type OwlError } from '../../domain/errors.js';
import { noRoom } from '../goal/claim.js';
import { settleLeftovers } from '../leftovers.js';
import { runJobSkills } from '../skill/job-skills.js';
import type { SharedQueue } from '../sync/queue.js';
import type { Workbench } from '../workbench.js';
import { type Memory, newMemory, type Waiting } from './choose.js';
import { notify } from './notify.js';
import { settleDeadRuns } from './recover.js';
import { watchForStop } from './stop-note.js';
import { idOf, takeUnit, type UnitResult } from './units.js';

export interface Named {
  readonly kind: 'job' | 'goal';
  readonly id: string;
}

export interface FleetOptions {
  /** Of Jobs and Goals. */
  readonly ids: readonly Named[];
  readonly all: boolean;
  readonly watch: boolean;
  /** Milliseconds between looks with `watch`. */
  readonly interval: number;
  /** Milliseconds after which no new unit is taken and live ones are ended; null: no limit. */
  readonly until: number | null;
  /** Done before anything is taken, within the same time. */
  readonly first: (bench: Workbench) => Promise<void>;
  readonly step: boolean;
  readonly merge: boolean;
  /** Takes Jobs by a claim on a remote (S7). */
  readonly shared: SharedQueue | null;
  readonly maxParallel: number | null;
  /** A shell command for review, blocked and failed. */
  readonly notify: string | null;
  readonly onUnit: (unit: UnitResult) => Promise<void>;
}

export interface Fleet {
  readonly units: readonly UnitResult[];
  readonly waiting: readonly Waiting[];
  /** Named ones that could not be taken, and why. */
  readonly refused: readonly OwlError[];
  /** Jobs and Goals at work when capacity was full and nothing was taken; null otherwise. */
  readonly full: number | null;
}

type Took = 'taken' | 'nothing' | 'full';

/** Throws what `takeUnit` throws for an unnamed unit; a named one that cannot be taken is told beside those that were. */
export async function runFleet(bench: Workbench, options: FleetOptions): Promise<Fleet> {
  const units: UnitResult[] = [];
  const refused: OwlError[] = [];
  const memory = newMemory();
  const halted = new Set<string>();
  let waiting: Fleet['waiting'] = [];
  let full: number | null = null;
  const ended = new AbortController();
  const deadline = options.until === null ? null : setTimeout(() => ended.abort('SIGTERM'), options.until);
  deadline?.unref();
  const signal = AbortSignal.any([bench.signal, ended.signal]);
  const inner: Workbench = { ...bench, signal };
  const lanes = Math.max(1, options.maxParallel ?? 1);

  const takeOne = async (id: string | null): Promise<Took> => {
    // Of other processes that died since the last look.
    for (const line of await settleDeadRuns(bench)) {
      if (!memory.told.has(line)) bench.say(line);
      memory.told.add(line);
    }
    if (options.shared !== null) {
      const { exchangeQueue } = await import('../claims/resume.js');
      await exchangeQueue(bench, options.shared.remote);
    }
    const own = watchForStop(inner, lanes > 1);
    const taken = await takeUnit({ ...inner, signal: own.signal, onSkill: own.skill }, id, memory, {
      step: options.step,
      merge: options.merge,
      maxParallel: options.maxParallel,
      patient: options.watch,
      shared: options.shared,
      onClaim: (carrying) => {
        memory.seen.add(carrying.id);
        own.claimed(carrying);
      },
    }).finally(own.close);
    if (taken.kind === 'nothing') {
      waiting = taken.waiting;
      return 'nothing';
    }
    if (taken.kind === 'full') {
      full = taken.live;
      return 'full';
    }
    full = null;
    units.push(taken.result);
    // Also one that was settled without being claimed.
    memory.seen.add(idOf(taken.result));
    if (own.signal.aborted) halted.add(idOf(taken.result));
    await options.onUnit(taken.result);
    await notify(bench, options.notify, taken.result);
    await runJobSkills(inner);
    return 'taken';
  };

  const takeNamed = async ({ kind, id }: Named): Promise<void> => {
    try {
      if ((await takeOne(id)) !== 'full') return;
      refused.push(noRoom(kind, id, full ?? 0));
    } catch (error) {
      if (!isOwlError(error)) throw error;
      refused.push(error);
    }
  };

  try {
    await options.first(inner);
    if (options.ids.length > 0) {
      const queue = [...options.ids];
      await side(lanes, async () => {
        for (let one = queue.shift(); one !== undefined && !signal.aborted; one = queue.shift()) await takeNamed(one);
      });
    } else if (options.all || options.watch) {
      await side(lanes, () => drain(inner, options, takeOne, () => forgetAllBut(memory, halted)));
    } else if (!signal.aborted) {
      await takeOne(null);
    }
  } finally {
    if (deadline !== null) clearTimeout(deadline);
  }
  return { units, waiting, refused, full };
}

const side = async (lanes: number, lane: () => Promise<void>): Promise<void> => {
  await Promise.all(Array.from({ length: lanes }, lane));
};

/** What came back to the queue since, or was passed over, may be taken now; what `stop` ended may not. */
function forgetAllBut({ seen, passed, held }: Memory, halted: ReadonlySet<string>): void {
  for (const id of seen) if (!halted.has(id)) seen.delete(id);
  passed.clear();
  held.clear();
}

/** One lane: takes until nothing is eligible; with `watch` it looks again after a while. */
async function drain(
  bench: Workbench,
  options: FleetOptions,
  takeOne: (id: null) => Promise<Took>,
  lookAgain: () => void,
): Promise<void> {
  let lost = 0;
  while (!bench.signal.aborted) {
    try {
      if ((await takeOne(null)) === 'taken') {
        lost = 0;
        continue;
      }
    } catch (error) {
      // Another process was faster than all our tries: an ordinary outcome, the queue is looked at again.
      if (!isOwlError(error, 'busy')) throw error;
      lost += 1;
      if (lost < LOST) continue;
    }
    if (!options.watch) return;
    await bench.clock.sleep(options.interval, bench.signal).catch(() => undefined);
    if (bench.signal.aborted) return;
    lookAgain();
    await settleLeftovers(bench);
  }
}

/** Times in a row that a lane loses the race for the state before it gives up. */
const LOST = 5;
