// What goes with the Git folder of a checkout, and nothing else may have: refs of its own, a HEAD that no branch has, an operation
// in progress (M4). Everyone who removes a registration, or makes it anew, asks here; `gc` does, too.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Oid } from '../../domain/git.js';
import type { Repository } from '../../git/repository.js';
import { article, operationInProgress } from '../../git/status-facts.js';
import { listWorktrees } from '../../git/worktree.js';

/** Something that would be lost. */
export interface Held {
  /** "it …", without a trailing period. */
  readonly why: string;
  /** Keeping it keeps all that this holds; null: nothing that can be kept holds it, a person brings it to its end. */
  readonly commit: Oid | null;
}

interface OwnRef {
  readonly ref: string;
  readonly oid: Oid;
  /** Git's name of what it points to. */
  readonly type: string;
}

/** Below these lie the refs that every checkout has for itself. */
const OWN_PREFIXES = ['refs/worktree/', 'refs/bisect/', 'refs/rewritten/'];
const HOLDERS = [
  'refs/heads/',
  'refs/remotes/',
  'refs/tags/',
  'refs/owl/keep/',
  'refs/owl/archive/',
  'refs/owl/candidates/',
];

/** Refs that live in the Git folder of a checkout (`refs/worktree/…`, a bisect's) and would go with it. */
export async function ownRefs(repository: Repository, admin: string): Promise<readonly OwnRef[]> {
  // Git never packs them: no file, no ref, and no process for most checkouts.
  if (!repository.reftable && !(await hasFiles(join(admin, 'refs')))) return [];
  const format = '--format=%(objectname) %(objecttype) %(refname)';
  const found = await repository.git.text([`--git-dir=${admin}`, 'for-each-ref', format, ...OWN_PREFIXES], {
    bare: true,
  });
  return found === '' ? [] : found.split('\n').map(parseOwnRef);
}

function parseOwnRef(line: string): OwnRef {
  const [oid = '', type = '', ...ref] = line.split(' ');
  return { oid: oid as Oid, type, ref: ref.join(' ') };
}

async function hasFiles(folder: string): Promise<boolean> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.some((entry) => !entry.isDirectory());
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Does a branch, a tag or something kept reach this commit? Throws OwlError `git-failed` where that cannot be looked at. */
export async function isReachable(repository: Repository, oid: Oid): Promise<boolean> {
  const asked = ['for-each-ref', `--contains=${oid}`, '--count=1', '--format=%(refname)'];
  return (await repository.git.text([...asked, ...HOLDERS])) !== '';
}

/** Of a checkout that is there, its own refs to what nothing else reaches. HEAD and operations are looked at where it is admitted. */
export async function heldByRefs(repository: Repository, admin: string): Promise<readonly Held[]> {
  const held: Held[] = [];
  for (const { ref, oid, type } of await ownRefs(repository, admin)) {
    const why = `it has a ref of its own, ${ref} at ${oid}, which nothing else has`;
    if (type !== 'commit') held.push({ why, commit: null });
    else if (!(await isReachable(repository, oid))) held.push({ why, commit: oid });
  }
  return held;
}

/**
 * Of a checkout whose folder is gone. `known`: a commit that the caller has, or is about to open again. What was only staged went
 * with the folder: `gc` tells of it, and a person who decides about the work knows.
 */
export async function heldByGone(
  repository: Repository,
  admin: string,
  known: Oid | null = null,
): Promise<readonly Held[]> {
  const operation = await operationInProgress(admin);
  if (operation !== null) return [{ why: `it was in the middle of ${article(operation.kind)}`, commit: null }];
  const head = await lostHead(repository, admin);
  const refs = await heldByRefs(repository, admin);
  return head === null || head === known ? refs : [{ why: `it had the commit ${head} open`, commit: head }, ...refs];
}

/** Its HEAD, where no branch nor anything else reaches it. */
export async function lostHead(repository: Repository, admin: string): Promise<Oid | null> {
  const listed = (await listWorktrees(repository)).find((place) => place.admin === admin);
  const head = listed?.head ?? null;
  return head === null || listed?.branch !== null || (await isReachable(repository, head)) ? null : head;
}

/** Show what would be lost, and give it a name. */
export const nextOfHeld = (held: readonly Held[], id: string): readonly string[] => {
  const commit = held.find((one) => one.commit !== null)?.commit;
  return commit === null || commit === undefined
    ? ['git worktree list --verbose']
    : [`git log -3 ${commit}`, `git branch kept-${id} ${commit}`];
};
