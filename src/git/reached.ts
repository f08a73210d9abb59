// Which of many commits others reach: one walk for all of them, by one process.

import { isOid, type Oid } from '../domain/git.js';
import type { Git } from './git.js';
import { failureReason } from './remote-call.js';

/**
 * Those that are not reachable from the tips, which are object ids or options of `rev-list` such as `--branches`. All must be here:
 * Git says nothing of one that is missing. Null: the history could not be walked.
 */
export async function notReached(
  git: Git,
  commits: readonly Oid[],
  tips: readonly string[],
): Promise<ReadonlySet<Oid> | null> {
  const found = await lookForReached(git, commits, tips);
  return typeof found === 'string' ? null : found;
}

/** As `notReached`; a text: why the history could not be walked. */
export async function lookForReached(
  git: Git,
  commits: readonly Oid[],
  tips: readonly string[],
): Promise<ReadonlySet<Oid> | string> {
  if (commits.length === 0) return new Set();
  const input = commits.map((oid) => `${oid}\n`).join('');
  const found = await git.run(['rev-list', '--stdin', '--not', ...tips], { input });
  if (found.code !== 0) return failureReason(found);
  const listed = new Set(found.stdout.toString('latin1').split('\n').filter(isOid));
  return new Set(commits.filter((oid) => listed.has(oid)));
}
