// The one way the state changes: load, check and change inside the compare-and-swap loop; pins, intent, state commit,
// moves and clearing in an order that a `kill -9` at any point leaves whole (01, Writes).

import { OwlError } from '../domain/errors.js';
import type { EventDraft } from '../domain/events.js';
import { isRefName, type Oid } from '../domain/git.js';
import type { NewObject, RefUpdate, SwapResult } from '../git/engine.js';
import { formatTimestamp } from '../system/clock.js';
import { failpoint } from '../system/failpoint.js';
import { makeCommits, newMeta } from './commit.js';
import { ensureThere } from './gc-watch.js';
import { refuseBlockedNames, refuseOccupied, refuseQuarantine } from './guard.js';
import { carryOut, type OwnIntent, ownIntent } from './intents.js';
import { appendPins, bringBack } from './keep.js';
import { INTENT_PREFIX, META_PATH, STATE_REF } from './layout.js';
import { loadState } from './load-state.js';
import { isUnreadable } from './objects.js';
import { type Turn, takeTurn } from './queue.js';
import { answered, answerFile, checkRequestId } from './requests.js';
import { createSnapshot, metaError, type StateSnapshot } from './snapshot.js';
import type { StoreEnv } from './store-env.js';
import { type Built, beginTransaction } from './transaction.js';
import type { Tx, Updated, UpdateOptions } from './types.js';
import { placesOf, withoutPlaces } from './without-places.js';
import { swapPatiently } from './write-ref.js';

const TRIES = 60;
const TRY_MS = 60_000;
/** Lost tries before a writer queues up. */
const PATIENCE = 2;
/** Tries for objects that a `gc` beside us took and their writer has not yet written again. */
const UNREADABLE_TRIES = 6;

interface Attempt {
  readonly op: string;
  readonly now: string;
  readonly step: string;
  readonly options: WriteOptions;
  readonly intent: OwnIntent;
}

type Outcome<T> = { readonly kind: 'done'; readonly updated: Updated<T> } | { readonly kind: 'lost' };

/** For the store's own writers: files beside the records, path -> bytes, or null to remove. */
export interface WriteOptions extends UpdateOptions {
  /** The tree to change instead of the state's own: what this write itself makes of that; its objects are written. */
  readonly from?: ((snapshot: StateSnapshot) => Promise<Oid>) | undefined;
  readonly files?: ((snapshot: StateSnapshot) => Promise<ReadonlyMap<string, Buffer | null>>) | undefined;
}

/** See StateStore.update. */
export async function updateState<T>(
  env: StoreEnv,
  options: WriteOptions,
  change: (tx: Tx) => Promise<T>,
): Promise<Updated<T>> {
  refuseQuarantine(env.quarantine);
  if (options.request !== undefined) checkRequestId(options.request.id);
  if (!env.freePrefixes.has('refs/owl/')) await refuseOccupied(env.engine);
  env.freePrefixes.add('refs/owl/');
  const op = options.op ?? env.ids.operation();
  if (!isRefName(`${INTENT_PREFIX}${op}`))
    throw new OwlError('defect', `${JSON.stringify(op.slice(0, 80))} cannot be an operation id`);
  const attempt: Attempt = {
    op,
    now: formatTimestamp(env.clock.now()),
    step: options.step ?? 'state',
    options,
    intent: ownIntent(env, op),
  };
  const deadline = env.clock.elapsed() + TRY_MS;
  let turn: Turn | null = null;
  let unreadable = 0;
  let tries = 0;
  const nested = env.inFlight.has(op);
  env.inFlight.add(op);
  try {
    for (; tries < TRIES && env.clock.elapsed() < deadline; tries += 1) {
      if (turn === null && (env.crowded || tries >= PATIENCE)) turn = await takeTurn(env, deadline);
      const began = env.clock.elapsed();
      try {
        const outcome = await tryOnce(env, attempt, change);
        if (outcome.kind === 'done') {
          env.crowded = turn?.waited ?? tries > 0;
          return outcome.updated;
        }
      } catch (error) {
        const again = !attempt.intent.stood() && (isUnreadable(error) || isDamaged(error));
        if (!again || ++unreadable >= UNREADABLE_TRIES) throw error;
      }
      // As long as a try takes here and now, and longer each time: shorter, and all would only meet again.
      const spent = env.clock.elapsed() - began;
      if (turn === null) await env.clock.sleep(spent * (0.5 + env.ids.random()) * 2 ** tries);
    }
    throw new OwlError('busy', 'others changed the state again and again while this change was tried', {
      preserved: ['nothing was changed'],
      next: ['git owl status'],
      data: { tries, queued: turn !== null },
    });
  } catch (error) {
    await attempt.intent.void();
    throw error;
  } finally {
    if (!nested) env.inFlight.delete(op);
    await turn?.release();
  }
}

/** Damage that comes from an object that is away for now; other damage stays as it is when tried again. */
const isDamaged = (error: unknown): boolean =>
  error instanceof OwlError && error.code === 'damaged-state' && isUnreadable(error.cause);

async function tryOnce<T>(env: StoreEnv, attempt: Attempt, change: (tx: Tx) => Promise<T>): Promise<Outcome<T>> {
  const { options, op, now } = attempt;
  const loaded = await loadState(env);
  const meta = await loaded.loadMeta();
  if (meta.kind === 'damaged' || meta.kind === 'newer') throw metaError(meta);
  if (options.request !== undefined) {
    const first = await answered(loaded, options.request);
    if (first !== null) return done(first.result as T, null, true);
  }
  const snapshot =
    options.from === undefined
      ? loaded
      : createSnapshot(env.objects, loaded.tip, await options.from(loaded), loaded.now);
  const transaction = beginTransaction(snapshot, op, now);
  const result = await change(withoutPlaces(transaction.tx, placesOf(env)));
  const creation = snapshot.tip === null ? newMeta(env, now) : null;
  const extra = new Map<string, Buffer | null>(await options.files?.(snapshot));
  if (creation !== null) extra.set(META_PATH, creation);
  if (options.request !== undefined) extra.set(...answerFile(options.request, op, now, result));
  const built = await transaction.build(extra);
  const event = built.event ?? silentEvent(options, snapshot, built, op);
  if (event === null) {
    await writeBeside(env, built, attempt.step);
    await attempt.intent.void();
    return done(result, null, false);
  }
  return commitState(env, attempt, snapshot, { built, event, creation, result });
}

const done = <T>(result: T, commit: Oid | null, repeated: boolean): Outcome<T> => ({
  kind: 'done',
  updated: { result, commit, repeated, refused: [] },
});

/** A change that says nothing may change nothing; but a request is remembered also when its answer was "nothing to do". */
function silentEvent(options: UpdateOptions, snapshot: StateSnapshot, built: Built, op: string): EventDraft | null {
  const changed = built.root !== snapshot.root && options.request === undefined && snapshot.tip !== null;
  if (changed || built.moves.length > 0 || built.created.length > 0) {
    throw new OwlError('defect', `operation ${op} changes the state and does not say what happened`, {
      preserved: ['nothing was changed'],
    });
  }
  if (options.request === undefined) return null;
  return { event: 'request.answered', subject: 'a request was answered; nothing had to change' };
}

/** Pins and objects of a change that needs no state commit. */
async function writeBeside(env: StoreEnv, built: Built, step: string): Promise<void> {
  const wanted = built.pins.length > 0;
  if (wanted) await env.engine.write(built.objects);
  for (const id of built.revived) await bringBack(env, id);
  if (wanted) await appendPins(env, built.pins, step);
}

interface Ready<T> {
  readonly built: Built;
  readonly event: EventDraft;
  readonly creation: Buffer | null;
  readonly result: T;
}

async function commitState<T>(
  env: StoreEnv,
  attempt: Attempt,
  snapshot: StateSnapshot,
  ready: Ready<T>,
): Promise<Outcome<T>> {
  const { built, event, creation, result } = ready;
  const { step, intent, op } = attempt;
  await refuseNames(env, built, creation !== null);
  const made = await makeCommits(env, {
    tree: built.root as Oid,
    parent: snapshot.tip,
    event,
    open: built.open,
    op,
    request: attempt.options.request?.id ?? null,
    meta: creation,
  });
  const tip = made.at(-1) as NewObject;
  const objects = [...built.objects, ...made];
  // Cheap, and saves the flush of what would be lost anyhow.
  if ((await env.engine.resolve(STATE_REF)) !== snapshot.tip) return { kind: 'lost' };

  await failpoint(`${step}.before-objects`);
  env.engine.expectSwap();
  await env.engine.write(objects);
  await failpoint(`${step}.before-pins`);
  for (const id of built.revived) await bringBack(env, id);
  const pinned = await appendPins(env, built.pins, step);
  await failpoint(`${step}.after-pins`);
  const noted = built.moves.length > 0 ? [await intent.note(tip.oid, snapshot.tip, built.moves)] : [];
  if (noted.length === 0) await intent.void();
  await failpoint(`${step}.after-intent`);
  await failpoint(`${step}.before-state`);
  const swap = await swapState(
    env,
    { ref: STATE_REF, old: snapshot.tip ?? 'absent', new: tip.oid },
    `${op}: ${event.event}`,
  );
  if (swap.kind === 'impossible') {
    throw new OwlError('name-blocked', `${STATE_REF} cannot be made: ${swap.message}`, {
      preserved: ['nothing was changed'],
      next: ['git for-each-ref refs/heads/refine'],
    });
  }
  if (swap.kind === 'locked')
    throw new OwlError('busy', swap.message, { preserved: ['nothing was changed'], next: ['git owl doctor'] });
  if (swap.kind === 'lost') return { kind: 'lost' };
  intent.stands();
  await failpoint(`${step}.after-state`);
  await ensureThere(env, [...objects, ...pinned, ...noted], `the state ${tip.oid.slice(0, 10)}`);
  const carried = await carryOut(env, built.moves, step);
  if (carried.unfinished) env.left.add(op);
  else await intent.clear();
  await failpoint(`${step}.after-clear`);
  return { kind: 'done', updated: { result, commit: tip.oid, repeated: false, refused: carried.refused } };
}

/** What the swap says is not the last word: when it failed after the move was made, the ref stands at our commit, which nobody else has. */
async function swapState(
  env: StoreEnv,
  update: RefUpdate & { readonly new: Oid },
  reason: string,
): Promise<SwapResult> {
  try {
    const swap = await swapPatiently(env, update, reason);
    return swap.kind === 'lost' && swap.found === update.new ? { kind: 'moved' } : swap;
  } catch (error) {
    if (error instanceof OwlError && (await env.engine.resolve(update.ref)) === update.new) return { kind: 'moved' };
    throw error;
  }
}

/** Names are looked at when the state is made, here and on the remote, and again here for each new Job (01, Refs). */
async function refuseNames(env: StoreEnv, built: Built, creation: boolean): Promise<void> {
  if (!creation && built.created.length === 0) return;
  const prefixes = new Set(built.created.map((job) => job.prefix));
  const fresh = [...prefixes].filter((prefix) => creation || !env.freePrefixes.has(prefix));
  if (!creation && fresh.length === 0) return;
  await refuseBlockedNames(env.engine, fresh, creation);
  for (const prefix of fresh) env.freePrefixes.add(prefix);
}
