// A Goal and the Jobs of its Rounds are settled together, on the same side: one of them without the other is no piece of work (05, S3).

import type { ContestedWork } from '../../state/take-side.js';
import type { Workbench } from '../workbench.js';
import { whoseIs } from './sides.js';

export interface Chosen {
  readonly id: string;
  readonly side: string;
}

/** What is chosen, with what belongs to it as far as that can be told: deleted with it, or of the same clone. */
export async function withFamily(
  bench: Workbench,
  contested: readonly ContestedWork[],
  chosen: readonly Chosen[],
): Promise<readonly Chosen[]> {
  const all = new Map(chosen.map((one) => [one.id, one]));
  for (const { id, side } of chosen) {
    const work = contested.find((one) => one.id === id);
    const goal = work === undefined ? null : goalOf(work);
    if (work === undefined || goal === null) continue;
    for (const other of contested) {
      if (all.has(other.id) || goalOf(other) !== goal) continue;
      const same = await sameSide(bench, { work, side }, other);
      if (same !== null) all.set(other.id, { id: other.id, side: same });
    }
  }
  return [...all.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** The Goal itself, or that of a Round's Job; null: none. */
function goalOf({ of, id, versions }: ContestedWork): string | null {
  if (of === 'goal') return id;
  const goals = versions.flatMap(({ record }) => (typeof record?.['goal'] === 'string' ? [record['goal']] : []));
  return goals[0] ?? null;
}

async function sameSide(
  bench: Workbench,
  { work, side }: { readonly work: ContestedWork; readonly side: string },
  other: ContestedWork,
): Promise<string | null> {
  const isGone = (of: ContestedWork, name: string): boolean =>
    of.versions.find((version) => version.side === name)?.record === null;
  const fit = other.sides.filter((name) => isGone(other, name) === isGone(work, side));
  if (fit.length === 1) return fit[0] ?? null;
  const whose = await whoseIs(bench, work, side);
  if (whose === null) return null;
  for (const name of fit) if ((await whoseIs(bench, other, name)) === whose) return name;
  return null;
}
