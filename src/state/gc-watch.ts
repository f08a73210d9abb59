// Objects are looked for again after the state commit: a `gc --prune=now` beside a writer can take what it had not yet seen referenced (01, Writes).

import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { OwlError } from '../domain/errors.js';
import type { NewObject } from '../git/engine.js';
import { signalReaches } from '../system/processes.js';
import type { StoreEnv } from './store-env.js';

type GcWatch = Pick<StoreEnv, 'engine' | 'commonDir'> & {
  readonly clock: Pick<StoreEnv['clock'], 'elapsed' | 'sleep'>;
};

const ROUNDS = 5;
const GC_WAIT_MS = 20_000;
const GC_POLL_MS = 40;

/**
 * Returns when all are there, with no `git gc` running that could still take them, or its time is over.
 * What is missing is written again. Throws OwlError `state-at-risk` when that does not help.
 */
export async function ensureThere(env: GcWatch, objects: readonly NewObject[], what: string): Promise<void> {
  await writeMissing(env, objects, what);
  const deadline = env.clock.elapsed() + GC_WAIT_MS;
  let waited = false;
  while ((await gcRuns(env)) && env.clock.elapsed() < deadline) {
    waited = true;
    await env.clock.sleep(GC_POLL_MS);
    await writeMissing(env, objects, what);
  }
  if (waited) await writeMissing(env, objects, what);
}

async function writeMissing(env: GcWatch, objects: readonly NewObject[], what: string): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const there = await env.engine.exists(objects.map((object) => object.oid));
    const missing = objects.filter((_, at) => there[at] !== true);
    if (missing.length === 0) return;
    try {
      await env.engine.write(missing);
    } catch (error) {
      if (!(error instanceof OwlError)) throw error;
      throw atRisk(missing.length, what, error);
    }
  }
  throw atRisk(objects.length, what, null);
}

const atRisk = (count: number, what: string, cause: OwlError | null): OwlError =>
  new OwlError(
    'state-at-risk',
    `${what} was written, and objects of it (up to ${count}) vanish from the repository and cannot be written again`,
    {
      preserved: ['earlier states are in the history of refs/heads/refine/state'],
      next: ['git owl fsck', 'git fsck --connectivity-only'],
      ...(cause === null ? {} : { cause }),
    },
  );

/** `gc.pid` holds "<pid> <host>" while `git gc` runs; one that a dead gc left on this host does not count. */
async function gcRuns(env: GcWatch): Promise<boolean> {
  if (env.commonDir === null) return false;
  let text: string;
  try {
    text = await readFile(join(env.commonDir, 'gc.pid'), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
  const [pid, host] = text.trim().split(' ');
  return host !== hostname() || !/^\d+$/.test(pid ?? '') || signalReaches(Number(pid)) !== 'absent';
}
