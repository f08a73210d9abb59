// Reading the objects of the state: trees and blobs by id, with the trees kept in memory, and what is missing told at once.

import { OwlError } from '../domain/errors.js';
import type { ObjectFormat, ObjectType, Oid } from '../domain/git.js';
import { shortOid } from '../domain/git.js';
import type { Commit, Engine, GitObject, TreeEntry } from '../git/engine.js';
import { parseCommit, parseTree } from '../git/objects.js';

export type Tree = ReadonlyMap<string, TreeEntry>;

/** All of these throw OwlError `unreadable-object` for what is missing, of another type, or broken. */
export interface Objects {
  readonly format: ObjectFormat;
  tree(oid: Oid): Promise<Tree>;
  /** In order. */
  trees(oids: readonly Oid[]): Promise<readonly Tree[]>;
  blob(oid: Oid): Promise<Buffer>;
  /** In order; what cannot be read is null, since one broken blob must not hide the others. */
  blobs(oids: readonly Oid[]): Promise<readonly (Buffer | null)[]>;
  commit(oid: Oid): Promise<Commit>;
  /** Records that were read, by the folder that they were read from, for as long as they are remembered. */
  readonly records: Recent<string, unknown>;
}

const CACHED_TREES = 2048;
const CACHED_RECORDS = 16_384;
/** Beside a `gc --prune=now` objects can be away for a moment, until their writer has looked and written them again. */
const PATIENCE = [20, 60, 150] as const;

export function createObjects(engine: Engine, sleep: (ms: number) => Promise<void>): Objects {
  const cache = recent<Oid, Tree>(CACHED_TREES);

  const remember = (oid: Oid, tree: Tree): Tree => {
    cache.set(oid, tree);
    return tree;
  };

  async function load(oid: Oid, type: ObjectType): Promise<Buffer> {
    let found = await engine.read(oid);
    for (const ms of PATIENCE) {
      if (found !== null) break;
      await sleep(ms);
      found = await engine.read(oid);
    }
    return expect(oid, type, found);
  }

  return {
    format: engine.format,
    tree: async (oid) => cache.get(oid) ?? remember(oid, decodeTree(engine.format, oid, await load(oid, 'tree'))),
    trees: async (oids) => {
      // Taken out first: what is known may be forgotten while the rest is read.
      const all = new Map<Oid, Tree>();
      const unknown = new Set<Oid>();
      for (const oid of oids) {
        const tree = cache.get(oid);
        if (tree === undefined) unknown.add(oid);
        else all.set(oid, tree);
      }
      const wanted = [...unknown];
      for (const [at, found] of (await engine.readMany(wanted)).entries()) {
        const oid = wanted[at] as Oid;
        const data = found === null ? await load(oid, 'tree') : expect(oid, 'tree', found);
        all.set(oid, decodeTree(engine.format, oid, data));
      }
      for (const oid of wanted) remember(oid, all.get(oid) as Tree);
      return oids.map((oid) => all.get(oid) as Tree);
    },
    blob: (oid) => load(oid, 'blob'),
    blobs: async (oids) =>
      (
        await readLeniently(
          oids,
          (oids) => engine.readMany(oids),
          (oid) => engine.read(oid),
          () => null,
        )
      ).map((found) => (found?.type === 'blob' ? found.data : null)),
    commit: async (oid) => parseCommit(oid, await load(oid, 'commit')),
    records: recent(CACHED_RECORDS),
  };
}

export type Recent<K, V> = Pick<Map<K, V>, 'get' | 'has' | 'set'>;

/** A map of at most so many: where there would be more, the older half is forgotten. */
function recent<K, V>(limit: number): Recent<K, V> {
  const map = new Map<K, V>();
  return {
    get: (key) => map.get(key),
    has: (key) => map.has(key),
    set: (key, value) => {
      if (map.size >= limit) for (const old of [...map.keys()].slice(0, limit / 2)) map.delete(old);
      return map.set(key, value);
    },
  };
}

/** One door for all; only when a broken object makes that fail, one by one: `instead` stands for what cannot be read. */
export async function readLeniently<T, R>(
  oids: readonly Oid[],
  all: (oids: readonly Oid[]) => Promise<readonly T[]>,
  one: (oid: Oid) => Promise<T>,
  instead: (error: OwlError) => R,
): Promise<readonly (T | R)[]> {
  try {
    return await all(oids);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  }
  const found: (T | R)[] = [];
  for (const oid of oids) {
    try {
      found.push(await one(oid));
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      found.push(instead(error));
    }
  }
  return found;
}

export const isUnreadable = (error: unknown): error is OwlError =>
  error instanceof OwlError && error.code === 'unreadable-object';

function expect(oid: Oid, type: ObjectType, found: GitObject | null): Buffer {
  if (found?.type === type) return found.data;
  const what = found === null ? 'is missing' : `is a ${found.type}, not a ${type}`;
  throw new OwlError('unreadable-object', `object ${shortOid(oid)} ${what}`, { next: ['git owl fsck'], data: { oid } });
}

function decodeTree(format: ObjectFormat, oid: Oid, data: Buffer): Tree {
  try {
    return new Map(parseTree(format, data).map((entry) => [entry.name, entry]));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new OwlError('unreadable-object', `tree ${shortOid(oid)} is malformed`, {
      next: ['git owl fsck'],
      data: { oid },
      cause: error,
    });
  }
}

/** The entry at a path below a tree; null when there is none. Throws OwlError `unreadable-object`. */
export async function lookUp(objects: Objects, root: Oid | null, path: string): Promise<TreeEntry | null> {
  const parts = path.split('/');
  let at = root;
  for (const [index, part] of parts.entries()) {
    if (at === null) return null;
    const entry = (await objects.tree(at)).get(part);
    if (entry === undefined) return null;
    if (index === parts.length - 1) return entry;
    if (entry.mode !== '040000') return null;
    at = entry.oid;
  }
  return null;
}

/** The entries of the folder at a path; empty when there is none. Throws OwlError `unreadable-object`. */
export async function listFolder(objects: Objects, root: Oid | null, path: string): Promise<Tree> {
  const entry = await lookUp(objects, root, path);
  return entry === null || entry.mode !== '040000' ? new Map() : objects.tree(entry.oid);
}
