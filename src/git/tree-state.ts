// What a checkout holds beyond its commit, past everything that hides work: showUntrackedFiles, assume-unchanged,
// skip-worktree, submodules and nested repositories (M4). Nothing in the checkout is written.

import { readdir } from 'node:fs/promises';
import { gitFailed } from './exec.js';
import { lstatIfThere } from './files.js';
import { below, splitNul } from './path-bytes.js';
import { type IndexEntry, loadEntries, type ScratchIndex, uncover } from './scratch-index.js';

export interface TreeState {
  /** Tracked files that differ, staged or not, deletions included; binary names, sorted. */
  readonly modified: readonly string[];
  /** Of `modified`: those that are gone from the working tree. */
  readonly deleted: readonly string[];
  readonly untracked: readonly string[];
  /** Files, or folders with a final `/`, that Git ignores. */
  readonly ignored: readonly string[];
  /** Folders that are repositories of their own and no submodules of the index. */
  readonly nested: readonly string[];
  /** Gitlinks of the index. */
  readonly gitlinks: readonly IndexEntry[];
  /** Gitlinks that are staged differently from HEAD. */
  readonly stagedGitlinks: readonly string[];
  readonly staged: Staged;
}

/** What was read of an index and its HEAD alone: the same for as long as both are. */
export interface Staged {
  readonly of: string | null;
  readonly entries: readonly IndexEntry[];
  readonly gitlinks: readonly string[];
}

/**
 * Looks at the checkout of a scratch index, whose hiding bits are cleared by it for files that are there (absent
 * skip-worktree files are a sparse checkout, and fine). Never enters submodules or nested repositories. `earlier`: from a look
 * at the same checkout before.
 */
export async function loadTreeState(index: ScratchIndex, earlier: Staged | null = null): Promise<TreeState> {
  const { workTree } = index.checkout;
  // Side by side: hiding bits are rare, and only where there are some is the status wrong and asked for again.
  const known = earlier !== null && earlier.of !== null && earlier.of === index.of;
  const [staged, first] = await Promise.all([known ? earlier : loadStaged(index), loadStatus(index)]);
  const { entries } = staged;
  const assumed: string[] = [];
  const skipped: string[] = [];
  for (const { tag, name } of entries) {
    if (tag !== tag.toUpperCase()) assumed.push(name);
    if (tag.toUpperCase() === 'S' && (await lstatIfThere(below(workTree, name))) !== null) skipped.push(name);
  }
  await uncover(index, { assumed, skipped });
  const status = assumed.length + skipped.length === 0 ? first : await loadStatus(index);
  const gitlinks = entries.filter(({ mode }) => mode === '160000');
  const links = new Set(gitlinks.map(({ name }) => name));
  const nested = await findNested(workTree, links);
  const inNested = (name: string): boolean =>
    nested.some((folder) => name === `${folder}/` || name.startsWith(`${folder}/`));
  return {
    modified: [...status.modified].sort(),
    deleted: status.deleted,
    untracked: status.untracked.filter((name) => !inNested(name)).sort(),
    ignored: status.ignored.filter((name) => !inNested(name)).sort(),
    nested,
    gitlinks,
    stagedGitlinks: staged.gitlinks,
    staged,
  };
}

async function loadStaged(index: ScratchIndex): Promise<Staged> {
  const [entries, gitlinks] = await Promise.all([loadEntries(index), changedGitlinks(index)]);
  return { of: index.of, entries, gitlinks };
}

interface Status {
  readonly modified: readonly string[];
  readonly deleted: readonly string[];
  readonly untracked: readonly string[];
  readonly ignored: readonly string[];
}

const loadStatus = async (index: ScratchIndex): Promise<Status> =>
  parseStatus(
    await index.must(
      [
        'status',
        '--porcelain=v2',
        '-z',
        '--untracked-files=all',
        '--ignored=matching',
        '--ignore-submodules=all',
        '--no-renames',
        '--no-ahead-behind',
      ],
      { reading: true },
    ),
  );

/** Parses `status --porcelain=v2 -z` without renames. */
export function parseStatus(output: Buffer): Status {
  const status = {
    modified: [] as string[],
    deleted: [] as string[],
    untracked: [] as string[],
    ignored: [] as string[],
  };
  for (const line of splitNul(output)) {
    const kind = line[0];
    if (kind === '?') status.untracked.push(line.slice(2));
    else if (kind === '!') status.ignored.push(line.slice(2));
    else if (kind === '1' || kind === 'u') {
      // `1 XY sub mH mI mW hH hI path`, `u XY sub m1 m2 m3 mW h1 h2 h3 path`.
      const name = line
        .split(' ')
        .slice(kind === '1' ? 8 : 10)
        .join(' ');
      status.modified.push(name);
      const worktree = line[3];
      if (worktree === 'D' || (line[2] === 'D' && worktree === '.')) status.deleted.push(name);
    }
  }
  return status;
}

/** `--ignore-submodules=all` of status leaves out staged gitlinks too: looked for here, without entering any. */
async function changedGitlinks(index: ScratchIndex): Promise<readonly string[]> {
  const args = ['diff-index', '--cached', '--raw', '-z', '--no-renames', 'HEAD'];
  const answer = await index.run(args, { reading: true });
  if (answer.code !== 0) {
    // Before the first commit there is nothing to compare with.
    const unborn = (await index.run(['rev-parse', '--verify', '--quiet', 'HEAD'], { reading: true })).code !== 0;
    if (unborn) return [];
    throw gitFailed(args, answer);
  }
  const fields = splitNul(answer.stdout);
  const found: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    if (/^:(?:160000 \d{6}|\d{6} 160000) /.test(fields[at] ?? '')) found.push(fields[at + 1] ?? '');
  }
  return found;
}

/**
 * Folders below a working tree that have a `.git` of their own or are bare repositories, ignored or not; submodules of
 * the index are left out and not entered. Links are not followed.
 */
export async function findNested(workTree: string, submodules: ReadonlySet<string>): Promise<readonly string[]> {
  const found: string[] = [];
  let level: readonly string[] = [''];
  while (level.length > 0) {
    const next: string[] = [];
    // A few folders at a time: one after the other is slow, all at once is too many open files.
    for (let at = 0; at < level.length; at += 16) {
      const looks = level.slice(at, at + 16).map(async (folder) => {
        const listed = await readdir(below(workTree, folder), { withFileTypes: true, encoding: 'buffer' });
        const names = new Map(listed.map((entry) => [entry.name.toString('latin1'), entry]));
        if (folder !== '' && isRepository(names)) {
          found.push(folder);
          return;
        }
        for (const [name, entry] of names) {
          const path = folder === '' ? name : `${folder}/${name}`;
          if (entry.isDirectory() && path !== '.git' && !submodules.has(path)) next.push(path);
        }
      });
      await Promise.all(looks);
    }
    level = next;
  }
  return found.sort();
}

const isRepository = (names: ReadonlyMap<string, { isDirectory(): boolean }>): boolean =>
  names.has('.git') ||
  (names.has('HEAD') && names.get('objects')?.isDirectory() === true && names.get('refs')?.isDirectory() === true);
