// Was this branch merged by ordinary Git tooling? Ancestry, equal trees, or equal patches; never after a revert (J31).

import type { Oid } from '../domain/git.js';
import { type Isolated, isolate } from './isolated.js';
import { nearRange } from './near-history.js';
import { agreeOnHandoff } from './own-handoff.js';
import { patchDigest, splitPatches } from './parse/patches.js';
import { binaryName, shownName } from './path-bytes.js';
import { createPool, type Pool } from './pool.js';
import type { Repository } from './repository.js';
import { revertedIds } from './reverts.js';
import { mergeThree } from './three-way.js';
import { changedPaths, type PathChange } from './tree-diff.js';
import { entryAt, sameAt } from './tree-path.js';

export interface LandedRequest {
  /** The base commit that the branch's own commits begin after. */
  readonly base: Oid;
  readonly tip: Oid;
  /** The base as it is now. */
  readonly target: Oid;
  readonly handoffPath: string;
}

export type Landed =
  | { readonly kind: 'ancestor' }
  /** One commit (or several) of the target made the same change; `commit` is it, where one can be named. */
  | { readonly kind: 'squash'; readonly commit: Oid | null }
  /** Each commit of the branch has its equal on the target. */
  | { readonly kind: 'patch-ids' }
  | { readonly kind: 'no'; readonly because: 'no-change' | 'not-found' | 'reverted' }
  /** Something could not be read, such as the history of a shallow clone. */
  | { readonly kind: 'unknown' };

/** Commits of the target that are looked at, the newest, and paths that a look is narrowed to. */
const COMMITS = 1_000;
const PATHS = 200;

/** Looks for the branch's work on the target. Throws OwlError `git-failed`, `timeout`, `unreadable-object`. */
export async function findLanded(repository: Repository, request: LandedRequest): Promise<Landed> {
  const { base, tip, target, handoffPath } = request;
  const pool = await createPool(repository);
  const own = (await changedPaths(pool, base, tip)).filter((change) => change.path !== binaryName(handoffPath));
  if (own.length === 0) return { kind: 'no', because: 'no-change' };
  if (target === base) return { kind: 'no', because: 'not-found' };
  if (await isUntouched(pool, request, own)) return { kind: 'no', because: 'not-found' };
  const contained = await pool.engine.isAncestor(tip, target);
  if (contained === 'missing') return { kind: 'unknown' };
  const reverted = await revertedIds(repository, { from: base, to: target });
  if (reverted === null) return { kind: 'unknown' };
  if (contained === 'ancestor') {
    return (await isMergeReverted(pool, reverted, request))
      ? { kind: 'no', because: 'reverted' }
      : { kind: 'ancestor' };
  }
  const isolation = isolate(repository, base);
  try {
    const found = await findPatches(
      await isolation.enter(),
      request,
      own.map((change) => change.path),
    );
    if (found.kind === 'same') {
      if (found.commits.some((commit) => reverted.has(commit))) return { kind: 'no', because: 'reverted' };
      return found.whole ? { kind: 'squash', commit: found.commits[0] ?? null } : { kind: 'patch-ids' };
    }
    // Squashed together with other work, or edited while it was merged: nothing of the branch is left to merge.
    const trees = { base: await pool.treeOf(base), ours: await pool.treeOf(target), theirs: await pool.treeOf(tip) };
    const agreed = await agreeOnHandoff(pool, trees, handoffPath, await entryAt(pool, trees.base, handoffPath));
    const merged = await mergeThree({ repository, pool, isolation }, agreed);
    if (merged.kind === 'clean' && merged.tree === agreed.ours) return { kind: 'squash', commit: null };
  } finally {
    await isolation.close();
  }
  return contained === 'unknown' ? { kind: 'unknown' } : { kind: 'no', because: 'not-found' };
}

/** Entries that are compared before Git is asked. */
const ENTRIES = 2_000;

/**
 * True: the target went on from the base in a short line of commits, none of which touched a path of the branch, or is the branch's,
 * or takes something back. Then nothing of it can be there, and no process is needed to say so.
 */
async function isUntouched(
  pool: Pool,
  { base, tip, target }: LandedRequest,
  own: readonly PathChange[],
): Promise<boolean> {
  const paths = own.map(({ path, old }) => ({ path: shownName(path), name: path, old }));
  // A name that is not UTF-8 cannot be looked up by its path.
  if (paths.some(({ path, name }) => binaryName(path) !== name)) return false;
  const range = await nearRange(pool.engine.read, base, target);
  if (range === null || range.includes(tip) || range.length * own.length > ENTRIES) return false;
  for (const oid of range) {
    const commit = await pool.commit(oid);
    if (/revert/i.test(commit.message)) return false;
    for (const { path, old } of paths) {
      if (!sameAt(await entryAt(pool, commit.tree, path), old)) return false;
    }
  }
  return true;
}

/** Was one of the branch's commits reverted, or a merge that brought the tip in? */
async function isMergeReverted(pool: Pool, reverted: ReadonlySet<Oid>, { base, tip }: LandedRequest): Promise<boolean> {
  for (const commit of reverted) {
    if (!(await pool.engine.exists([commit]))[0]) continue;
    const isOwn =
      (await pool.engine.isAncestor(commit, tip)) === 'ancestor' &&
      (await pool.engine.isAncestor(commit, base)) !== 'ancestor';
    if (isOwn) return true;
    const first = (await pool.commit(commit)).parents[0];
    const brought =
      (await pool.engine.isAncestor(tip, commit)) === 'ancestor' &&
      (first === undefined || (await pool.engine.isAncestor(tip, first)) !== 'ancestor');
    if (brought) return true;
  }
  return false;
}

type Patches =
  /** `whole`: one commit has the change of the whole branch. */
  { readonly kind: 'same'; readonly whole: boolean; readonly commits: readonly Oid[] } | { readonly kind: 'different' };

const PATCH = ['--full-index', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color', '-U3'] as const;

async function findPatches(
  inside: Pick<Isolated, 'run'>,
  request: LandedRequest,
  own: readonly string[],
): Promise<Patches> {
  const { base, tip, target } = request;
  const pathspec = narrow(own, request.handoffPath);
  const run = async (args: readonly string[]): Promise<Buffer | null> => {
    const result = await inside.run([...args, '--', ...pathspec], { env: { GIT_LITERAL_PATHSPECS: '0' } });
    return result.code === 0 ? result.stdout : null;
  };
  const log = [
    'log',
    '-p',
    '--no-merges',
    '--no-show-signature',
    '--format=%x00%H',
    `--max-count=${COMMITS}`,
    ...PATCH,
  ];
  const theirs = await run([...log, target, `^${base}`, `^${tip}`]);
  if (theirs === null) return { kind: 'different' };
  // Newest first: a change that came, went and came again counts by its last coming.
  const onTarget = new Map<string, Oid>();
  for (const { oid, patch } of splitPatches(theirs)) {
    const digest = patchDigest(patch);
    if (digest !== null && !onTarget.has(digest)) onTarget.set(digest, oid as Oid);
  }
  if (onTarget.size === 0) return { kind: 'different' };

  const whole = await run(['diff-tree', '-p', '-r', ...PATCH, base, tip]);
  const squashed = onTarget.get((whole === null ? null : patchDigest(whole.toString('latin1'))) ?? '');
  if (squashed !== undefined) return { kind: 'same', whole: true, commits: [squashed] };

  const ours = await run([...log, tip, `^${base}`]);
  const digests = splitPatches(ours ?? Buffer.alloc(0)).flatMap(({ patch }) => patchDigest(patch) ?? []);
  const found = digests.map((digest) => onTarget.get(digest));
  if (digests.length === 0 || found.includes(undefined)) return { kind: 'different' };
  return { kind: 'same', whole: false, commits: found.filter((oid) => oid !== undefined) };
}

/** The branch's own paths, so that what else a squash commit did does not matter; else all but the Handoff. */
function narrow(own: readonly string[], handoff: string): readonly string[] {
  const shown = own.map(shownName);
  // A name that is not UTF-8 cannot be an argument of a process that Node starts.
  const exact = shown.every((path, index) => binaryName(path) === own[index]);
  if (own.length <= PATHS && exact) return shown.map((path) => `:(top,literal)${path}`);
  return [':(top)', `:(top,exclude,literal)${handoff}`];
}
