// Keeps the folders of this machine out of what is recorded: a synced record holds no absolute path and no user's name (01, Records).

import { dirname } from 'node:path';
import type { Reason } from '../domain/job.js';
import type { StoreEnv } from './store-env.js';
import type { Tx } from './types.js';

/** A folder, and what is written in its place. */
type Place = readonly [path: string, as: string];

/** The text with each place named by its stand-in; `/root` is not in `/rootfs`. Pure. */
export const sayWithout = (places: readonly Place[], text: string): string =>
  places.reduce((now, [path, as]) => {
    const pieces = now.split(path);
    return pieces.reduce((said, piece) => `${said}${/^[\w-]/.test(piece) ? path : as}${piece}`);
  }, text);

/** Longest first, so that what lies inside another place is named by the nearest. Folders at the top of the disk are no secret. */
export function placesOf(env: Pick<StoreEnv, 'commonDir' | 'environment'>): readonly Place[] {
  const { home, dataDir } = env.environment;
  const tree = env.commonDir?.endsWith('/.git') === true ? dirname(env.commonDir) : env.commonDir;
  const places: readonly (readonly [string | null, string])[] = [
    [tree, '<repository>'],
    [dataDir, '<data>'],
    [home, '~'],
  ];
  return places
    .flatMap(([path, as]): Place[] => (path === null || path.split('/').length < 3 ? [] : [[path, as]]))
    .sort(([one], [two]) => two.length - one.length);
}

/** `tx` whose reasons and events are written without the places. */
export function withoutPlaces(tx: Tx, places: readonly Place[]): Tx {
  const told = (reason: Reason | null): Reason | null =>
    reason === null ? null : { ...reason, text: sayWithout(places, reason.text) };
  return {
    ...tx,
    putJob: (job) => tx.putJob(job.reason === null ? job : { ...job, reason: told(job.reason) }),
    putRun: (run) => tx.putRun(run.reason === null ? run : { ...run, reason: told(run.reason) }),
    putGoal: (goal) => tx.putGoal(goal.reason === null ? goal : { ...goal, reason: told(goal.reason) }),
    putEvidence: (one) => tx.putEvidence(one.reason === null ? one : { ...one, reason: told(one.reason) }),
    event: (draft) => tx.event({ ...draft, subject: sayWithout(places, draft.subject) }),
  };
}
