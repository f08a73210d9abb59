// `run`: takes one Job or Goal, named or the next eligible one, and carries it as far as it can go now (J4, J20; 03).

import type { JobId } from '../../domain/job.js';
import type { LeaseRead } from '../../domain/lease.js';
import type { Claimed } from '../claims/claimed.js';
import type { ClaimsOfQueue } from '../claims/queue.js';
import type { Unit } from '../claims/unit.js';
import { carryGoal, type GoalUnit } from '../goal/advance.js';
import { foundGoal } from '../goals.js';
import type { SharedQueue } from '../sync/queue.js';
import type { Workbench } from '../workbench.js';
import { carryJob, type JobUnit } from './carry-job.js';
import { chooseUnit, type Memory, passOver, type Waiting } from './choose.js';
import { claimJob } from './claim.js';

export type UnitResult = JobUnit | GoalUnit;

/** Who is carried, and by which claim. */
export interface Carrying {
  readonly id: string;
  readonly run: string;
}

export interface UnitOptions {
  /** One Run, or one status of a Goal. */
  readonly step: boolean;
  /** `--no-merge`. */
  readonly merge: boolean;
  readonly maxParallel: number | null;
  /** Looks again later (`--watch`). */
  readonly patient: boolean;
  /** The shared queue that work is taken from, by a claim on its remote (S7); null: this clone's own. */
  readonly shared: SharedQueue | null;
  /** Called once a claim is made, at each Run. */
  readonly onClaim: (carrying: Carrying) => void;
}

export type Taken =
  | { readonly kind: 'unit'; readonly result: UnitResult }
  | { readonly kind: 'nothing'; readonly waiting: readonly Waiting[] }
  | { readonly kind: 'full'; readonly live: number };

/** The id of either kind of work. */
export const idOf = (unit: UnitResult): string => (unit.kind === 'job' ? unit.job.id : unit.goal.id);

/**
 * Throws OwlError `untrusted`, for a named one `wrong-state`, `refused`, `busy` and what looking at its base throws, and what the
 * store throws.
 */
export async function takeUnit(
  bench: Workbench,
  id: string | null,
  memory: Memory,
  options: UnitOptions,
): Promise<Taken> {
  const { step, merge } = options;
  const queue = id === null && options.shared !== null ? await askQueue(bench, options.shared.remote, memory) : null;
  for (;;) {
    const chosen = await chooseUnit(bench, { id, merge, patient: options.patient, shared: options.shared }, memory);
    if (chosen.kind === 'nothing') return chosen;
    const asked = await queue?.ask(chosen);
    if (asked?.kind === 'choose-again') continue;
    // Another lane of this command claimed it since this one looked.
    if (memory.taking.has(chosen.id) && id === null) continue;
    const claim = { ...chosen, seen: asked?.seen };
    const taken =
      chosen.kind === 'job'
        ? await shared(bench, claim, memory, options, (within) =>
            takeJob(within, chosen.id, options, options.maxParallel ?? chosen.maxParallel),
          )
        : await shared(bench, claim, memory, options, async (within) => {
            // As it is now: the claim brought what other runners said of it.
            const goal = foundGoal(chosen.id, await (await within.store.snapshot()).goal(chosen.id));
            return carryGoal(within, goal, chosen.target, {
              step,
              merge,
              maxParallel: options.maxParallel,
              onClaim: ({ goal: { id: of }, marker }) => options.onClaim({ id: of, run: marker }),
            });
          });
    if (taken.kind !== 'not-now') return taken;
    // Another one took it, or decided about it, since we looked: the next one, unless somebody asked for this very one.
    if (id !== null) throw taken.error;
    if (queue !== null && 'lost' in taken && taken.lost) await queue.lost(chosen, taken.error);
    else if (options.shared !== null) passOver(memory, chosen, taken.error.message);
    else if (chosen.kind === 'goal' && taken.error.code !== 'superseded') passOver(memory, chosen, taken.error.message);
  }
}

async function askQueue(bench: Workbench, remote: string, memory: Memory): Promise<ClaimsOfQueue> {
  const { claimsOfQueue } = await import('../claims/queue.js');
  return claimsOfQueue(bench, remote, memory);
}

/** Under a claim on the remote, where the queue is shared. */
async function shared<T>(
  bench: Workbench,
  { kind, id, seen }: Unit & { readonly seen: LeaseRead | undefined },
  { taking }: Pick<Memory, 'taking'>,
  options: UnitOptions,
  take: (bench: Workbench) => Promise<T>,
): Promise<T | Extract<Claimed<T>, { kind: 'not-now' }>> {
  if (options.shared === null) return take(bench);
  taking.add(id);
  try {
    const { underClaim } = await import('../claims/claimed.js');
    const claimed = await underClaim(bench, options.shared.remote, { kind, id }, take, seen);
    return claimed.kind === 'worked' ? claimed.value : claimed;
  } finally {
    taking.delete(id);
  }
}

async function takeJob(bench: Workbench, id: JobId, options: UnitOptions, maxParallel: number) {
  const first = await claimJob(bench, { id, maxParallel });
  if (first.kind !== 'claimed') return first;
  const onClaim = ({ job, run }: typeof first) => options.onClaim({ id: job.id, run: run.id });
  const result = await carryJob(bench, first, { ...options, onClaim }, maxParallel);
  return { kind: 'unit' as const, result };
}
