// Months of the archive on the remote that the state is shared with go by the rules of those here (M12): judged by both states, and in one
// step of the server with that state and its target as they were seen. What is not old enough moves on first.

import { type Item, keepIt } from '../../domain/collect.js';
import { decideMonth } from '../../domain/collect-refs.js';
import { isOwlError } from '../../domain/errors.js';
import { branchRef, type Oid, type RefName } from '../../domain/git.js';
import { fencedPush } from '../../git/fence/fenced-push.js';
import { lookAtRefs, pushedAll, pushRefs } from '../../git/push.js';
import { notReached } from '../../git/reached.js';
import { closedSince, monthAge } from '../../state/archive.js';
import { addEntries } from '../../state/archive-entries.js';
import { loadMonth } from '../../state/archived.js';
import { readChain } from '../../state/chain.js';
import { ARCHIVE_PREFIX, STATE_REF } from '../../state/layout.js';
import { loadState, loadStateAt } from '../../state/load-state.js';
import type { StateSnapshot } from '../../state/snapshot.js';
import { failpoint } from '../../system/failpoint.js';
import type { Collected } from '../collect/act.js';
import type { Ground } from '../collect/inventory.js';
import { resolveTarget } from '../goal/target.js';
import { sharedRemote } from '../sync/shared.js';
import type { Kept } from './halves.js';
import { guard, probeFence, type SeenTarget } from './on-remote.js';
import { fetchMissing, fetchTimeout } from './remote-look.js';

interface There {
  readonly remote: string;
  readonly refs: ReadonlyMap<RefName, Oid>;
  readonly target: SeenTarget;
  readonly state: { readonly kind: 'read'; readonly oid: Oid; readonly snapshot: StateSnapshot };
}

/** All months that the remote has, with what became of them. One that cannot be asked has none to tell: names say so. */
export async function expireThere(ground: Ground): Promise<readonly Collected[]> {
  const { bench, limits } = ground;
  const remote = await sharedRemote(bench);
  if (remote === null || bench.signal.aborted) return [];
  const asked = { remote, refs: [STATE_REF, `${ARCHIVE_PREFIX}*`], timeout: fetchTimeout(ground) };
  const look = await lookAtRefs(bench.repository, asked);
  if (look.kind === 'failed') return [];
  const results: Collected[] = [];
  for (const [ref, tip] of look.refs) {
    const month = ref.slice(ARCHIVE_PREFIX.length);
    if (!ref.startsWith(ARCHIVE_PREFIX) || !/^\d{4}-\d{2}$/.test(month)) continue;
    const outcome = monthAge(month, limits.now, limits.gc.keep.ms);
    const young: Item = { ...decideMonth({ ref, outcome, gone: [], movedOn: [] }), remote };
    results.push(
      outcome === 'expired' ? await expireOne(ground, remote, { ref, tip, month }) : { ...young, result: 'none' },
    );
  }
  return results;
}

interface MonthThere {
  readonly ref: RefName;
  readonly tip: Oid;
  readonly month: string;
}

type Stays = (why: Kept) => Collected;

/** What fails is a reason to keep, not the end of gc. */
async function expireOne(ground: Ground, remote: string, at: MonthThere): Promise<Collected> {
  const of = { kind: 'archive', subject: at.ref, owner: null, remote, proof: [] } as const;
  const stays: Stays = ({ reason, detail }) => ({ ...of, ...keepIt(reason, detail), result: 'kept' });
  try {
    return await expireIt(ground, remote, at, stays);
  } catch (error) {
    if (!isOwlError(error)) throw error;
    return stays({ reason: 'inspection-failed', detail: error.message });
  }
}

async function expireIt(ground: Ground, remote: string, at: MonthThere, stays: Stays): Promise<Collected> {
  const { bench, env } = ground;
  const there = await lookThere(ground, remote, at);
  if ('reason' in there) return stays(there);
  const { gone, movedOn } = await judge(ground, there, at);
  const item: Item = {
    ...decideMonth({ ref: at.ref, outcome: 'expired', gone, movedOn: [...movedOn.keys()] }),
    remote,
  };
  if (bench.dryRun) return { ...item, result: 'planned' };
  const fence = await probeFence(ground, { target: there.target, remote: { name: remote, state: there.state } });
  if (fence !== null) return stays(fence);
  const archive = `${ARCHIVE_PREFIX}${ground.month}` as RefName;
  const old = there.refs.get(archive) ?? null;
  const { tip: next } = await addEntries(env, old, movedOn);
  await failpoint('gc.before-expire-there');
  if (next !== null && next !== old) {
    const update = { ref: archive, old: old ?? ('absent' as const), new: next };
    const moved = await pushRefs(bench.repository, { remote, updates: [update] });
    if (!pushedAll(moved))
      return stays({ reason: 'declined', detail: `${remote}: ${moved.why ?? 'it did not answer'}` });
  }
  await failpoint('gc.between-expire-there');
  const { target, state } = there;
  const result = await fencedPush(bench.repository, {
    remote,
    commands: [
      guard(target.ref, target.oid),
      guard(STATE_REF, state.oid),
      ...(next === null ? [] : [guard(archive, next)]),
      { ref: at.ref, seen: at.tip, old: at.tip, new: 'absent' },
    ],
  });
  await failpoint('gc.after-expire-there');
  switch (result.kind) {
    case 'accepted':
      return { ...item, guarantee: 'fenced', result: 'done' };
    case 'moved':
      return stays({ reason: 'changed', detail: `${result.refs[0]?.ref ?? at.ref} of ${remote} moved meanwhile` });
    case 'unanswered':
      return stays({ reason: 'unanswered', detail: `${remote} did not answer` });
    default:
      return stays({ reason: 'declined', detail: `${remote}: ${result.why}` });
  }
}

async function lookThere(ground: Ground, remote: string, at: MonthThere): Promise<There | Kept> {
  const { bench } = ground;
  const { landing } = await resolveTarget(bench, { target: null, remote: null });
  const ref = branchRef(landing.name);
  const archive = `${ARCHIVE_PREFIX}${ground.month}` as RefName;
  const unseen = (detail: string): Kept => ({ reason: 'remote-unseen', detail });
  const asked = { remote, refs: [STATE_REF, ref, archive], timeout: fetchTimeout(ground) };
  const look = await lookAtRefs(bench.repository, asked);
  if (look.kind === 'failed') return unseen(`${remote}: ${look.reason}`);
  const [state, target] = [look.refs.get(STATE_REF), look.refs.get(ref)];
  if (state === undefined || target === undefined)
    return unseen(`${remote} has no state, or no branch ${landing.name}`);
  const missing = await fetchMissing(ground, remote, new Map([...look.refs, [at.ref, at.tip]]));
  if (missing !== null) return unseen(`${remote}: ${missing}`);
  return {
    remote,
    refs: look.refs,
    target: { kind: 'seen', remote, ref, oid: target },
    state: { kind: 'read', oid: state, snapshot: await loadStateAt(ground.env, state) },
  };
}

/** Entries go whose work is closed for long enough in both states, and whose commits the target there has all. */
async function judge(ground: Ground, { target, state }: There, at: MonthThere) {
  const { bench, env, limits } = ground;
  const before = limits.now - limits.gc.keep.ms;
  const own = await loadState(env);
  const isOld = async (snapshot: StateSnapshot, name: string): Promise<boolean> => {
    const since = await closedSince(snapshot, name);
    return since !== null && since <= before;
  };
  const gone: string[] = [];
  const movedOn = new Map<string, readonly Oid[]>();
  for (const [name, tips] of await loadMonth(env, at)) {
    const old = (await isOld(own, name)) && (await isOld(state.snapshot, name));
    const kept = new Set<Oid>();
    if (old)
      for (const tip of tips) for (const link of await readChain(env.objects, tip)) if (link.kept) kept.add(link.kept);
    const missed = old ? await notReached(bench.repository.git, [...kept], [target.oid]) : null;
    if (missed?.size === 0) gone.push(name);
    else movedOn.set(name, tips);
  }
  return { gone, movedOn };
}
