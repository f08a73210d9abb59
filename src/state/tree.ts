// Changes a tree path by path in memory: only what is touched is read, and all that is not is shared with the tree before.

import type { Oid } from '../domain/git.js';
import type { NewObject, TreeMode } from '../git/engine.js';
import { newTree } from '../git/objects.js';
import type { Objects } from './objects.js';

export interface Leaf {
  readonly mode: TreeMode;
  readonly oid: Oid;
}

export interface TreeEditor {
  /** The entry as it would be written now; null when there is none. */
  get(path: string): Promise<Leaf | null>;
  /** Puts a file, or a whole subtree by its id. */
  put(path: string, leaf: Leaf): Promise<void>;
  remove(path: string): Promise<void>;
  /** Id of the (sub)tree with all changes made so far; null when nothing is in it. Its new trees are in `made`. */
  seal(path?: string): Promise<Oid | null>;
  readonly made: readonly NewObject[];
}

interface Folder {
  oid: Oid | null;
  /** null: not read yet. */
  children: Map<string, Leaf | Folder> | null;
  changed: boolean;
}

const isFolder = (child: Leaf | Folder | undefined): child is Folder => child !== undefined && 'children' in child;

/** Folders that become empty go, as in Git's own trees. Throws OwlError `unreadable-object` when a touched tree is missing. */
export function editTree(objects: Objects, root: Oid | null): TreeEditor {
  const made: NewObject[] = [];
  const top: Folder = { oid: root, children: null, changed: false };

  async function open(folder: Folder): Promise<Map<string, Leaf | Folder>> {
    folder.children ??= new Map(folder.oid === null ? [] : await objects.tree(folder.oid));
    return folder.children;
  }

  /** The folder of a path; with `create` it is made, and what leads to it is marked as changed. */
  async function walk(parts: readonly string[], create: boolean): Promise<Folder | null> {
    let folder = top;
    if (create) folder.changed = true;
    for (const part of parts) {
      const children = await open(folder);
      let child = children.get(part);
      if (!isFolder(child)) {
        if (child?.mode !== '040000' && !create) return null;
        child = { oid: child?.mode === '040000' ? child.oid : null, children: null, changed: false };
        children.set(part, child);
      }
      folder = child;
      if (create) folder.changed = true;
    }
    return folder;
  }

  async function seal(folder: Folder): Promise<Oid | null> {
    if (!folder.changed) return folder.oid;
    const children = await open(folder);
    const entries = [];
    for (const [name, child] of children) {
      if (!isFolder(child)) {
        entries.push({ name, mode: child.mode, oid: child.oid });
        continue;
      }
      const oid = await seal(child);
      if (oid === null) children.delete(name);
      else entries.push({ name, mode: '040000' as const, oid });
    }
    folder.changed = false;
    folder.oid = null;
    if (entries.length > 0) {
      const tree = newTree(objects.format, entries);
      made.push(tree);
      folder.oid = tree.oid;
    }
    return folder.oid;
  }

  return {
    made,
    get: async (path) => {
      const parts = path.split('/');
      const name = parts.pop() ?? '';
      const folder = await walk(parts, false);
      const child = folder === null ? undefined : (await open(folder)).get(name);
      if (!isFolder(child)) return child ?? null;
      const oid = await seal(child);
      return oid === null ? null : { mode: '040000', oid };
    },
    put: async (path, leaf) => {
      const parts = path.split('/');
      const name = parts.pop() ?? '';
      const folder = (await walk(parts, true)) as Folder;
      (await open(folder)).set(name, { mode: leaf.mode, oid: leaf.oid });
    },
    remove: async (path) => {
      const parts = path.split('/');
      const name = parts.pop() ?? '';
      const folder = await walk(parts, false);
      if (folder === null || !(await open(folder)).has(name)) return;
      await walk(parts, true);
      (await open(folder)).delete(name);
    },
    seal: async (path) => {
      const folder = path === undefined ? top : await walk(path.split('/'), false);
      return folder === null ? null : seal(folder);
    },
  };
}
