// The state as this clone last exchanged it with a remote, noted here: the remote-tracking branch does not tell, since every fetch of
// the user's moves it (05, S9).

import { isOid, type Oid, type RefName } from '../domain/git.js';
import type { Engine } from '../git/engine.js';
import { parseJson } from './canonical.js';
import { LOCAL_PREFIX } from './layout.js';

/** Name of the note; its value is `{ tip }`. */
export const remoteNoteName = (remote: string): string => `remote-state/${remote}`;

/** Null: nothing was exchanged yet. */
export async function remoteNote(engine: Engine, remote: string): Promise<Oid | null> {
  const oid = await engine.resolve(`${LOCAL_PREFIX}${remoteNoteName(remote)}` as RefName);
  const blob = oid === null ? null : await engine.read(oid);
  const value = blob?.type === 'blob' ? parseJson(blob.data.toString('utf8')) : null;
  const tip = (value as { readonly tip?: unknown } | null)?.tip;
  return typeof tip === 'string' && isOid(tip) ? tip : null;
}
