// The state store: every record is a file in the tree of `refine/state`, every change a commit on it (01).

import type { Identity } from '../git/git.js';
import { formatSignature } from '../git/objects.js';
import type { Repository } from '../git/repository.js';
import type { Clock } from '../system/clock.js';
import type { Environment } from '../system/environment.js';
import type { Ids } from '../system/ids.js';
import { refuseQuarantine } from './guard.js';
import { STATE_REF } from './layout.js';
import { createObjects } from './objects.js';
import type { StoreEnv } from './store-env.js';
import type { StateStore } from './types.js';

export interface StoreDeps {
  readonly repository: Pick<Repository, 'engine' | 'identity' | 'quarantine' | 'commonDir'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly environment: Environment;
  /** Version of this program, for `meta.json`. */
  readonly version?: string | undefined;
}

/** Opens nothing before the first call, and loads what reads and what writes only when it is asked for (10, P2). What it throws is said at each function of StateStore. */
export function createStore(deps: StoreDeps): StateStore {
  let opened: Promise<StoreEnv> | undefined;
  const env = (): Promise<StoreEnv> => (opened ??= openEnv(deps));
  const store: StateStore = {
    env,
    snapshot: async () => (await import('./load-state.js')).loadState(await env()),
    openCounts: async () => {
      const [opened, { loadCountsNow }] = await Promise.all([env(), import('./counts.js')]);
      return (await loadCountsNow(opened)) ?? (await store.snapshot()).openCounts();
    },
    update: async (options, change) => (await import('./update.js')).updateState(await env(), options, change),
    recover: async () => {
      refuseQuarantine(deps.repository.quarantine);
      const [opened, { recoverIntents }] = await Promise.all([env(), import('./recover.js')]);
      return recoverIntents(opened, () => opened.engine.resolve(STATE_REF));
    },
    intents: async () => (await (await import('./intents.js')).loadIntents(await env())).intents,
    kept: async (id, chain) => (await import('./keep.js')).loadKept(await env(), id, chain),
    keptFile: async (link, path) => (await import('./keep.js')).loadKeptFile(await env(), link, path),
    events: async (options) => (await import('./events.js')).loadEvents(await env(), options),
  };
  return store;
}

/** What archive, fsck and repair are given. */
export async function openEnv(deps: StoreDeps): Promise<StoreEnv> {
  const { repository, clock, ids, environment } = deps;
  const engine = await repository.engine();
  let who: Promise<Identity> | undefined;
  return {
    engine,
    objects: createObjects(engine, (ms) => clock.sleep(ms)),
    clock,
    ids,
    environment,
    commonDir: repository.commonDir === '' ? null : repository.commonDir,
    quarantine: repository.quarantine,
    version: deps.version ?? programVersion(),
    identity: async () => {
      const identity = await (who ??= repository.identity());
      const at = (line: string): string => stamp(line, clock.now());
      return { ...identity, author: at(identity.author), committer: at(identity.committer) };
    },
    pause: (attempt) => clock.sleep((1 + ids.random()) * Math.min(120, 4 * 2 ** attempt)),
    inFlight: new Set(),
    left: new Set(),
    crowded: false,
    freePrefixes: new Set(),
  };
}

const programVersion = (): string => (typeof OWL_VERSION === 'string' ? OWL_VERSION : 'unbuilt');

/** The identity as of now: a command may live for days, and its first look at the clock is not the time of each commit. */
function stamp(line: string, now: number): string {
  const parts = /^(.*?) ?<([^<>]*)> \d+ ([+-])(\d{2})(\d{2})$/.exec(line);
  const offset = parts === null ? 0 : (parts[3] === '-' ? -1 : 1) * (Number(parts[4]) * 60 + Number(parts[5]));
  return formatSignature({
    name: parts?.[1] ?? 'git-owl',
    email: parts?.[2] ?? 'git-owl@localhost',
    time: now / 1000,
    offset,
  });
}
