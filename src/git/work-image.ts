// The files of a person's checkout at one moment, to tell later which of them changed: tracked and untracked, not what Git ignores,
// each by what lstat says of it, as Git's own index does. One process for the names, and another one only when a folder changed.

import { lstatSync } from 'node:fs';
import { below, shownName, splitNul } from './path-bytes.js';
import type { Repository } from './repository.js';
import type { Checkout } from './scratch-index.js';

export interface WorkImage {
  /** Binary name -> how it looks; a name that is not there any more has none. */
  readonly files: ReadonlyMap<string, string>;
  /** The folders that these names are in. */
  readonly folders: ReadonlyMap<string, string>;
}

/** More names than this are not looked at: a look takes microseconds for each. */
const MOST = 100_000;
/** So many looks at a time: what else goes on must not wait for all of them. */
const AT_ONCE = 2_000;

const NONE: WorkImage = { files: new Map(), folders: new Map() };

/** Where the names cannot be listed nothing is watched. Writes nothing, runs no filter. */
export async function workImage(repository: Repository, checkout: Checkout): Promise<WorkImage> {
  if (look(checkout.workTree, '') === null) return NONE;
  return imageOf(checkout, await listNames(repository, checkout));
}

/** The same checkout now: the names of before, and new ones where a folder says that something came or went. */
export async function workImageAgain(
  repository: Repository,
  checkout: Checkout,
  before: WorkImage,
): Promise<WorkImage> {
  const same = await imageOf(checkout, [...before.files.keys()]);
  const moved = [...before.folders].some(([folder, how]) => same.folders.get(folder) !== how);
  if (!moved) return same;
  return imageOf(checkout, [...new Set([...before.files.keys(), ...(await listNames(repository, checkout))])]);
}

/** Readable paths that differ, sorted. */
export function changedWork(
  before: WorkImage,
  after: WorkImage,
): readonly { readonly path: string; readonly before: string | null; readonly after: string | null }[] {
  return [...new Set([...before.files.keys(), ...after.files.keys()])]
    .sort()
    .map((name) => ({
      path: shownName(name),
      before: before.files.get(name) ?? null,
      after: after.files.get(name) ?? null,
    }))
    .filter((one) => one.before !== one.after);
}

async function listNames(repository: Repository, checkout: Checkout): Promise<readonly string[]> {
  const args = ['ls-files', '-z', '--full-name', '--cached', '--others', '--exclude-standard'];
  const listed = await repository.git.run(args, { checkout, cwd: checkout.workTree });
  if (listed.code !== 0) return [];
  // A name with a final `/` is a repository of its own, such as a worktree that lies in this one.
  return [...new Set(splitNul(listed.stdout).filter((name) => !name.endsWith('/')))].slice(0, MOST);
}

async function imageOf({ workTree }: Checkout, names: readonly string[]): Promise<WorkImage> {
  const files = new Map<string, string>();
  const folders = new Map<string, string>();
  for (const [at, name] of names.entries()) {
    const how = look(workTree, name);
    if (how !== null) files.set(name, how);
    const folder = name.slice(0, Math.max(0, name.lastIndexOf('/')));
    if (!folders.has(folder)) folders.set(folder, look(workTree, folder) ?? 'absent');
    if (at % AT_ONCE === AT_ONCE - 1) await new Promise((resolve) => setImmediate(resolve));
  }
  if (!folders.has('')) folders.set('', look(workTree, '') ?? 'absent');
  return { files, folders };
}

/** Null: it is not there, or cannot be looked at. A submodule's folder says nothing of what is in it. */
function look(workTree: string, name: string): string | null {
  try {
    const stat = lstatSync(below(workTree, name), { throwIfNoEntry: false });
    if (stat === undefined) return null;
    return `${stat.mode} ${stat.ino} ${stat.isDirectory() ? '' : stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
  } catch {
    return null;
  }
}
