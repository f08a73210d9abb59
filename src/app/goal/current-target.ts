// Where a Goal lands, as it is now: one ref and one commit, for base, refresh, ancestry and merge (03, "The target"; G5, G6).

import { loadPolicy } from '../../config/load.js';
import { gatesDigest } from '../../config/policy.js';
import { OwlError } from '../../domain/errors.js';
import { branchRef, type Oid, type RefName, remoteRef } from '../../domain/git.js';
import type { Goal, Target } from '../../domain/goal.js';
import type { LoadedPolicy } from '../../domain/policy.js';
import { type BaseWish, type CurrentPolicy, currentPolicy, fetchedPolicy } from '../policy.js';
import type { Workbench } from '../workbench.js';
import { targetWish } from './target.js';

export interface CurrentTarget {
  readonly current: CurrentPolicy;
  readonly publish: boolean;
  /** The commit that counts, with the ref that it was read from. */
  readonly at: { readonly ref: RefName; readonly oid: Oid };
}

/** What is pinned, else what `goal add` said it would be. */
export async function wishOfGoal(bench: Workbench, { target, wish }: Pick<Goal, 'target' | 'wish'>): Promise<BaseWish> {
  if (target === null) return targetWish(bench, wish);
  return { base: target.name, remote: target.remote ?? undefined, side: target.publish ? 'remote' : 'local' };
}

/**
 * Fetches and resolves. Throws OwlError `missing-base`, `missing-remote`, `configuration`, and `remote` where the target is the
 * remote's and cannot be seen: what is known here proves nothing (00, rule 4).
 */
export async function currentTarget(
  bench: Workbench,
  goal: Pick<Goal, 'id' | 'target' | 'wish'>,
): Promise<CurrentTarget> {
  const first = await fetchedPolicy(bench, await wishOfGoal(bench, goal));
  const { base } = first;
  const publish = goal.target?.publish ?? (first.loaded.policy.goals.publish && base.remote !== null);
  const wanted = publish && base.remote !== null ? remoteRef(base.remote, base.name) : branchRef(base.name);
  const side = publish ? 'remote' : 'local';
  const current =
    first.at.ref === wanted
      ? first
      : { ...(await currentPolicy(bench, { base: base.name, remote: base.remote ?? undefined, side })), base };
  if (publish && first.fetch?.status !== 'fetched') {
    const why = first.fetch?.reason ?? 'it did not answer';
    throw new OwlError('remote', `${base.name} could not be fetched from ${base.remote}: ${why}`, {
      preserved: [`goal ${goal.id} is as it was`],
      next: ['git owl doctor', `git owl run ${goal.id}`],
    });
  }
  return { current, publish, at: { ref: current.at.ref, oid: current.at.oid } };
}

/** What is pinned with a base (03, "The target"): name, side, and the gates as they are read from that commit here. */
export const pinOf = ({ current, publish }: CurrentTarget): Target => ({
  name: current.base.name,
  remote: current.base.remote,
  publish,
  config: current.loaded.commit,
  gates: gatesDigest(current.loaded.policy),
});

/**
 * The configuration as the Goal's base commit has it: what its gates are read from. Throws OwlError `refused` where this clone
 * resolves them otherwise than the one that pinned them.
 */
export async function pinnedPolicy(
  bench: Workbench,
  goal: Pick<Goal, 'id' | 'base' | 'target'>,
): Promise<LoadedPolicy> {
  const { base, target } = goal;
  if (base === null || target === null)
    throw new OwlError('wrong-state', `goal ${goal.id} has no base yet`, { next: [`git owl run ${goal.id}`] });
  const { repository, environment } = bench;
  const loaded = await loadPolicy({ repository, environment, commit: base.oid, ref: base.ref as RefName });
  if (gatesDigest(loaded.policy) === target.gates) return loaded;
  throw new OwlError('refused', `the gates of goal ${goal.id} were pinned in another clone, and are others here`, {
    preserved: ['nothing was changed'],
    next: ['git owl config', `git owl goal move ${goal.id} todo`],
  });
}
