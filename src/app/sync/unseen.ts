// A remote's queue that this clone has never taken in: a plain `git clone` brings its state as a remote-tracking branch (05, S1). Asks
// no remote.

import { openEnv } from '../../state/store.js';
import { trackedState } from '../state-share/part.js';
import type { Workbench } from '../workbench.js';

/** What a person types to have it here. */
export const BRINGS = 'git owl sync';

/** One sentence for each such remote; none where the state here was shared once. */
export async function sayUnseen(bench: Workbench): Promise<readonly string[]> {
  const { remotes } = await bench.remotes();
  if (remotes.length === 0 || (await bench.notes.read('shared')) !== null) return [];
  const { engine } = await openEnv(bench);
  const { tip } = await bench.store.snapshot();
  const unseen: string[] = [];
  for (const remote of remotes) {
    const theirs = await engine.resolve(trackedState(remote));
    if (theirs === null || theirs === tip) continue;
    // A person may have brought it, or pushed the own one, by hand.
    if (tip !== null && (await engine.isAncestor(theirs, tip)) === 'ancestor') continue;
    unseen.push(`${remote} has a queue that is not here: ${BRINGS} brings it`);
  }
  return unseen;
}
