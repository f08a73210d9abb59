// Writers that lost a few times stand in line behind one ref, so that sixteen at once all get their turn, in order (01, Writes).
// The line is a courtesy, never a guard: the compare-and-swap of the state alone decides.

import * as v from 'valibot';
import type { Oid } from '../domain/git.js';
import type { SwapResult } from '../git/engine.js';
import { newBlob } from '../git/objects.js';
import { canonical } from './canonical.js';
import { QUEUE_REF } from './layout.js';
import { ownerIsGone } from './owner.js';
import type { StoreEnv } from './store-env.js';
import { writeAndSwap } from './write-ref.js';

/** On the observer's own clock: who heads the line for so long is passed over. */
const STALE_MS = 10_000;
/** A head that was killed is found out this soon. */
const LOOK_MS = 400;
/** For each place in the line; the ref itself is one small file. */
const POLL_MS = 12;
const LONGEST = 200;
const RELEASE_TRIES = 50;

export interface Turn {
  /** Had anybody to be waited for? */
  readonly waited: boolean;
  release(): Promise<void>;
}

const placeSchema = v.object({
  token: v.string(),
  owner: v.object({ host: v.string(), boot: v.string(), namespace: v.string(), pid: v.number(), start: v.string() }),
});
const lineSchema = v.looseObject({ kind: v.literal('queue'), line: v.array(placeSchema) });

type Place = v.InferOutput<typeof placeSchema>;

interface Line {
  readonly at: Oid | null;
  readonly places: readonly Place[];
}

/** Waits for a turn, at most until `deadline` (ms of `clock.elapsed`); then the caller goes on without one. */
export async function takeTurn(env: StoreEnv, deadline: number): Promise<Turn> {
  const mine: Place = { token: env.ids.operation(), owner: await env.environment.process() };
  let head = { token: '', since: 0, looked: 0 };
  let waited = false;
  let line: Line | null = null;
  for (let tries = 0; env.clock.elapsed() < deadline; tries += 1) {
    line = await loadLine(env, line);
    const place = line.places.findIndex(({ token }) => token === mine.token);
    if (place === 0) return { waited, release: () => leave(env, mine) };
    waited ||= line.places.length > 0;
    if (place < 0) {
      // Passed over, or not in the line yet. Too long a line helps nobody.
      if (line.places.length >= LONGEST) break;
      const joined = await moveLine(env, line, [...line.places, mine]);
      if (joined.kind !== 'moved') await env.clock.sleep(env.ids.random() * POLL_MS * 2 ** Math.min(tries, 4));
      continue;
    }
    const first = line.places[0] as Place;
    const now = env.clock.elapsed();
    if (head.token !== first.token) head = { token: first.token, since: now, looked: now };
    const stale = now - head.since > STALE_MS;
    const look = now - head.looked > LOOK_MS;
    if (look) head.looked = now;
    if (stale || (look && (await ownerIsGone(env, first.owner)) === 'gone'))
      await moveLine(env, line, line.places.slice(1));
    else await env.clock.sleep(POLL_MS * Math.min(place, 12) * (0.5 + env.ids.random()));
  }
  await leave(env, mine);
  return { waited: true, release: async () => {} };
}

/** Lost to who joined meanwhile: looked at and tried again. The ref stays when the line is empty: to look at an absent one costs a process. */
async function leave(env: StoreEnv, mine: Place): Promise<void> {
  for (let tries = 0; tries < RELEASE_TRIES; tries += 1) {
    const line = await loadLine(env);
    const others = line.places.filter(({ token }) => token !== mine.token);
    if (others.length === line.places.length || (await moveLine(env, line, others)).kind === 'moved') return;
    await env.clock.sleep(env.ids.random() * POLL_MS);
  }
}

function moveLine(env: StoreEnv, line: Line, next: readonly Place[]): Promise<SwapResult> {
  const blob = newBlob(env.engine.format, canonical({ schema: 1, kind: 'queue', line: next }));
  return writeAndSwap(env, [blob], { ref: QUEUE_REF, old: line.at ?? 'absent', new: blob.oid }, 'queue');
}

/** What cannot be read is an empty line: at worst, two writers think that it is their turn. */
async function loadLine(env: StoreEnv, before: Line | null = null): Promise<Line> {
  const at = await env.engine.resolve(QUEUE_REF);
  if (before !== null && before.at === at) return before;
  const [data] = at === null ? [null] : await env.objects.blobs([at]);
  const parsed = v.safeParse(lineSchema, parse(data ?? null));
  return { at, places: parsed.success ? parsed.output.line : [] };
}

function parse(data: Buffer | null): unknown {
  try {
    return data === null ? null : JSON.parse(data.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
