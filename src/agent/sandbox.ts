// The command prefix that `sandbox:` puts before an agent, a setup command or a check, and what must stay writable in it (J16).

import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { branchName, type RefName } from '../domain/git.js';

export interface SandboxFolders {
  readonly worktree: string;
  /** All folders that stay writable, the worktree first. */
  readonly writable: readonly string[];
}

/**
 * What Git must be able to write for a commit in a linked worktree, and no more (09, rule 13): the worktree, `objects`,
 * the folders of the Job's branch under `refs/heads` and `logs/refs/heads`, and the worktree's own folder under
 * `worktrees`. `extra`: such as the folder of the result file.
 */
export function writableFor(target: {
  readonly commonDir: string;
  readonly worktree: string;
  /** The worktree's own Git folder, `<common>/worktrees/<name>`. */
  readonly adminDir: string;
  /** null: commits move nothing but a detached HEAD. */
  readonly branch: RefName | null;
  readonly extra?: readonly string[] | undefined;
}): readonly string[] {
  const folder = target.branch === null ? null : dirname(branchName(target.branch) ?? target.branch);
  return [
    target.worktree,
    target.adminDir,
    join(target.commonDir, 'objects'),
    ...(folder === null
      ? []
      : [join(target.commonDir, 'refs', 'heads', folder), join(target.commonDir, 'logs', 'refs', 'heads', folder)]),
    ...(target.extra ?? []),
  ];
}

/** Makes those that are not there: a sandbox binds folders, and those of a packed ref or of no log are missing. */
export async function makeWritable(writable: readonly string[]): Promise<void> {
  for (const folder of writable) await mkdir(folder, { recursive: true });
}

/**
 * The argv with the sandbox's command before it. Placeholders: `{worktree}`, and `{writable}` for each writable folder:
 * in a longer word (`--rw={writable}`) the word is repeated; words that are just `{writable}` are repeated together with
 * the option before them (`--bind {writable} {writable}`).
 */
export function sandboxed(
  argv: readonly string[],
  prefix: readonly string[],
  folders: SandboxFolders,
): readonly string[] {
  const words: string[] = [];
  for (let at = 0; at < prefix.length; ) {
    const size = repeatedAt(prefix, at);
    const group = prefix.slice(at, at + Math.max(size, 1));
    if (size === 0) words.push(...group);
    else
      for (const folder of folders.writable) words.push(...group.map((word) => word.replaceAll('{writable}', folder)));
    at += group.length;
  }
  return [...words.map((word) => word.replaceAll('{worktree}', folders.worktree)), ...argv];
}

/** How many words from `at` on are repeated together; 0: this word is not. */
function repeatedAt(prefix: readonly string[], at: number): number {
  const isSlot = (index: number): boolean => prefix[index] === '{writable}';
  const word = prefix[at] ?? '';
  if (word.includes('{writable}') && !isSlot(at)) return 1;
  const option = word.startsWith('-') && isSlot(at + 1);
  if (!option && !isSlot(at)) return 0;
  let size = 1;
  while (isSlot(at + size)) size += 1;
  return size;
}
