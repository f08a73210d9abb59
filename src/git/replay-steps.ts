// What a replay has to do, in order: the commits of a branch, its merge commits, and which of them upstream has already (J11).

import { isOid, type Oid } from '../domain/git.js';
import { gitFailed } from './exec.js';
import { nearRange } from './near-history.js';
import type { Repository } from './repository.js';
import { revertedIds } from './reverts.js';
import type { MergeRoom } from './three-way.js';

export type Step =
  /** `before`: the tree of its parent, null for a root. */
  | { readonly kind: 'commit'; readonly oid: Oid; readonly before: Oid | null; readonly flattens: number }
  | { readonly kind: 'merge'; readonly oid: Oid; readonly parents: readonly Oid[]; readonly flattens: 1 };

export interface Range {
  readonly base: Oid;
  readonly tip: Oid;
  readonly onto: Oid;
}

/** The commits that are in the branch and neither in its old base nor in the new one, oldest first. */
export async function loadSteps(repository: Repository, { base, tip, onto }: Range): Promise<readonly Step[]> {
  const commits =
    (await nearSteps(repository, { base, tip, onto })) ?? (await askSteps(repository, { base, tip, onto }));
  const parents = commits.filter((ids) => ids.length === 2).map((ids) => ids[1] as Oid);
  const trees = await loadTrees(repository, parents);
  return commits.flatMap(([oid, ...from]): Step[] => {
    if (oid === undefined) return [];
    if (from.length > 1) return [{ kind: 'merge', oid, parents: from, flattens: 1 }];
    const parent = from[0];
    return [{ kind: 'commit', oid, before: parent === undefined ? null : (trees.get(parent) ?? null), flattens: 0 }];
  });
}

/** Each commit with its parents: a line from the only merge base has nothing that the new base has. Null: ask Git. */
async function nearSteps(
  repository: Repository,
  { base, tip, onto }: Range,
): Promise<readonly (readonly Oid[])[] | null> {
  const engine = await repository.engine();
  const shared = await engine.mergeBases(tip, onto);
  if (!Array.isArray(shared) || shared.length !== 1 || shared[0] !== base) return null;
  const range = await nearRange(engine.read, base, tip);
  return range?.map((oid, at) => [oid, range[at + 1] ?? base]).reverse() ?? null;
}

async function askSteps(repository: Repository, { base, tip, onto }: Range): Promise<readonly (readonly Oid[])[]> {
  const args = [
    'log',
    '--topo-order',
    '--reverse',
    '--no-show-signature',
    '--format=%H %P',
    '--end-of-options',
    tip,
    `^${base}`,
    `^${onto}`,
  ];
  const listing = await repository.git.run(args);
  if (listing.code !== 0) throw gitFailed(args, listing);
  const rows = listing.stdout
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '');
  return rows.map((row) => row.split(' ').filter(isOid));
}

async function loadTrees(repository: Repository, commits: readonly Oid[]): Promise<ReadonlyMap<Oid, Oid>> {
  const objects = await (await repository.engine()).readMany(commits);
  const trees = new Map<Oid, Oid>();
  for (const [index, oid] of commits.entries()) {
    const tree = /^tree ([0-9a-f]+)\n/.exec(objects[index]?.data.toString('latin1', 0, 80) ?? '')?.[1];
    if (tree !== undefined && isOid(tree)) trees.set(oid, tree);
  }
  return trees;
}

export const hasMerges = (steps: readonly Step[]): boolean => steps.some((step) => step.kind === 'merge');

/**
 * The same range with everything up to the last merge commit as one step: the difference between the newest commit of the base
 * that this merge contains and the merge itself. Null where that commit is not one and known.
 */
export async function collapseMerges(
  room: MergeRoom,
  steps: readonly Step[],
  { base, onto }: Range,
): Promise<readonly Step[] | null> {
  const at = steps.findLastIndex((step) => step.kind === 'merge');
  const merge = steps[at];
  if (merge === undefined) return null;
  const { engine } = room.pool;
  const shared = await engine.mergeBases(merge.oid, onto);
  if (!Array.isArray(shared) || shared.length !== 1) return null;
  const from = shared[0] as Oid;
  // A base that was rewound must not come back with it.
  if (from !== base && (await engine.isAncestor(base, from)) !== 'ancestor') return null;
  const rest = steps.slice(at + 1);
  const folded = steps.slice(0, at + 1).filter((step) => step.kind === 'merge').length;
  const linear = new Set<Oid>([merge.oid, ...rest.map((step) => step.oid)]);
  for (const step of rest) {
    const parent = (await room.pool.commit(step.oid)).parents[0];
    if (parent === undefined || !linear.has(parent)) return null;
  }
  return [{ kind: 'commit', oid: merge.oid, before: await room.pool.treeOf(from), flattens: folded }, ...rest];
}

/** Commits of the branch that upstream has as another commit with the same change; none where upstream reverted something. */
export async function loadUpstreamTwins(repository: Repository, { base, tip, onto }: Range): Promise<ReadonlySet<Oid>> {
  const range = `${onto}...${tip}`;
  const args = ['rev-list', '--no-merges', '--cherry-mark', '--right-only', range, `^${base}`];
  const marked = await repository.git.run(args);
  if (marked.code !== 0) return new Set();
  const twins = marked.stdout
    .toString('latin1')
    .split('\n')
    .filter((line) => line.startsWith('='))
    .map((line) => line.slice(1))
    .filter(isOid);
  if (twins.length === 0) return new Set();
  const reverted = await revertedIds(repository, { from: tip, to: onto });
  return reverted === null || reverted.size > 0 ? new Set() : new Set(twins);
}
