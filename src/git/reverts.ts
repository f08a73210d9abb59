// Which commits were reverted: the one message that is read (11, "No revert follows").

import { isOid, type Oid } from '../domain/git.js';
import type { Repository } from './repository.js';

const LIMIT = 5_000;

/**
 * Ids in lines `This reverts commit <id>.` of the commits of `from..to`, but for reverts that were reverted themselves.
 * Null when the range could not be read or has more than 5 000 commits: unknown.
 */
export async function revertedIds(
  repository: Repository,
  range: { readonly from: Oid; readonly to: Oid },
): Promise<ReadonlySet<Oid> | null> {
  const listing = await repository.git.run([
    'log',
    '-z',
    `--max-count=${LIMIT + 1}`,
    '--topo-order',
    '--no-show-signature',
    '--format=%H%n%B',
    '--end-of-options',
    range.to,
    `^${range.from}`,
  ]);
  if (listing.code !== 0) return null;
  const commits = listing.stdout
    .toString('utf8')
    .split('\0')
    .filter((text) => text !== '');
  return commits.length > LIMIT ? null : parseReverts(commits);
}

/** `commits`: newest first, each its id, a line break and its message. */
export function parseReverts(commits: readonly string[]): ReadonlySet<Oid> {
  const reverted = new Set<Oid>();
  for (const text of commits) {
    const [id = '', ...lines] = text.split('\n');
    if (reverted.has(id as Oid)) continue;
    for (const line of lines) {
      // Git's own wording for a merge goes on in the next words: `This reverts commit <id>, reversing`.
      const named = /^This reverts commit ([0-9a-f]{40}|[0-9a-f]{64})(?:\.|, reversing)$/.exec(line)?.[1];
      if (named !== undefined && isOid(named)) reverted.add(named);
    }
  }
  return reverted;
}

/** Reverts of reverts of reverts: somebody plays. */
const DEPTH = 32;

/**
 * Does a revert of this commit follow it in the history of `tip`, that was not reverted itself? However long that history is: only
 * commits whose message names it are read. Null: it could not be seen.
 */
export async function isReverted(
  repository: Repository,
  commit: Oid,
  tip: Oid,
  depth: number = DEPTH,
): Promise<boolean | null> {
  if (depth === 0) return null;
  const listing = await repository.git.run([
    'log',
    '-z',
    '--no-show-signature',
    '--fixed-strings',
    `--grep=This reverts commit ${commit}`,
    '--format=%H%n%B',
    '--end-of-options',
    tip,
    `^${commit}`,
  ]);
  if (listing.code !== 0) return null;
  for (const text of listing.stdout.toString('utf8').split('\0')) {
    if (!parseReverts([text]).has(commit)) continue;
    const again = await isReverted(repository, text.split('\n', 1)[0] as Oid, tip, depth - 1);
    if (again === null) return null;
    if (!again) return true;
  }
  return false;
}
