// The queue as this clone may take from it by itself: what came from another clone waits for somebody to name it (05, S10).

import { loadUserFile } from '../../config/user-file.js';
import type { Unit } from '../../domain/goal-queue.js';
import type { Workbench } from '../workbench.js';
import { loadForeign } from './foreign.js';

const ELSEWHERE = 'it came from another clone: name it, or set sync.run in your own configuration';

/** The queue that several clones take from (S7). */
export interface Sharing {
  /** `--claim-remote` was given: then what came from elsewhere is taken, too (S10). */
  readonly byHand: boolean;
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
  return units.map((unit) => (came(unit) ? { ...unit, wait: { kind: 'waits', why: ELSEWHERE } } : unit));
}
