// What is noted before the state of another clone becomes the state here: once it has, nothing tells any more what was whose.

import type { Oid } from '../../domain/git.js';
import type { StoreEnv } from '../../state/store-env.js';
import { failpoint } from '../../system/failpoint.js';
import { noteTips } from '../claims/arrived-tips.js';
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
  if (ours !== null) await noteSides(bench, env, ours, next);
  if (ours !== null) await noteTips(bench, env, { ours, next, own });
  await failpoint('sync.after-notes');
}
