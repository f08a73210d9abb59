// Names of this clone go in one transaction of Git with its state and the target as they were judged, after those of the remote (M9).

import { branchName, type Oid, type RefName, remoteRef } from '../../domain/git.js';
import { openBranches } from '../../git/branch.js';
import { fetchBranch } from '../../git/fetch.js';
import { deleteTogether, type RefAt } from '../../git/ref-transaction.js';
import { STATE_REF } from '../../state/layout.js';
import { failpoint } from '../../system/failpoint.js';
import type { Ground } from '../collect/inventory.js';
import { type Attempt, inHalves, type Kept } from './halves.js';
import type { LookedName } from './look.js';
import { openedMeanwhile } from './meanwhile.js';
import type { SeenTarget } from './on-remote.js';
import { fetchTimeout } from './remote-look.js';

const BOUND = 32;

export interface HereRequest {
  /** This clone's state when the names were judged. */
  readonly own: Oid | null;
  readonly target: SeenTarget;
  readonly names: readonly LookedName[];
}

/** What a deletion here is fenced by: the local target, or what this clone has of the one on the remote. */
export const fenceHere = ({ remote, ref }: SeenTarget): RefName =>
  remote === null ? ref : remoteRef(remote, branchName(ref) ?? '');

/** Only while the target is still what was judged; what is checked out stays. */
export async function retireHere(
  ground: Ground,
  { own, target, names }: HereRequest,
): Promise<ReadonlyMap<LookedName, Kept | 'done'>> {
  const { repository } = ground.bench;
  const branch = branchName(target.ref) ?? '';
  const ref = fenceHere(target);
  if (target.remote !== null) {
    // The commit must be held here too, by what was seen there.
    const fetched = await fetchBranch(repository, { remote: target.remote, branch, timeout: fetchTimeout(ground) });
    const why: Kept | null =
      fetched.status === 'failed'
        ? { reason: 'remote-unseen', detail: `${target.remote}: ${fetched.reason}` }
        : fetched.oid !== target.oid
          ? { reason: 'changed', detail: `${target.ref} of ${target.remote} moved meanwhile` }
          : null;
    if (why !== null) return new Map(names.map((one) => [one, why]));
  }
  return inHalves(names, BOUND, (some) => attempt(ground, { own, target: { ref, oid: target.oid } }, some));
}

async function attempt(
  ground: Ground,
  { own, target }: { readonly own: Oid | null; readonly target: RefAt },
  some: readonly LookedName[],
): Promise<Attempt<LookedName>> {
  const { bench } = ground;
  const engine = await bench.repository.engine();
  if (bench.signal.aborted) return { kind: 'stop', why: { reason: 'changed', detail: 'it was interrupted' } };
  const state = await engine.resolve(STATE_REF);
  const inTheWay = new Map(await openedMeanwhile(ground, own, some));
  const open = new Map<string, string>();
  for (const one of await openBranches(bench.repository)) open.set(one.ref, one.path);
  for (const one of some) {
    const path = open.get(one.facts.ref);
    if (path !== undefined) inTheWay.set(one, { reason: 'checked-out', detail: `${path} has it open` });
  }
  if (inTheWay.size > 0) return { kind: 'settled', items: inTheWay };
  await failpoint('retire.before-here');
  const done = await deleteTogether(
    bench.repository,
    {
      held: [target, ...(state === null ? [] : [{ ref: STATE_REF, oid: state }])],
      gone: some.map(({ facts }) => ({ ref: facts.ref, oid: facts.oid })),
    },
    'owl: gc, retired',
  );
  await failpoint('retire.after-here');
  if (done) return { kind: 'done' };
  if ((await engine.resolve(target.ref)) !== target.oid)
    return { kind: 'stop', why: { reason: 'changed', detail: `${target.ref} moved meanwhile` } };
  const now = new Map((await engine.list('refs/heads/')).map((row) => [row.ref, row.oid]));
  const moved = some.flatMap((one): [LookedName, Kept][] => {
    const value = now.get(one.facts.ref);
    if (value === one.facts.oid) return [];
    return [[one, { reason: 'changed', detail: value === undefined ? 'it is gone already' : `it is at ${value} now` }]];
  });
  if (moved.length > 0) return { kind: 'settled', items: new Map(moved) };
  // The state moved alone: the same once more, judged with the new one. Each try counts.
  if ((await engine.resolve(STATE_REF)) !== state) return { kind: 'again' };
  return { kind: 'refused', why: { reason: 'changed', detail: 'Git did not delete it: is a lock in the way?' } };
}

/** What this clone remembers of names that are gone from the remote goes with them: nobody should push them back by it. */
export async function forgetTracking(ground: Ground, gone: readonly LookedName[]): Promise<void> {
  const { repository } = ground.bench;
  const engine = await repository.engine();
  const remote = gone[0]?.facts.remote ?? null;
  if (remote === null) return;
  const retired = new Map(gone.map(({ facts }) => [remoteRef(remote, branchName(facts.ref) ?? ''), facts.oid]));
  const rows = await engine.list(`refs/remotes/${remote}/`);
  const same = rows.filter(({ ref, oid }) => retired.get(ref) === oid);
  if (same.length > 0) await deleteTogether(repository, { held: [], gone: same }, 'owl: gc, retired');
}
