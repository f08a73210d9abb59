// A checkout's own `config.worktree`: it may say nothing that the main checkout does not say, but for sparse checkout (G8).

import { join } from 'node:path';
import { lstatIfThere } from '../../git/files.js';
import { splitNul } from '../../git/path-bytes.js';
import type { Repository } from '../../git/repository.js';

const FREE: ReadonlySet<string> = new Set(['core.sparsecheckout', 'core.sparsecheckoutcone', 'index.sparse']);

/** These say where the tree is, or pull in another file: never, wherever else they may stand. */
const NEVER = /^(?:core\.worktree|core\.bare|include\.path|includeif\..*)$/;

/**
 * The key that makes this checkout another one than it looks (`core.worktree`), or that could run something (a filter,
 * say); null when there is none. `worktree add` itself copies the main checkout's entries, so those are fine.
 */
export async function worktreeConfigTrick(repository: Repository, admin: string): Promise<string | null> {
  const own = await entries(repository, join(admin, 'config.worktree'));
  if (own === null) return 'an unreadable file';
  const main = new Set((await entries(repository, join(repository.commonDir, 'config.worktree'))) ?? []);
  for (const entry of own) {
    const key = entry.split('\n', 1)[0] ?? '';
    if (NEVER.test(key) || !(FREE.has(key) || main.has(entry))) return key;
  }
  return null;
}

/** `key\nvalue` of each entry; empty when there is no file, null when Git cannot read it. */
async function entries(repository: Repository, path: string): Promise<readonly string[] | null> {
  if ((await lstatIfThere(path)) === null) return [];
  const result = await repository.git.run(['config', '--file', path, '--no-includes', '--list', '-z']);
  return result.code === 0 ? splitNul(result.stdout) : null;
}
