// Which guarded paths a range of commits changes (J37), and gitlinks that no row of the base speaks for (01).

import { guardedPaths } from '../config/guard.js';
import type { Oid } from '../domain/git.js';
import type { LoadedPolicy } from '../domain/policy.js';
import { changedFiles } from '../git/diff.js';
import { loadSubmoduleRows } from '../git/submodule-rows.js';
import type { Workbench } from './workbench.js';

const GITLINK = '160000';

/**
 * The guarded paths that differ between the base commit and the tip; renames count at both ends. A gitlink that came or moved counts
 * as one, unless the base's `.gitmodules` has a row for it: nobody knows what it stands for.
 */
export async function guardedIn(
  bench: Pick<Workbench, 'repository'>,
  loaded: Pick<LoadedPolicy, 'policy' | 'path'>,
  base: Oid,
  tip: Oid,
): Promise<readonly string[]> {
  const { repository } = bench;
  const files = await changedFiles(repository, base, tip, { renames: false });
  if (files.length === 0) return [];
  const links = files.filter((file) => file.newMode === GITLINK);
  const rows = links.length === 0 ? [] : await loadSubmoduleRows(repository, base);
  const unknown = new Set(links.filter(({ name }) => !rows.some((row) => row.path === name)).map(({ path }) => path));
  const tree = new Set(await repository.git.fields(['ls-tree', '-r', '-z', '--name-only', '--full-tree', base]));
  const paths = files.map((file) => file.path);
  const guarded = new Set(
    guardedPaths(loaded.policy, paths, {
      treeHas: (path) => tree.has(path),
      inPackage: loaded.path === 'package.json',
    }),
  );
  return paths.filter((path) => guarded.has(path) || unknown.has(path));
}
