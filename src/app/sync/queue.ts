// The queue as this clone may take from it by itself: what came from another clone waits for somebody to name it (05, S10).

import { loadUserFile, userFileLabel } from '../../config/user-file.js';
import type { Unit } from '../../domain/goal-queue.js';
import type { Wait } from '../../domain/queue.js';
import type { Workbench } from '../workbench.js';
import { loadForeign } from './foreign.js';

/** The queue that several clones take from (S7). */
export interface Sharing {
  /** `--claim-remote` was given: then what came from elsewhere is taken, too (S10). */
  readonly byHand: boolean;
}

export interface SharedQueue extends Sharing {
  readonly remote: string;
}

/** The same units in the same order. Throws OwlError `configuration` for the user's own file. */
export async function withForeign(
  bench: Pick<Workbench, 'notes' | 'environment'>,
  units: readonly Unit[],
  sharing: Sharing | null = null,
): Promise<readonly Unit[]> {
  const foreign = await loadForeign(bench);
  const came = (unit: Unit): boolean =>
    unit.wait.kind === 'eligible' && foreign.waits(unit.kind === 'job' ? unit.job : unit.goal);
  if (!units.some(came)) return units;
  const free = sharing?.byHand === true || (await loadUserFile(bench.environment)).source?.file.sync?.run === true;
  if (free) return units;
  const note = `with sync: { run: true } in ${userFileLabel(bench.environment)} git owl run takes what came from other clones by itself`;
  return units.map((unit) => (came(unit) ? { ...unit, wait: waitsForName(unit, note) } : unit));
}

const waitsForName = ({ id }: Unit, note: string): Wait => ({
  kind: 'waits',
  why: 'it came from another clone, and runs here only by name',
  next: `git owl run ${id}`,
  note,
});
