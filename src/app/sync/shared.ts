// Which remote the state of this clone is shared with, if any: noted when it was first there (05, S9).

import type { Workbench } from '../workbench.js';

/** The clone's state has been on a remote: from then on it has a repository's id of its own. */
export const SHARED_NOTE = 'shared';

/** Null: with none, or with one that is no remote of this clone any more. */
export async function sharedRemote(bench: Pick<Workbench, 'notes' | 'remotes'>): Promise<string | null> {
  const note = await bench.notes.read<{ readonly remote: string }>(SHARED_NOTE);
  const { remotes } = await bench.remotes();
  return note !== null && remotes.includes(note.value.remote) ? note.value.remote : null;
}
