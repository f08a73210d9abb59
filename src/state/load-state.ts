// The state as one commit of `refine/state` has it, for reading.

import { OwlError } from '../domain/errors.js';
import type { Oid } from '../domain/git.js';
import { loadRoot } from './guard.js';
import { ARCHIVE_PREFIX, KEEP_PREFIX, LOCAL_PREFIX, STATE_REF } from './layout.js';
import { createSnapshot, type StateSnapshot } from './snapshot.js';
import type { StoreEnv } from './store-env.js';

/** What only a state can have led to: where one of these is, a state that is not there was not "never made" (01, Writes). */
const TRACES = [KEEP_PREFIX, ARCHIVE_PREFIX, `${LOCAL_PREFIX}runs/`];

async function refuseMissing(env: StoreEnv): Promise<void> {
  for (const prefix of TRACES) {
    const [trace] = await env.engine.list(prefix);
    if (trace === undefined) continue;
    throw new OwlError(
      'damaged-state',
      `${STATE_REF} is not there, but ${trace.ref} is: the state seems to be missing`,
      {
        preserved: ['nothing was changed'],
        next: ['git owl fsck'],
        data: { missing: true },
      },
    );
  }
}

/** The state as it is now. Throws OwlError `foreign-state`, `damaged-state` (also where it is missing), `unreadable-object`. */
export async function loadState(env: StoreEnv): Promise<StateSnapshot> {
  const tip = await env.engine.resolve(STATE_REF);
  if (tip === null) await refuseMissing(env);
  const root = tip === null ? null : await loadRoot(env.objects, tip);
  return createSnapshot(env.objects, tip, root, env.clock.now());
}

/** As another commit of a state has it, such as one that was just fetched. Throws as `loadState`. */
export async function loadStateAt(env: StoreEnv, tip: Oid): Promise<StateSnapshot> {
  return createSnapshot(env.objects, tip, await loadRoot(env.objects, tip), env.clock.now());
}
