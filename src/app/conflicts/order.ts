// `avoid_conflicts`: what would collide when it is merged comes after the rest, as far as objects tell (06, conflicts).

import { isOwlError } from '../../domain/errors.js';
import { shortRef } from '../../domain/git.js';
import { collidingLater, type Unit } from '../../domain/goal-queue.js';
import { currentPolicy } from '../policy.js';
import type { Workbench } from '../workbench.js';
import { type PredictedCollision, predictConflicts } from './predict.js';

/**
 * The same units; those that would collide come after the others of their priority, each with what it collides with. As they are
 * where the configuration does not ask for it, and where it cannot be told: an order is no reason to stop.
 */
export async function inOrderOfConflicts(bench: Workbench, units: readonly Unit[]): Promise<readonly Unit[]> {
  // With fewer there is no order; what was never begun has no commits to collide.
  const free = units.filter((unit) => unit.wait.kind === 'eligible');
  if (free.length < 2 || !free.some(wasBegun)) return units;
  try {
    // That of the default base decides for the whole queue.
    const { loaded } = await currentPolicy(bench, {});
    if (!loaded.policy.avoid_conflicts) return units;
    const { collisions } = await predictConflicts(bench, { ids: free.filter(wasBegun).map(({ id }) => id) });
    return collidingLater(
      units,
      collisions.map((collision) => ({
        id: collision.branch.id,
        with: collision.with?.id ?? null,
        says: sayCollision(collision),
      })),
    );
  } catch (error) {
    if (isOwlError(error)) return units;
    throw error;
  }
}

const wasBegun = (unit: Unit): boolean => (unit.kind === 'job' ? unit.job.runs > 0 : unit.goal.round > 0);

const MOST_PATHS = 2;

/** "with q2r7ab in src/a.ts, src/b.ts and 3 more", of the first of the two. */
export function sayCollision({ branch, with: other, paths }: PredictedCollision): string {
  const more = paths.length - MOST_PATHS;
  const where = more > 0 ? `${paths.slice(0, MOST_PATHS).join(', ')} and ${more} more` : paths.join(', ');
  return `${branch.id} will collide with ${other?.id ?? shortRef(branch.target.ref)} in ${where}`;
}

/** What a person is told of the order; empty where it is the order of the queue. */
export const sayLater = (units: readonly Unit[]): readonly string[] =>
  units.flatMap(({ kind, id, later }) =>
    later === undefined ? [] : [`${kind} ${id} comes after the others of its priority: ${later}`],
  );
