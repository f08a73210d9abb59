// Finds executables the way a process with a given PATH would, without starting anything (J16, `doctor`).

import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/**
 * Absolute path of an executable as a process with this PATH and current folder would find it; null when there is none.
 * Empty and relative entries of PATH are passed over: they would mean the worktree, which the agent writes to.
 */
export function findExecutable(name: string, path: string | undefined, cwd = '/'): string | null {
  if (name === '') return null;
  if (name.includes('/')) return isExecutable(resolve(cwd, name)) ? resolve(cwd, name) : null;
  const folders = (path ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
