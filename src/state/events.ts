// The audit log: the state commits, newest first, read back from their messages (01, Writes).

import type { StateEvent } from '../domain/events.js';
import type { Oid } from '../domain/git.js';
import type { Commit } from '../git/engine.js';
import { STATE_REF } from './layout.js';
import { parseEvent } from './message.js';
import type { StoreEnv } from './store-env.js';

export interface EventOptions {
  readonly limit?: number;
  readonly job?: string;
  readonly goal?: string;
  /** Of these Jobs, too: a Goal's Rounds have Jobs whose own events do not name it. */
  readonly jobs?: readonly string[];
  /** Only what is not in the history of this commit. */
  readonly since?: Oid;
}

/**
 * Newest first; after a merge the sides are woven by their times. Commits that are not ours are left out.
 * Throws OwlError `unreadable-object` where the history is broken.
 */
export async function loadEvents(env: StoreEnv, options: EventOptions = {}): Promise<readonly StateEvent[]> {
  const tip = await env.engine.resolve(STATE_REF);
  const events: StateEvent[] = [];
  if (tip === null) return events;
  const limit = options.limit ?? Number.POSITIVE_INFINITY;
  const seen = new Set<Oid>([tip]);
  const waiting: Commit[] = [];
  const enter = async (oid: Oid): Promise<void> => {
    const commit = await env.objects.commit(oid);
    const before = waiting.findIndex((other) => other.time <= commit.time);
    waiting.splice(before < 0 ? waiting.length : before, 0, commit);
  };
  if (options.since !== tip) await enter(tip);
  for (let commit = waiting.shift(); commit !== undefined && events.length < limit; commit = waiting.shift()) {
    const event = parseEvent(commit);
    if (event !== null && isAsked(event, options)) events.push(event);
    for (const parent of commit.parents) {
      if (parent === options.since || seen.has(parent)) continue;
      seen.add(parent);
      await enter(parent);
    }
  }
  return events;
}

const isAsked = (event: StateEvent, options: EventOptions): boolean =>
  (options.job === undefined || event.job === options.job) &&
  (options.goal === undefined ||
    event.goal === options.goal ||
    (event.job !== null && options.jobs?.includes(event.job) === true));
