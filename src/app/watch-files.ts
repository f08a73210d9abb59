// The files of a repository that an agent must leave alone: configuration, hooks, `info/` (J16b).

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { lstatIfThere } from '../git/files.js';
import type { Repository } from '../git/repository.js';

export interface ConfigSources {
  /** Files that Git reads configuration from, with includes; and those that would be read if they were made. */
  readonly files: ReadonlySet<string>;
  /** `core.hooksPath` of the user. */
  readonly hooks: string | null;
}

export async function loadConfigSources(repository: Repository): Promise<ConfigSources> {
  const files = new Set([join(repository.commonDir, 'config'), join(repository.commonDir, 'config.worktree')]);
  const unpinned = { unpinned: ['core.hooksPath'] };
  const listed = await repository.git.run(['config', '--list', '--show-origin', '-z'], unpinned);
  const fields = listed.stdout.toString('utf8').split('\0');
  let hooks: string | null = null;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [origin = '', entry = ''] = fields.slice(at, at + 2);
    if (origin.startsWith('file:')) files.add(origin.slice('file:'.length));
    if (entry.startsWith('core.hookspath\n')) hooks = entry.slice('core.hookspath\n'.length);
  }
  // `~/` and `%(prefix)/` are Git's to expand.
  if (hooks === null || !/^[~%]/.test(hooks)) return { files, hooks };
  const expanded = await repository.git.run(['config', '--type=path', '--get', 'core.hooksPath'], unpinned);
  return { files, hooks: expanded.code === 0 ? expanded.stdout.toString('utf8').trim() : null };
}

/** Path -> what the file there is, by content: of what Git reads as configuration, and of hooks and `info/`. */
export async function digestSources(repository: Repository, sources: ConfigSources) {
  const config = new Map<string, string>();
  for (const path of sources.files) config.set(path, await digestOf(path));
  const files = new Map<string, string>();
  for (const folder of watchedFolders(repository, sources.hooks)) await digestFolder(folder, files);
  return { config, files };
}

function watchedFolders({ commonDir, mainWorkTree }: Repository, hooks: string | null): readonly string[] {
  const own = hooks === null || hooks === '' ? [] : [resolve(mainWorkTree ?? commonDir, hooks)];
  return [join(commonDir, 'hooks'), join(commonDir, 'info'), ...own];
}

async function digestFolder(folder: string, into: Map<string, string>): Promise<void> {
  if ((await lstatIfThere(folder))?.isDirectory() !== true) return;
  const looks = (await readdir(folder, { withFileTypes: true })).map(async (entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await digestFolder(path, into);
    // Git's own cache of refs for dumb transports, written by `gc` and `repack`.
    else if (!path.endsWith('/info/refs')) into.set(path, await digestOf(path));
  });
  await Promise.all(looks);
}

async function digestOf(path: string): Promise<string> {
  const stat = await lstatIfThere(path);
  if (stat === null) return 'absent';
  if (!stat.isFile() && !stat.isSymbolicLink()) return 'not a file';
  try {
    return `${(stat.mode & 0o777).toString(8)} ${createHash('sha256')
      .update(await readFile(path))
      .digest('hex')}`;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return 'unreadable';
    throw error;
  }
}
