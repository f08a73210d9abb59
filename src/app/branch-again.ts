// A branch of open work that is not there: made, or made again, while its work is open. Once that is closed `gc` may have retired the name, and
// a process that comes back late does not bring it back (M10).

import type { Oid, RefName } from '../domain/git.js';
import { createBeside } from '../git/ref-transaction.js';
import { closedSince } from '../state/archive.js';
import { STATE_REF } from '../state/layout.js';
import type { Workbench } from './workbench.js';

export interface BranchAgain {
  readonly ref: RefName;
  readonly oid: Oid;
  /** Id of the Goal or Job that the branch belongs to. */
  readonly work: string;
}

const TRIES = 8;
const PAUSE = 40;

/**
 * In one step with the state that says that the work is open. `there`: it exists, at whatever commit; `closed`: nothing was made, and what the
 * branch would hold is the caller's to keep; `refused`: Git does not make it.
 */
export async function makeBranchAgain(
  bench: Workbench,
  { ref, oid, work }: BranchAgain,
  why: string,
): Promise<'made' | 'there' | 'closed' | 'refused'> {
  const engine = await bench.repository.engine();
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    if (attempt > 0) await bench.clock.sleep(PAUSE * (0.5 + bench.ids.random()), bench.signal);
    const snapshot = await bench.store.snapshot();
    if ((await closedSince(snapshot, work)) !== null) return 'closed';
    const held = snapshot.tip === null ? [] : [{ ref: STATE_REF, oid: snapshot.tip }];
    if (await createBeside(bench.repository, { held, made: { ref, oid } }, why)) return 'made';
    if ((await engine.resolve(ref)) !== null) return 'there';
  }
  return 'refused';
}
