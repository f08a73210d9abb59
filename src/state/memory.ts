// The in-memory twin of the store, for unit tests of workflows: the very same store over objects and refs that live in two maps.

import { OwlError } from '../domain/errors.js';
import type { Ancestry, Oid, RefName } from '../domain/git.js';
import type { Engine, NewObject, RefUpdate, SwapResult } from '../git/engine.js';
import { parseCommit } from '../git/objects.js';
import type { Clock } from '../system/clock.js';
import type { Environment } from '../system/environment.js';
import type { Ids } from '../system/ids.js';
import { createNotes } from './notes.js';
import { createStore, type StoreDeps } from './store.js';
import type { LocalNotes, StateStore } from './types.js';

export interface MemoryEngine extends Engine {
  /** For tests that lose, break or plant something. */
  readonly refs: Map<RefName, Oid>;
  readonly stored: Map<Oid, NewObject>;
}

/** Same answers as the engines on a repository: compare-and-swap, must-not-exist, names that a longer name makes impossible. */
export function memoryEngine(format: 'sha1' | 'sha256' = 'sha1'): MemoryEngine {
  const refs = new Map<RefName, Oid>();
  const stored = new Map<Oid, NewObject>();
  const read = async (oid: Oid) => stored.get(oid) ?? null;

  async function history(tip: Oid): Promise<Set<Oid> | null> {
    const seen = new Set<Oid>();
    const waiting = [tip];
    for (let oid = waiting.pop(); oid !== undefined; oid = waiting.pop()) {
      if (seen.has(oid)) continue;
      const found = stored.get(oid);
      if (found === undefined || found.type !== 'commit') return null;
      seen.add(oid);
      waiting.push(...parseCommit(oid, found.data).parents);
    }
    return seen;
  }

  async function isAncestor(ancestor: Oid, descendant: Oid): Promise<Ancestry> {
    if (!stored.has(ancestor) || !stored.has(descendant)) return 'missing';
    const all = await history(descendant);
    return all === null ? 'unknown' : all.has(ancestor) ? 'ancestor' : 'not-ancestor';
  }

  async function swap(update: RefUpdate): Promise<SwapResult> {
    const found = refs.get(update.ref) ?? 'absent';
    if (found !== update.old) return { kind: 'lost', found };
    if (update.new === 'absent') {
      refs.delete(update.ref);
      return { kind: 'moved' };
    }
    const blocking = [...refs.keys()].find(
      (ref) => ref.startsWith(`${update.ref}/`) || update.ref.startsWith(`${ref}/`),
    );
    if (blocking !== undefined)
      return { kind: 'impossible', message: `${blocking} exists, so ${update.ref} cannot be made` };
    if (!stored.has(update.new)) throw new OwlError('unreadable-object', `object ${update.new} is missing`);
    refs.set(update.ref, update.new);
    return { kind: 'moved' };
  }

  return {
    name: 'plumbing',
    because: 'in memory',
    format,
    refs,
    stored,
    read,
    readMany: (oids) => Promise.all(oids.map(read)),
    exists: async (oids) => oids.map((oid) => stored.has(oid)),
    write: async (objects) => {
      for (const object of objects) stored.set(object.oid, object);
    },
    resolve: async (ref) => refs.get(ref) ?? null,
    list: async (prefix) =>
      [...refs]
        .filter(([ref]) => ref.startsWith(prefix))
        .sort(([one], [two]) => (one < two ? -1 : 1))
        .map(([ref, oid]) => ({ ref, oid })),
    swap,
    expectSwap() {},
    isAncestor,
    mergeBases: async (one, two) => {
      const [left, right] = [await history(one), await history(two)];
      if (left === null || right === null) return 'missing';
      const common = [...left].filter((oid) => right.has(oid));
      const deeper = new Set<Oid>();
      for (const oid of common) {
        for (const parent of (await history(oid)) ?? []) if (parent !== oid) deeper.add(parent);
      }
      return common.filter((oid) => !deeper.has(oid));
    },
    close: async () => {},
  };
}

export interface MemoryStore {
  readonly store: StateStore;
  readonly notes: LocalNotes;
  readonly engine: MemoryEngine;
  /** For archive, fsck and repair. */
  readonly deps: StoreDeps;
}

const IDENTITY = 'Test <test@localhost> 0 +0000';

/** A store of its own, empty; give the same engine twice for two writers on one state. */
export function createMemoryStore(given: {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly environment: Environment;
  readonly engine?: MemoryEngine;
}): MemoryStore {
  const engine = given.engine ?? memoryEngine();
  const repository = {
    engine: async () => engine,
    identity: async () => ({ author: IDENTITY, committer: IDENTITY, configured: true }),
    quarantine: false,
    commonDir: '',
  };
  const deps = { repository, clock: given.clock, ids: given.ids, environment: given.environment };
  return { store: createStore(deps), notes: createNotes(repository), engine, deps };
}
