// Objects while something is built from them: what was read and what is not written yet, as if both lay in the repository.

import { OwlError } from '../domain/errors.js';
import type { ObjectFormat, Oid } from '../domain/git.js';
import type { Engine, NewObject, TreeEntry } from './engine.js';
import { newTree, parseTree } from './objects.js';
import { parseRawCommit, type RawCommit } from './raw-commit.js';
import type { Repository } from './repository.js';

export interface Pool {
  readonly format: ObjectFormat;
  readonly engine: Engine;
  readonly emptyTree: Oid;
  /** Throws OwlError `unreadable-object`, also when it is absent. */
  tree(oid: Oid): Promise<readonly TreeEntry[]>;
  commit(oid: Oid): Promise<RawCommit>;
  /** The tree of a commit, or the tree itself. */
  treeOf(oid: Oid): Promise<Oid>;
  /** Writes nothing yet. */
  add(object: NewObject): Oid;
  addTree(entries: readonly TreeEntry[]): Oid;
  /** Trees that were added since the last `flush`. */
  pendingTrees(): readonly NewObject[];
  /** Writes, flushed to disk, what was added since the last time. */
  flush(): Promise<void>;
}

/** Makes an empty pool. Throws what `repository.engine()` throws. */
export async function createPool(repository: Repository): Promise<Pool> {
  const engine = await repository.engine();
  const { format } = engine;
  const empty = newTree(format, []);
  const trees = new Map<Oid, readonly TreeEntry[]>([[empty.oid, []]]);
  const added = new Map<Oid, NewObject>();
  const fresh: NewObject[] = [];

  const read = async (oid: Oid): Promise<{ readonly type: string; readonly data: Buffer }> => {
    const object = added.get(oid) ?? (oid === empty.oid ? empty : await engine.read(oid));
    if (object === null) {
      throw new OwlError('unreadable-object', `object ${oid} is not in this repository`, {
        preserved: ['nothing was changed'],
        next: ['git fsck'],
      });
    }
    return object;
  };
  const add = (object: NewObject): Oid => {
    if (!added.has(object.oid)) {
      added.set(object.oid, object);
      fresh.push(object);
    }
    return object.oid;
  };
  const pool: Pool = {
    format,
    engine,
    emptyTree: empty.oid,
    async tree(oid) {
      const known = trees.get(oid);
      if (known !== undefined) return known;
      const object = await read(oid);
      if (object.type !== 'tree') throw notA('tree', oid, object.type);
      const entries = parseTree(format, object.data);
      trees.set(oid, entries);
      return entries;
    },
    async commit(oid) {
      const object = await read(oid);
      if (object.type !== 'commit') throw notA('commit', oid, object.type);
      return parseRawCommit(object.data);
    },
    async treeOf(oid) {
      const object = await read(oid);
      return object.type === 'commit' ? parseRawCommit(object.data).tree : oid;
    },
    add,
    addTree: (entries) => add(newTree(format, entries)),
    pendingTrees: () => fresh.filter((object) => object.type === 'tree'),
    async flush() {
      if (fresh.length > 0) await engine.write(fresh.splice(0));
    },
  };
  return pool;
}

const notA = (wanted: string, oid: Oid, found: string): OwlError =>
  new OwlError('unreadable-object', `object ${oid} is a ${found}, not a ${wanted}`, {
    preserved: ['nothing was changed'],
  });
