// `run`: takes one Job or Goal, named or the next eligible one, and carries it as far as it can go now (J4, J20; 03).

import type { JobId } from '../../domain/job.js';
import { carryGoal, type GoalUnit } from '../goal/advance.js';
import type { Sharing } from '../sync/queue.js';
import type { Workbench } from '../workbench.js';
import { carryJob, type JobUnit } from './carry-job.js';
import { chooseUnit, type Memory, passOver, type Waiting } from './choose.js';
import { claimJob } from './claim.js';

export type UnitResult = JobUnit | GoalUnit;

export interface SharedQueue extends Sharing {
  readonly remote: string;
}

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
  /** The shared queue that Jobs are taken from, by a claim on its remote (S7); null: this clone's own. */
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
  for (;;) {
    const chosen = await chooseUnit(bench, { id, merge, patient: options.patient, shared: options.shared }, memory);
    if (chosen.kind === 'nothing') return chosen;
    const taken =
      chosen.kind === 'job'
        ? await takeShared(bench, chosen.id, options, options.maxParallel ?? chosen.maxParallel)
        : await carryGoal(bench, chosen.goal, chosen.target, {
            step,
            merge,
            maxParallel: options.maxParallel,
            onClaim: ({ goal, marker }) => options.onClaim({ id: goal.id, run: marker }),
          });
    if (taken.kind !== 'not-now') return taken;
    // Another one took it, or decided about it, since we looked: the next one, unless somebody asked for this very one.
    if (id !== null) throw taken.error;
    if (options.shared !== null && chosen.kind === 'job') passOver(memory, chosen, taken.error.message);
    if (chosen.kind === 'goal' && taken.error.code !== 'superseded') passOver(memory, chosen, taken.error.message);
  }
}

async function takeShared(bench: Workbench, id: JobId, options: UnitOptions, maxParallel: number) {
  if (options.shared === null) return takeJob(bench, id, options, maxParallel);
  const { underClaim } = await import('../claims/claimed.js');
  const claimed = await underClaim(bench, options.shared.remote, id, (fenced) =>
    takeJob(fenced, id, options, maxParallel),
  );
  return claimed.kind === 'worked' ? claimed.value : claimed;
}

async function takeJob(bench: Workbench, id: JobId, options: UnitOptions, maxParallel: number) {
  const first = await claimJob(bench, { id, maxParallel });
  if (first.kind !== 'claimed') return first;
  const onClaim = ({ job, run }: typeof first) => options.onClaim({ id: job.id, run: run.id });
  const result = await carryJob(bench, first, { ...options, onClaim }, maxParallel);
  return { kind: 'unit' as const, result };
}
