// Writes objects and moves a ref to one of them, whatever a `gc --prune=now` beside us takes in between (01, Writes).

import { OwlError } from '../domain/errors.js';
import type { Oid, RefName } from '../domain/git.js';
import type { Engine, NewObject, RefUpdate, SwapResult } from '../git/engine.js';
import { newBlob } from '../git/objects.js';
import { canonical } from './canonical.js';

const ROUNDS = 6;
const LOCK_TRIES = 12;

export interface RefWriter {
  readonly engine: Engine;
  /** Waits with jitter before the next try. */
  pause(attempt: number): Promise<void>;
}

/** A lock held for a moment by another Git is waited out; one that stays is the answer. */
export async function swapPatiently(env: RefWriter, update: RefUpdate, why: string): Promise<SwapResult> {
  for (let attempt = 0; ; attempt += 1) {
    const swap = await env.engine.swap(update, why);
    if (swap.kind !== 'locked' || attempt >= LOCK_TRIES) return swap;
    await env.pause(attempt);
  }
}

/** What stands at a ref of this clone's facts that is over and could not be deleted: JSON `null`, read as "not there". */
export const nothing = (engine: Engine): NewObject => newBlob(engine.format, canonical(null));

/**
 * Deletes a ref of this clone's own facts. Deleting needs the lock of the packed refs, which a killed Git may have left; writing a
 * value does not: where it is held the ref says that there is nothing, and a later command deletes it.
 */
export async function removeOrEmpty(
  env: RefWriter,
  update: { readonly ref: RefName; readonly old: Oid },
  why: string,
): Promise<SwapResult> {
  const empty = nothing(env.engine);
  // Git has waited for the lock already.
  const swap = await env.engine.swap({ ...update, new: 'absent' }, why);
  if (swap.kind !== 'locked' || update.old === empty.oid) return swap;
  return writeAndSwap(env, [empty], { ...update, new: empty.oid }, why);
}

/** Objects that vanish before the ref names them are written again. Throws what the engine throws. */
export async function writeAndSwap(
  env: RefWriter,
  objects: readonly NewObject[],
  update: RefUpdate,
  why: string,
): Promise<SwapResult> {
  for (let round = 1; ; round += 1) {
    await env.engine.write(objects);
    try {
      return await swapPatiently(env, update, why);
    } catch (error) {
      if (!isVanished(error) || round >= ROUNDS) throw error;
    }
  }
}

const isVanished = (error: unknown): boolean =>
  error instanceof OwlError && error.code === 'unreadable-object' && error.data['missing'] === true;
