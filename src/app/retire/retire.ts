// Retirement from beginning to end: what the remote has goes first, behind its fence; the names here follow (M7 to M10).

import { keepIt } from '../../domain/collect.js';
import { isOwlError } from '../../domain/errors.js';
import { shortOid } from '../../domain/git.js';
import { type Collected, untouched } from '../collect/act.js';
import type { Ground } from '../collect/inventory.js';
import type { Kept } from './halves.js';
import { fenceHere, forgetTracking, retireHere } from './here.js';
import type { LookedName, NamesLook } from './look.js';
import {
  type Guarantee,
  type OnRemote,
  probeFence,
  retireFenced,
  retireUnfenced,
  type SeenTarget,
} from './on-remote.js';

/** Every name with what became of it. One target's trouble never stops another's. */
export async function retire(ground: Ground, look: NamesLook): Promise<readonly Collected[]> {
  const results = new Map<LookedName, Collected>();
  const going = look.names.filter(({ item }) => item.action === 'retire');
  await onRemote(ground, look, going, results);
  await here(ground, look, going, results);
  return look.names.map((one) => results.get(one) ?? untouched(one.item));
}

const targetOf = ({ facts }: LookedName): SeenTarget | null => (facts.target.kind === 'seen' ? facts.target : null);

function byTarget(
  names: readonly LookedName[],
): readonly { readonly target: SeenTarget; readonly names: readonly LookedName[] }[] {
  const groups = new Map<string, { target: SeenTarget; names: LookedName[] }>();
  for (const one of names) {
    const target = targetOf(one);
    if (target === null) continue;
    const key = `${target.remote ?? ''} ${target.ref}`;
    const group = groups.get(key) ?? { target, names: [] };
    group.names.push(one);
    groups.set(key, group);
  }
  return [...groups.values()];
}

const keep = ({ item }: LookedName, { reason, detail }: Kept): Collected => ({
  ...item,
  ...keepIt(reason, detail),
  result: 'kept',
});

async function onRemote(
  ground: Ground,
  look: NamesLook,
  going: readonly LookedName[],
  results: Map<LookedName, Collected>,
): Promise<void> {
  const { remote } = look;
  const names = going.filter(({ facts }) => facts.remote !== null);
  if (remote?.kind !== 'seen' || names.length === 0) return;
  const done: LookedName[] = [];
  let unfenced: Kept | null | undefined;
  for (const group of byTarget(names)) {
    const asked: OnRemote = { own: look.own, remote, ...group };
    const outcome = await guarded(group.names, async () => {
      unfenced ??= await probeFence(ground, asked);
      if (unfenced === null) return retireFenced(ground, asked);
      if (unfenced.reason === 'no-fence' && ground.policy.gc.unfenced) return retireUnfenced(ground, asked);
      const why = unfenced;
      return new Map(group.names.map((one) => [one, why]));
    });
    const guarantee: Guarantee = unfenced === null ? 'fenced' : 'unfenced';
    for (const one of group.names) {
      const how = outcome.get(one) ?? { reason: 'changed', detail: 'it was not tried' };
      if (how === 'done') done.push(one);
      results.set(one, how === 'done' ? retired(one, guarantee, asked) : keep(one, how));
    }
  }
  await guarded(done, async () => {
    await forgetTracking(ground, done);
    return new Map();
  });
}

function retired({ item, facts }: LookedName, guarantee: Guarantee, { remote, target }: OnRemote): Collected {
  const at = `${target.ref} at ${shortOid(target.oid)}`;
  const state = remote.state?.kind === 'read' ? ` and refine/state at ${shortOid(remote.state.oid)}` : '';
  const how =
    guarantee === 'fenced'
      ? `deleted on ${remote.name} in one step with ${at}${state}`
      : `deleted on ${remote.name} under a lease, and ${at} looked at again: no fence`;
  return { ...item, detail: `${how} (it was at ${facts.oid})`, guarantee, result: 'done' };
}

async function here(
  ground: Ground,
  look: NamesLook,
  going: readonly LookedName[],
  results: Map<LookedName, Collected>,
): Promise<void> {
  const stays = new Map(
    going.flatMap((one) => {
      const result = one.facts.remote === null ? undefined : results.get(one);
      return result === undefined || result.result === 'done' ? [] : [[one.facts.ref, result] as const];
    }),
  );
  const names = going.filter(({ facts }) => facts.remote === null);
  for (const one of names) {
    const there = stays.get(one.facts.ref);
    // Both sides stay (M8, M9).
    if (there !== undefined)
      results.set(one, keep(one, { reason: there.reason, detail: `that on ${there.remote} stays: ${there.detail}` }));
  }
  for (const { target, names: group } of byTarget(names.filter((one) => !results.has(one)))) {
    const outcome = await guarded(group, () => retireHere(ground, { own: look.own, target, names: group }));
    for (const one of group) {
      const how = outcome.get(one) ?? { reason: 'changed' as const, detail: 'it was not tried' };
      const detail = `deleted here in one step with ${fenceHere(target)} at ${shortOid(target.oid)} and the state (it was at ${one.facts.oid})`;
      results.set(one, how === 'done' ? { ...one.item, detail, guarantee: 'local', result: 'done' } : keep(one, how));
    }
  }
}

/** What fails is a reason to keep, not the end of gc. */
async function guarded(
  names: readonly LookedName[],
  act: () => Promise<ReadonlyMap<LookedName, Kept | 'done'>>,
): Promise<ReadonlyMap<LookedName, Kept | 'done'>> {
  try {
    return await act();
  } catch (error) {
    if (!isOwlError(error)) throw error;
    return new Map(names.map((one) => [one, { reason: 'inspection-failed', detail: error.message }]));
  }
}
