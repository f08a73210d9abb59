// Differences between two commits: which files, and as text, with the base's attributes and built-in drivers only (06).

import { OwlError } from '../domain/errors.js';
import type { Oid } from '../domain/git.js';
import { gitFailed } from './exec.js';
import { isolate } from './isolated.js';
import { type ChangedFile, parseRawDiff } from './parse/raw-diff.js';
import { loadContents } from './partial.js';
import { shownName, splitNul } from './path-bytes.js';
import { createPool } from './pool.js';
import type { Repository } from './repository.js';
import { changedPaths, type PathChange } from './tree-diff.js';
import type { AtPath } from './tree-path.js';

export type { ChangedFile } from './parse/raw-diff.js';

/**
 * Files that differ between two commits or trees, in Git's order; renames are found unless `renames` is false. From objects where it
 * takes no comparing of contents: a rename is a file that went beside one that came.
 */
export async function changedFiles(
  repository: Repository,
  from: Oid,
  to: Oid,
  options: { readonly renames?: boolean } = {},
): Promise<readonly ChangedFile[]> {
  const changes = await changedPaths(await createPool(repository), from, to);
  const came = changes.some((change) => change.old === null);
  const went = changes.some((change) => change.new === null);
  if (options.renames === false || !(came && went)) return changes.map(changedFile).sort(byPath);
  const args = [
    'diff-tree',
    '-r',
    '-z',
    '--raw',
    '--no-abbrev',
    '--ignore-submodules=none',
    '-M',
    '--end-of-options',
    from,
    to,
  ];
  const result = await repository.git.run(args);
  if (result.code !== 0) throw gitFailed(args, result);
  return parseRawDiff(result.stdout);
}

const byPath = (one: ChangedFile, two: ChangedFile): number => (one.name < two.name ? -1 : 1);

function changedFile({ path, old, new: now }: PathChange): ChangedFile {
  // The kind of a thing, not its rights: a file that became executable was modified.
  const kind = (at: AtPath): string | undefined => at?.mode.slice(0, 3);
  const status =
    old === null ? 'added' : now === null ? 'deleted' : kind(old) === kind(now) ? 'modified' : 'type-changed';
  return {
    status,
    path: shownName(path),
    name: path,
    oldMode: old?.mode ?? NO_MODE,
    newMode: now?.mode ?? NO_MODE,
    oldOid: old?.oid ?? null,
    newOid: now?.oid ?? null,
  };
}

const NO_MODE = '000000';

export interface DiffTextRequest {
  /** Options of `git diff`, as a user gave them. */
  readonly args?: readonly string[] | undefined;
  /** Pathspecs as Git takes them, from the folder `within`. */
  readonly paths?: readonly string[] | undefined;
  /** The folder that a person stands in, from the top of the checkout; default: the top. */
  readonly within?: string | undefined;
  readonly color?: boolean | undefined;
  /** Whose attributes count; default: those of `from`. */
  readonly attributes?: Oid | undefined;
  readonly timeout?: number | undefined;
}

export interface DiffText {
  readonly text: Buffer;
  /** 1 when the user asked for `--exit-code` or `--quiet` and there is a difference. */
  readonly code: number;
}

/** `git diff` of two commits or trees. Throws OwlError `usage` for options that would write, run or read something else. */
export async function diffText(
  repository: Repository,
  from: Oid,
  to: Oid,
  request: DiffTextRequest = {},
): Promise<DiffText> {
  const given = request.args ?? [];
  for (const arg of given) refuseOption(arg);
  const isolation = isolate(repository, request.attributes ?? from);
  try {
    await loadContents(repository, from, [to]);
    const inside = await isolation.enter();
    const args = [
      'diff',
      `--color=${request.color === true ? 'always' : 'never'}`,
      ...given,
      '--no-ext-diff',
      '--no-textconv',
      '--ignore-submodules=none',
      from,
      to,
      '--',
      ...(request.paths ?? []),
    ];
    const result = await inside.run(args, {
      cwd: await inside.at(request.within ?? ''),
      env: { GIT_LITERAL_PATHSPECS: '0' },
      timeout: request.timeout,
    });
    if (result.code !== 0 && result.code !== 1) {
      // What Git refuses here are options that it does not know.
      if (result.code === 129)
        throw new OwlError('usage', gitFailed(args, result).message, { next: ['git help diff'] });
      throw gitFailed(args, result);
    }
    return { text: result.stdout, code: result.code };
  } finally {
    await isolation.close();
  }
}

export interface LineCount {
  readonly path: string;
  /** null: binary, by the base's attributes and its own bytes. */
  readonly added: number | null;
  readonly removed: number | null;
}

/** How many lines of each file were added and removed; renames count at both ends. */
export async function countLines(repository: Repository, from: Oid, to: Oid): Promise<readonly LineCount[]> {
  const { text } = await diffText(repository, from, to, { args: ['--numstat', '-z', '--no-renames'] });
  const amount = (field: string): number | null => (field === '-' ? null : Number(field));
  return splitNul(text).flatMap((row) => {
    const [, added = '', removed = '', name = ''] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(row) ?? [];
    return name === '' ? [] : [{ path: shownName(name), added: amount(added), removed: amount(removed) }];
  });
}

/** Git takes every beginning of a long option that means only one. */
function refuseOption(arg: string): void {
  const name = arg.split('=', 1)[0] ?? '';
  const means = (option: string, from: number): boolean => option.startsWith(name) && name.length >= from;
  const refused =
    arg === '--' ||
    arg.startsWith('-O') ||
    means('--output', '--ou'.length) ||
    means('--no-index', '--no-ind'.length) ||
    means('--ext-diff', '--ex'.length) ||
    means('--textconv', '--textc'.length);
  if (!refused && arg.startsWith('-')) return;
  if (!refused) {
    throw new OwlError('usage', `not an option of git diff: ${JSON.stringify(arg.slice(0, 80))}; paths go after --`, {
      next: ['git owl diff -h'],
    });
  }
  throw new OwlError('usage', `the option ${name} is not passed on to git diff`, { next: ['git owl diff -h'] });
}
