// A copy of a checkout's index to work with: what is looked up or built here touches neither the index nor its lock.

import { createHash, randomBytes } from 'node:crypto';
import { copyFile, readFile, rm, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isOid, isRefName, type Oid } from '../domain/git.js';
import { temporaryFolder } from '../system/temporary.js';
import { gitFailed } from './exec.js';
import { lstatIfThere, readIfThere } from './files.js';
import type { GitOptions, GitResult } from './git.js';
import { joinNul, splitNul } from './path-bytes.js';
import type { Repository } from './repository.js';

export interface Checkout {
  readonly gitDir: string;
  readonly workTree: string;
}

export interface ScratchIndex {
  readonly path: string;
  readonly checkout: Checkout;
  run(args: readonly string[], options?: GitOptions): Promise<GitResult>;
  /** Standard output. Throws OwlError `git-failed` for any other status than 0. */
  must(args: readonly string[], options?: GitOptions): Promise<Buffer>;
  /** Equal where it was copied of the same bytes while the checkout stood at the same commit; null: at none. */
  readonly of: string | null;
  dispose(): Promise<void>;
}

/** One entry of an index; `tag` as `ls-files -v` prints it: lower case is assume-unchanged, S or s skip-worktree. */
export interface IndexEntry {
  readonly tag: string;
  readonly mode: string;
  readonly oid: string;
  readonly stage: number;
  /** Binary name. */
  readonly name: string;
}

// Stat data is believed only as far as nobody can set it, and caches in the index that say "unchanged" not at all.
const HONEST = [
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.trustctime=true',
  'core.checkStat=default',
  'core.ignoreStat=false',
  'core.splitIndex=false',
  'core.preloadIndex=true',
  'submodule.recurse=false',
];

/** Blobs and trees that Git writes for us are on disk before a ref names them: its default leaves loose objects out. */
const FLUSHED = ['core.fsync=committed,loose-object', 'core.fsyncMethod=batch'];

/**
 * Copies the index of a checkout, to `at` or into a temporary folder; an absent index is an empty one. Every call works
 * on the checkout named outright. The caller disposes of it.
 */
export async function openScratchIndex(repository: Repository, checkout: Checkout, at?: string): Promise<ScratchIndex> {
  const folder = at === undefined ? await temporaryFolder('git-owl-index-') : null;
  const path = at ?? join(folder ?? dirname(checkout.gitDir), 'index');
  const source = join(checkout.gitDir, 'index');
  const [head] = await Promise.all([headCommit(repository, checkout), copyIndex(source, path)]);
  // A linked checkout's `commondir` file lies where an agent can write: the answer is given, not read.
  const common = checkout.gitDir === repository.commonDir ? {} : { GIT_COMMON_DIR: repository.commonDir };
  const run = (args: readonly string[], options: GitOptions = {}): Promise<GitResult> =>
    repository.git.run(args, {
      reading: false,
      ...options,
      checkout,
      cwd: checkout.workTree,
      env: { GIT_INDEX_FILE: path, ...common, ...options.env },
      config: [...HONEST, ...FLUSHED, ...(options.config ?? [])],
    });
  return {
    path,
    checkout,
    of: head === null ? null : `${head} ${await digestIfThere(path)}`,
    run,
    async must(args, options) {
      const result = await run(args, options);
      if (result.code !== 0) throw gitFailed(args, result);
      return result.stdout;
    },
    async dispose() {
      await rm(folder ?? path, { recursive: folder !== null, force: true });
      if (folder === null) await rm(`${path}.lock`, { force: true });
    },
  };
}

/**
 * A file that was changed in the same second as it was staged, to the same size, looks unchanged but for the time of the index:
 * Git compares the content of whatever is not older than that. A copy has that time too, or such an edit would be invisible.
 */
async function copyIndex(source: string, path: string): Promise<void> {
  const stat = await lstatIfThere(source);
  if (stat === null) return;
  await copyFile(source, path);
  // Rounded down: an older index makes Git look at more, never at less.
  await utimes(path, stat.atime, (Math.floor(stat.mtimeMs) - 1) / 1000);
}

/** The commit that HEAD of a checkout stands at, read from its files; null: at none, or not to be read there. */
async function headCommit(repository: Repository, { gitDir }: Checkout): Promise<Oid | null> {
  if (repository.reftable) return null;
  const head = (await readIfThere(join(gitDir, 'HEAD')))?.trimEnd() ?? '';
  if (isOid(head)) return head;
  const ref = head.replace(/^ref: /, '');
  return isRefName(ref) ? (await repository.engine()).resolve(ref) : null;
}

async function digestIfThere(path: string): Promise<string> {
  const bytes = await readFile(path).catch(() => null);
  return bytes === null ? 'none' : createHash('sha256').update(bytes).digest('hex');
}

/** A name beside the index, on the same file system, so that it can be renamed over it. */
export const besideIndex = (checkout: Checkout, token = randomBytes(8).toString('hex')): string =>
  join(checkout.gitDir, `index.owl-${token}`);

/** All entries, sparse ones expanded. */
export async function loadEntries(index: ScratchIndex): Promise<readonly IndexEntry[]> {
  const entries: IndexEntry[] = [];
  for (const line of splitNul(await index.must(['ls-files', '-s', '-v', '-z'], { reading: true }))) {
    const match = /^(.) ([0-7]{6}) ([0-9a-f]+) ([0-3])\t([\s\S]+)$/.exec(line);
    if (match === null) continue;
    const [, tag = '', mode = '', oid = '', stage = '0', name = ''] = match;
    entries.push({ tag, mode, oid, stage: Number(stage), name });
  }
  return entries;
}

/** Sets entries as `update-index --index-info` does; a null one is removed. Stat data is gone afterwards: refresh. */
export async function setEntries(
  index: ScratchIndex,
  entries: ReadonlyMap<string, { readonly mode: string; readonly oid: string } | null>,
): Promise<void> {
  if (entries.size === 0) return;
  const lines: string[] = [];
  for (const [name, entry] of entries) {
    lines.push(entry === null ? `0 ${'0'.repeat(40)}\t${name}` : `${entry.mode} ${entry.oid}\t${name}`);
  }
  await index.must(['update-index', '-z', '--index-info'], { input: joinNul(lines) });
}

/** Entries under `assume-unchanged` and under `skip-worktree`: both hide work from every look of Git's. */
export interface Hidden {
  readonly assumed: readonly string[];
  readonly skipped: readonly string[];
}

/** Takes the hiding bits off these entries. */
export async function uncover(index: ScratchIndex, hidden: Hidden): Promise<void> {
  await mark(index, '--no-assume-unchanged', hidden.assumed);
  await mark(index, '--no-skip-worktree', hidden.skipped);
}

/** Puts them back, on those that are still entries. */
export async function cover(index: ScratchIndex, hidden: Hidden): Promise<void> {
  if (hidden.assumed.length === 0 && hidden.skipped.length === 0) return;
  const there = new Set((await loadEntries(index)).map(({ name }) => name));
  const left = (names: readonly string[]): string[] => names.filter((name) => there.has(name));
  await mark(index, '--assume-unchanged', left(hidden.assumed));
  await mark(index, '--skip-worktree', left(hidden.skipped));
}

async function mark(index: ScratchIndex, option: string, names: readonly string[]): Promise<void> {
  if (names.length > 0) await index.must(['update-index', '-z', option, '--stdin'], { input: joinNul(names) });
}
