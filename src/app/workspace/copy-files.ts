// Files that Git ignores and a new worktree needs (`.env`, say), copied from the user's checkout (J15).

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Oid } from '../../domain/git.js';
import { blobAt } from '../../git/blob.js';
import { gitFailed } from '../../git/exec.js';
import { newBlob } from '../../git/objects.js';
import { joinNul, nameBytes, shownName, splitNul } from '../../git/path-bytes.js';
import type { Repository } from '../../git/repository.js';
import { createToWrite, openToRead } from '../../system/beneath.js';
import { temporaryFolder } from '../../system/temporary.js';
import type { Workspace } from './types.js';

export interface CopyRequest {
  /** The commit whose `.worktreeinclude` counts. */
  readonly base: Oid;
  /** `copy:` of the configuration, in the syntax of `.gitignore`. */
  readonly patterns: readonly string[];
}

export interface Copied {
  /** Each with the id of its blob: such a blob is never committed by us. A file kept from an earlier copy counts too. */
  readonly copied: readonly { readonly path: string; readonly oid: Oid }[];
  readonly notes: readonly string[];
}

/** Larger files are left where they are, with a note. */
const LARGEST = 100 * 1024 * 1024;

/**
 * Copies regular files of the main checkout that match and that Git ignores, never over a file and never through a link
 * on either side. Nothing in a bare repository. Tracked and merely untracked files are not copied.
 * Throws OwlError `git-failed`.
 */
export async function copyFiles(repository: Repository, workspace: Workspace, request: CopyRequest): Promise<Copied> {
  const { source, names } = await filesToCopy(repository, request);
  if (source === null) return { copied: [], notes: [] };
  const copied: { path: string; oid: Oid }[] = [];
  const notes: string[] = [];
  for (const name of names) {
    const result = await copyOne(repository, source, workspace.path, name);
    if (typeof result === 'string') notes.push(`${shownName(name)} was not copied: ${result}`);
    else if (result !== null) copied.push({ path: shownName(name), oid: result.oid });
  }
  return { copied, notes };
}

/** Binary names of what matches in the main checkout; no `source`: there is nothing to copy from, or no pattern. */
export async function filesToCopy(
  repository: Repository,
  request: CopyRequest,
): Promise<{ readonly source: string | null; readonly names: readonly string[] }> {
  const source = repository.mainWorkTree;
  const patterns = [...request.patterns, ...(await includedPatterns(repository, request.base))];
  if (source === null || patterns.length === 0) return { source: null, names: [] };
  return { source, names: await ignoredFiles(repository, source, patterns) };
}

/** Lines of the base's `.worktreeinclude`; none where it has no such file. */
async function includedPatterns(repository: Repository, base: Oid): Promise<readonly string[]> {
  const found = await blobAt(repository, base, '.worktreeinclude');
  return found.kind === 'blob'
    ? found.data
        .toString('utf8')
        .split('\n')
        .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    : [];
}

/** Matching is Git's own: the patterns as the only excludes, and of what they match that which is really ignored. */
async function ignoredFiles(
  repository: Repository,
  source: string,
  patterns: readonly string[],
): Promise<readonly string[]> {
  const folder = await temporaryFolder('git-owl-copy-');
  try {
    const file = join(folder, 'patterns');
    await writeFile(file, `${patterns.join('\n')}\n`);
    const checkout = { gitDir: repository.commonDir, workTree: source };
    const args = ['ls-files', '-z', '--others', '--ignored', `--exclude-from=${file}`];
    const listed = await repository.git.run(args, { checkout, cwd: source });
    if (listed.code !== 0) throw gitFailed(args, listed);
    const matched = splitNul(listed.stdout).filter((name) => !name.endsWith('/'));
    if (matched.length === 0) return [];
    // `check-ignore` refuses to run under literal pathspecs; behind `./` no name is magic.
    const check = ['check-ignore', '-z', '--stdin'];
    const input = joinNul(matched.map((name) => `./${name}`));
    const ignored = await repository.git.run(check, {
      checkout,
      cwd: source,
      input,
      env: { GIT_LITERAL_PATHSPECS: '0' },
    });
    // 1: none of them is ignored.
    if (ignored.code > 1) throw gitFailed(check, ignored);
    return splitNul(ignored.stdout).map((name) => name.slice(2));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The blob; null: something is there already that is not this; a text says why not. */
async function copyOne(
  repository: Repository,
  source: string,
  target: string,
  name: string,
): Promise<{ readonly oid: Oid } | string | null> {
  const from = await openToRead(source, nameBytes(name));
  if (from.kind !== 'open') return from.kind === 'link' ? 'there is a symbolic link in its path' : null;
  let data: Buffer;
  let mode: number;
  try {
    const stat = await from.file.stat();
    if (!stat.isFile()) return 'it is not a regular file';
    if (stat.size > LARGEST) return 'it is larger than 100 MiB';
    data = await from.file.readFile();
    mode = stat.mode & 0o777;
  } finally {
    await from.file.close();
  }
  const { oid } = newBlob(repository.format, data);
  const to = await createToWrite(target, nameBytes(name), mode);
  if (to.kind === 'open') {
    try {
      await to.file.writeFile(data);
    } finally {
      await to.file.close();
    }
    return { oid };
  }
  if (to.kind === 'link') return 'there is a symbolic link, or a file, in its path in the worktree';
  return (await holds(target, name, data)) ? { oid } : null;
}

async function holds(root: string, name: string, data: Buffer): Promise<boolean> {
  const there = await openToRead(root, nameBytes(name));
  if (there.kind !== 'open') return false;
  try {
    const stat = await there.file.stat();
    return stat.isFile() && stat.size === data.length && (await there.file.readFile()).equals(data);
  } finally {
    await there.file.close();
  }
}
