// `sync.auto`: commands that change state sync before and after, once this clone was synced by hand (05, S1). A remote that cannot
// be reached stops no command: what was not carried, the next sync carries.

import type { Context } from '../../context.js';
import { isOwlError } from '../../domain/errors.js';
import { currentPolicy } from '../policy.js';
import { openWorkbench } from '../workbench.js';
import { exchangeState } from './exchange.js';
import { exchangeRefs } from './refs.js';
import { syncRemote } from './sync.js';

export async function syncByItself(context: Context): Promise<void> {
  const bench = await openWorkbench(context);
  try {
    if (!(await currentPolicy(bench, {})).loaded.policy.sync.auto) return;
    const remote = await syncRemote(bench, undefined);
    await exchangeState(bench, remote);
    await exchangeRefs(bench, remote);
  } catch (error) {
    if (!isOwlError(error)) throw error;
    bench.say(`not synced: ${error.message}`);
  }
}
