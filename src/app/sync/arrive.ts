// What is noted before the state of another clone becomes the state here: once it has, nothing tells any more what was whose.

import type { Oid } from '../../domain/git.js';
import { isMerged, sayStandingMerge, standingMerge } from '../../domain/side-merge.js';
import type { StoreEnv } from '../../state/store-env.js';
import { failpoint } from '../../system/failpoint.js';
import { type ChangedJob, changedJobs, noteTips } from '../claims/arrived-tips.js';
import type { Workbench } from '../workbench.js';
import { noteForeign } from './foreign.js';
import { noteSides } from './sides.js';

/** `own`: ids of work that this clone itself published. */
export async function noteArrival(
  bench: Workbench,
  env: StoreEnv,
  states: { readonly ours: Oid | null; readonly next: Oid; readonly own?: ReadonlySet<string> },
): Promise<void> {
  const { ours, next, own = new Set<string>() } = states;
  await noteForeign(bench, env, { ours, next, own });
  if (ours !== null) {
    await noteSides(bench, env, ours, next);
    const changed = (await changedJobs(env, { ours, next })).filter(({ old }) => !own.has(old.id));
    await noteTips(bench, env, { changed, next });
    for (const one of changed) sayMergeBeside(bench, one);
  }
  await failpoint('sync.after-notes');
}

/** Cancelled in one clone and merged in another: cancel counts (S4), and the merge is on its target. Said to whoever learns of it. */
function sayMergeBeside({ say }: Pick<Workbench, 'say'>, { old, now }: ChangedJob): void {
  if (now === null || now.state !== 'cancelled' || (old.state === 'cancelled' && old.merged !== null)) return;
  const stays = standingMerge(now.id, { ...now, merged: null }, [isMerged(old) ? old : now]);
  if (stays !== null) say(sayStandingMerge(now.id, { ...stays, recorded: stays.recorded || now.merged !== null }));
}
