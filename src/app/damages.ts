// What of the state could not be read, for commands that go on with the rest (07.30): reading works, and what it leaves out is said.

import type { Snapshot } from '../state/types.js';

/** One sentence for each record that is damaged, contested or newer than this program, met in open work or in the state's own record. */
export const sayDamages = async (snapshot: Snapshot): Promise<readonly string[]> =>
  (await snapshot.damages()).map(({ kind, path, why }) =>
    kind === 'contested' ? why : `${path} is ${kind}: ${why} (git owl fsck)`,
  );
