// Intents: what a state commit still has to do to other refs, noted before it, cleared after it, finished by others only
// when their owner is proven dead (01, Writes). Nothing that came by sync is ever read here: `refs/owl/local` stays local.

import * as v from 'valibot';
import { OwlError } from '../domain/errors.js';
import { isOid, isRefName, type Oid, type RefName } from '../domain/git.js';
import type { Engine, NewObject, RefUpdate, SwapResult } from '../git/engine.js';
import { newBlob } from '../git/objects.js';
import { failpoint } from '../system/failpoint.js';
import { canonical } from './canonical.js';
import { INTENT_PREFIX } from './layout.js';
import type { StoreEnv } from './store-env.js';
import type { Intent, Updated } from './types.js';
import { nothing, removeOrEmpty, swapPatiently, writeAndSwap } from './write-ref.js';

type Move = Intent['moves'][number];
type Refused = Updated<never>['refused'][number];

const oid = v.custom<Oid>((value) => typeof value === 'string' && isOid(value));
const value = v.union([oid, v.literal('absent')]);
const intentSchema = v.looseObject({
  schema: v.literal(1),
  kind: v.literal('intent'),
  op: v.string(),
  commit: oid,
  from: v.nullable(oid),
  owner: v.looseObject({
    host: v.string(),
    boot: v.string(),
    namespace: v.string(),
    pid: v.number(),
    start: v.string(),
  }),
  moves: v.array(
    v.looseObject({
      ref: v.custom<RefName>((name) => typeof name === 'string' && isRefName(name)),
      old: value,
      new: value,
      why: v.string(),
    }),
  ),
});

export interface StoredIntent extends Intent {
  /** The blob the ref stands at. */
  readonly oid: Oid;
}

/** An intent ref of which no intent can be read. */
export interface BrokenIntent {
  readonly ref: RefName;
  readonly oid: Oid;
}

export async function loadIntents(
  env: StoreEnv,
): Promise<{ readonly intents: readonly StoredIntent[]; readonly broken: readonly BrokenIntent[] }> {
  const empty = nothing(env.engine).oid;
  const refs = (await env.engine.list(INTENT_PREFIX)).filter(({ oid: at }) => at !== empty);
  const data = await env.objects.blobs(refs.map(({ oid: at }) => at));
  const intents: StoredIntent[] = [];
  const broken: BrokenIntent[] = [];
  for (const [at, { ref, oid: blob }] of refs.entries()) {
    const parsed = v.safeParse(intentSchema, parse(data[at] ?? null));
    if (parsed.success) intents.push({ ...parsed.output, ref, oid: blob });
    else broken.push({ ref, oid: blob });
  }
  return { intents, broken };
}

function parse(data: Buffer | null): unknown {
  try {
    return data === null ? null : JSON.parse(data.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

export interface OwnIntent {
  /** Notes these moves for this state commit; replaces what an earlier try noted. Returns the note, to be looked for later. */
  note(commit: Oid, from: Oid | null, moves: readonly Move[]): Promise<NewObject>;
  /** The state commit was made: from here on the intent is not ours to void, and the change not to be tried again. */
  stands(): void;
  stood(): boolean;
  /** It is carried out. Nothing noted is nothing to clear. */
  clear(): Promise<void>;
  /** It never came to be; does nothing once it stands. */
  void(): Promise<void>;
}

/** The one intent of an operation of this process. */
export function ownIntent(env: StoreEnv, op: string): OwnIntent {
  let at: { readonly ref: RefName; readonly oid: Oid } | null = null;
  let standing = false;
  const clear = async (): Promise<void> => {
    if (at === null) return;
    await removeOrEmpty(env, { ref: at.ref, old: at.oid }, 'intent carried out');
    at = null;
  };
  return {
    note: async (commit, from, moves) => {
      const owner = await env.environment.process();
      const blob = newBlob(
        env.objects.format,
        canonical({ schema: 1, kind: 'intent', op, commit, from, owner, moves }),
      );
      at = await noteAt(env, op, at, blob);
      return blob;
    },
    stands: () => {
      standing = true;
    },
    stood: () => standing,
    clear,
    void: async () => {
      if (!standing) await clear();
    },
  };
}

const NAMES = 20;

/** An operation of several steps may have left an intent under its name: then the next free one. */
async function noteAt(
  env: StoreEnv,
  op: string,
  before: { readonly ref: RefName; readonly oid: Oid } | null,
  blob: NewObject,
): Promise<{ ref: RefName; oid: Oid }> {
  for (let number = 1; number <= NAMES; number += 1) {
    const ref = before?.ref ?? (`${INTENT_PREFIX}${op}${number === 1 ? '' : `-${number}`}` as RefName);
    const swap = await writeAndSwap(env, [blob], { ref, old: before?.oid ?? 'absent', new: blob.oid }, 'intent');
    if (swap.kind === 'moved') return { ref, oid: blob.oid };
    if (swap.kind !== 'lost' || before !== null) break;
  }
  throw new OwlError('busy', `the intent of ${op} could not be noted under ${INTENT_PREFIX}`, {
    preserved: ['nothing was changed'],
  });
}

export interface Carried {
  readonly refused: readonly Refused[];
  /** Moves that a later command can still make: a lock was in the way, or the disk failed. */
  readonly unfinished: boolean;
}

/** Makes the moves, each by compare-and-swap and repeatable; a ref at neither old nor new is kept and reported. */
export async function carryOut(env: StoreEnv, moves: readonly Move[], step: string): Promise<Carried> {
  const refused: Refused[] = [];
  let unfinished = false;
  for (const { why, ...update } of moves) {
    await failpoint(`${step}.before-move`);
    const outcome = await moveOne(env, update, why);
    if (outcome !== null) refused.push(outcome.refused);
    unfinished ||= outcome?.unfinished ?? false;
    await failpoint(`${step}.after-move`);
  }
  return { refused, unfinished };
}

async function moveOne(
  env: StoreEnv,
  update: RefUpdate,
  why: string,
): Promise<{ readonly refused: Refused; readonly unfinished: boolean } | null> {
  let swap: SwapResult;
  try {
    swap = await swapPatiently(env, update, why);
  } catch (error) {
    if (!(error instanceof OwlError)) throw error;
    return { refused: { update, found: 'unknown', message: error.message }, unfinished: error.code === 'storage' };
  }
  if (swap.kind === 'moved') return null;
  if (swap.kind === 'lost') {
    if (swap.found === update.new) return null;
    const found = swap.found === 'absent' || swap.found === 'unknown' ? swap.found : swap.found.slice(0, 10);
    const message = `${update.ref} is at ${found}, neither where it was nor where it was to go; it was left alone`;
    return { refused: { update, found: swap.found, message }, unfinished: false };
  }
  const found = await lookAt(env.engine, update.ref);
  if (found === update.new) return null;
  const next = swap.kind === 'locked' ? '; the next command that writes tries again' : '';
  return { refused: { update, found, message: `${swap.message}${next}` }, unfinished: swap.kind === 'locked' };
}

async function lookAt(engine: Engine, ref: RefName): Promise<Oid | 'absent' | 'unknown'> {
  try {
    return (await engine.resolve(ref)) ?? 'absent';
  } catch (error) {
    if (error instanceof OwlError && error.code === 'unreadable-object') return 'unknown';
    throw error;
  }
}
