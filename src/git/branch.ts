// Branch names: what makes one impossible, and which checkouts have it open, also in the middle of a rebase or a bisect.

import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Oid, RefName } from '../domain/git.js';
import { resolveFrom } from './path-bytes.js';
import type { Repository } from './repository.js';
import { listWorktrees } from './worktree.js';

export type BranchPlace =
  | { readonly kind: 'free' }
  | { readonly kind: 'taken'; readonly oid: Oid }
  /** Refs that exist where this name needs a folder, or below it. */
  | { readonly kind: 'impossible'; readonly by: readonly RefName[] };

/** Could this ref be created? Git keeps no ref `a` beside `a/b`. */
export async function branchConflicts(repository: Repository, ref: RefName): Promise<BranchPlace> {
  const engine = await repository.engine();
  const oid = await engine.resolve(ref);
  if (oid !== null) return { kind: 'taken', oid };
  const parts = ref.split('/');
  const by: RefName[] = [];
  for (let count = 3; count < parts.length; count += 1) {
    const above = parts.slice(0, count).join('/') as RefName;
    if ((await engine.resolve(above)) !== null) by.push(above);
  }
  by.push(...(await engine.list(`${ref}/`)).map((below) => below.ref));
  return by.length === 0 ? { kind: 'free' } : { kind: 'impossible', by };
}

export interface OpenIn {
  /** Top of the checkout. */
  readonly path: string;
  /** `head`: it is on the branch. The others: an operation will move or return to it. */
  readonly how: 'head' | 'rebase' | 'bisect';
}

/** Checkouts, the main one included, that have this branch open. */
export const checkedOutAt = async (repository: Repository, ref: RefName): Promise<readonly OpenIn[]> =>
  (await openBranches(repository)).filter((open) => open.ref === ref).map(({ path, how }) => ({ path, how }));

/** All branches that a checkout has open, with each that has. */
export async function openBranches(repository: Repository): Promise<readonly (OpenIn & { readonly ref: string })[]> {
  const open: (OpenIn & { readonly ref: string })[] = (await listWorktrees(repository)).flatMap((one) =>
    one.branch === null ? [] : [{ ref: one.branch, path: one.path, how: 'head' as const }],
  );
  for (const { gitDir, path } of await adminFolders(repository)) {
    for (const found of await operationsOn(gitDir)) open.push({ ...found, path });
  }
  return open;
}

async function adminFolders(
  repository: Repository,
): Promise<readonly { readonly gitDir: string; readonly path: string }[]> {
  const folder = join(repository.commonDir, 'worktrees');
  const names = await readdir(folder).catch(() => []);
  const linked = await Promise.all(
    names.sort().map(async (name) => {
      const gitDir = join(folder, name);
      const link = (await firstLine(join(gitDir, 'gitdir'))) ?? '';
      return { gitDir, path: link === '' ? gitDir : dirname(resolveFrom(gitDir, link)) };
    }),
  );
  return [{ gitDir: repository.commonDir, path: repository.mainWorkTree ?? repository.commonDir }, ...linked];
}

/** Git's own notes: `head-name` of a rebase, the refs that `rebase --update-refs` will move, where a bisect goes back to. */
async function operationsOn(
  gitDir: string,
): Promise<readonly { readonly ref: string; readonly how: 'rebase' | 'bisect' }[]> {
  const rebased: string[] = [];
  for (const kind of ['rebase-merge', 'rebase-apply']) {
    const head = await firstLine(join(gitDir, kind, 'head-name'));
    if (head !== null) rebased.push(head);
  }
  const updated = (await readFile(join(gitDir, 'rebase-merge', 'update-refs'), 'utf8').catch(() => '')).split('\n');
  rebased.push(...updated.filter((line, index) => index % 3 === 0 && line !== ''));
  const bisected = await firstLine(join(gitDir, 'BISECT_START'));
  return [
    ...[...new Set(rebased)].map((ref) => ({ ref, how: 'rebase' as const })),
    ...(bisected === null
      ? []
      : [{ ref: bisected.startsWith('refs/') ? bisected : `refs/heads/${bisected}`, how: 'bisect' as const }]),
  ];
}

const firstLine = async (path: string): Promise<string | null> => {
  const text = await readFile(path, 'utf8').catch(() => null);
  return text === null ? null : (text.split('\n', 1)[0] ?? '');
};
