// Two states that grew apart, compared file by file with where they parted (05, S2). Work that moved between the open and the
// closed subtree is the same work. Nothing is written here, and no text is ever merged.

import type { Oid } from '../domain/git.js';
import type { TreeEntry } from '../git/engine.js';
import { AREAS, type Area, WORK_KINDS } from './layout.js';
import type { Objects, Tree } from './objects.js';

/** One file on one side; `area` where it belongs to a piece of work. */
interface Side {
  readonly oid: Oid;
  readonly area: Area | null;
}

export interface Difference {
  /** Path without its area: `jobs/3f/k3x9qp/job.json`, `tombstones/…`, `features/…`. */
  readonly key: string;
  readonly ours: Side | null;
  readonly theirs: Side | null;
  /** What each common ancestor has. */
  readonly bases: readonly (Side | null)[];
}

/** One path, in each of the states. */
interface Place {
  readonly path: string;
  readonly entries: readonly (TreeEntry | null)[];
}

const areAlike = ([first, ...others]: Place['entries']): boolean =>
  others.every((entry) => entry?.oid === first?.oid && entry?.mode === first?.mode);

/** All files in which the two sides differ from each other, the derived index left out. `null`: a side without state. */
export async function compareStates(
  objects: Objects,
  sides: { readonly ours: Oid; readonly theirs: Oid; readonly bases: readonly Oid[] },
): Promise<readonly Difference[]> {
  const roots = [sides.ours, sides.theirs, ...sides.bases];
  const found = new Map<string, (Side | null)[]>();
  const note = (path: string, at: number, oid: Oid): void => {
    const [area, key] = splitArea(path);
    const row = found.get(key) ?? roots.map(() => null);
    row[at] = { oid, area };
    found.set(key, row);
  };
  // Folder by folder of one depth, so that all trees of it are read together.
  let level: readonly Place[] = [
    { path: '', entries: roots.map((oid): TreeEntry => ({ mode: '040000', name: '', oid })) },
  ];
  while (level.length > 0) {
    const apart = level.filter(({ entries }) => !areAlike(entries));
    for (const { path, entries } of apart)
      for (const [at, entry] of entries.entries())
        if (entry !== null && entry.mode !== '040000') note(path, at, entry.oid);
    const folders = apart.map(({ entries }) => entries.map((entry) => (entry?.mode === '040000' ? entry.oid : null)));
    const oids = [...new Set(folders.flat().filter((oid) => oid !== null))];
    const read = await objects.trees(oids);
    const trees = new Map(oids.map((oid, at) => [oid, read[at] as Tree]));
    level = apart.flatMap(({ path }, index): Place[] => {
      const sides = (folders[index] ?? []).map((oid) => (oid === null ? null : (trees.get(oid) ?? null)));
      const names = new Set(sides.flatMap((tree) => [...(tree?.keys() ?? [])]));
      if (path === '') names.delete('index');
      return [...names].map((name) => ({
        path: path === '' ? name : `${path}/${name}`,
        entries: sides.map((tree) => tree?.get(name) ?? null),
      }));
    });
  }
  const all = [...found].map(([key, [ours = null, theirs = null, ...bases]]) => ({ key, ours, theirs, bases }));
  return all
    .filter(({ ours, theirs }) => ours?.oid !== theirs?.oid || ours?.area !== theirs?.area)
    .sort((one, two) => (one.key < two.key ? -1 : 1));
}

function splitArea(path: string): readonly [Area | null, string] {
  for (const area of AREAS) {
    const key = path.startsWith(`${area}/`) ? path.slice(area.length + 1) : null;
    if (key !== null) return [area, key];
  }
  return [null, path];
}

/** `jobs/3f/k3x9qp/runs/x.json` -> `jobs/3f/k3x9qp`; null for what is not part of a piece of work. */
export function unitOf(key: string): string | null {
  const parts = key.split('/');
  const isWork = Object.values(WORK_KINDS).some((kind) => kind.folder === parts[0]);
  return isWork && parts.length >= 4 ? parts.slice(0, 3).join('/') : null;
}
