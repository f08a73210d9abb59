// Names go from the remote in one transaction of the server with its target and its state as they were judged (M8). Where that
// cannot be had both sides stay, unless the user's own configuration lets a name go on a lease alone.

import type { TargetSeen } from '../../domain/collect-names.js';
import type { Oid, RefName } from '../../domain/git.js';
import { fencedPush } from '../../git/fence/fenced-push.js';
import type { FenceCommand } from '../../git/fence/plan.js';
import { fetchBranch } from '../../git/fetch.js';
import { lookAtRefs, type PushUpdate, pushRefs } from '../../git/push.js';
import { notReached } from '../../git/reached.js';
import { STATE_REF } from '../../state/layout.js';
import { failpoint } from '../../system/failpoint.js';
import type { Ground } from '../collect/inventory.js';
import { type Attempt, inHalves, type Kept } from './halves.js';
import type { LookedName } from './look.js';
import { openedMeanwhile } from './meanwhile.js';
import { fetchTimeout, type RemoteSeen } from './remote-look.js';

export type SeenTarget = Extract<TargetSeen, { kind: 'seen' }>;
export type Guarantee = 'fenced' | 'unfenced' | 'local';

export interface OnRemote {
  /** This clone's state when the names were judged. */
  readonly own: Oid | null;
  readonly remote: Extract<RemoteSeen, { kind: 'seen' }>;
  readonly target: SeenTarget;
  readonly names: readonly LookedName[];
}

/** Requests of one kind: enough to find a name in the way among thousands. */
const BOUND = 32;
/** Where nothing is, and nobody's name: `owl-fence` is the id of no Goal. */
const PROBE = 'refs/heads/refine/owl-fence/probe' as RefName;

export const guard = (ref: RefName, oid: Oid): FenceCommand => ({ ref, seen: oid, old: oid, new: oid });
/** What a request to the server is fenced by. */
interface Guarded {
  readonly remote: Pick<OnRemote['remote'], 'name' | 'state'>;
  readonly target: SeenTarget;
}

const guardsOf = ({ remote, target }: Guarded): readonly FenceCommand[] => [
  guard(target.ref, target.oid),
  ...(remote.state?.kind === 'read' ? [guard(STATE_REF, remote.state.oid)] : []),
];

const timeoutOf = ({ bench }: Ground): number | undefined =>
  Number(bench.environment.variables['OWL_PUSH_TIMEOUT']) || undefined;

/**
 * Does this server compare what is only guarded? It must take no-ops of what is there, and refuse one of what is not. Null: it
 * does; else why nothing can be retired there.
 */
export async function probeFence(ground: Ground, asked: Guarded): Promise<Kept | null> {
  const { bench } = ground;
  const { name } = asked.remote;
  const ask = (...commands: readonly FenceCommand[]) =>
    fencedPush(bench.repository, { remote: name, commands, timeout: timeoutOf(ground) });
  bench.progress.step(`asking ${name} for a fence`);
  await failpoint('retire.before-probe');
  const taken = await ask(...guardsOf(asked));
  switch (taken.kind) {
    case 'accepted':
      break;
    case 'unreached':
      return { reason: 'no-push', detail: `${name} could not be reached for a push: ${taken.why}` };
    case 'unanswered':
      return { reason: 'no-fence', detail: `${name} does not answer a request that changes nothing` };
    case 'moved': {
      const [first] = taken.refs;
      return first?.found === 'absent'
        ? { reason: 'no-fence', detail: `${name} does not show ${first.ref} to those who push` }
        : { reason: 'changed', detail: `${first?.ref ?? 'the target'} of ${name} moved meanwhile` };
    }
    default:
      return { reason: 'no-fence', detail: `${name}: ${taken.why}` };
  }
  const { target } = asked;
  const lie = await ask(guard(target.ref, target.oid), {
    ref: PROBE,
    seen: 'absent',
    old: target.oid,
    new: target.oid,
  });
  await failpoint('retire.after-probe');
  if (lie.kind === 'refused') return null;
  if (lie.kind === 'accepted') {
    // Should it have made the ref, it is ours alone.
    await pushRefs(bench.repository, { remote: name, updates: [{ ref: PROBE, old: target.oid, new: 'absent' }] });
    return { reason: 'no-fence', detail: `${name} takes a guard of a branch that it does not have` };
  }
  return { reason: 'no-fence', detail: `${name} does not say whether it compares what is guarded` };
}

/** All in one request where that goes. */
export function retireFenced(ground: Ground, asked: OnRemote): Promise<ReadonlyMap<LookedName, Kept | 'done'>> {
  return inHalves(asked.names, BOUND, (some) => attempt(ground, asked, some));
}

async function attempt(ground: Ground, asked: OnRemote, some: readonly LookedName[]): Promise<Attempt<LookedName>> {
  const { bench } = ground;
  const { name } = asked.remote;
  if (bench.signal.aborted) return stop('changed', 'it was interrupted');
  const opened = await openedMeanwhile(ground, asked.own, some);
  if (opened.size > 0) return { kind: 'settled', items: opened };
  bench.progress.step(`retiring ${some.length === 1 ? '1 name' : `${some.length} names`} on ${name}`);
  await failpoint('retire.before-remote');
  const result = await fencedPush(bench.repository, {
    remote: name,
    commands: [
      ...guardsOf(asked),
      ...some.map(({ facts }): FenceCommand => ({ ref: facts.ref, seen: facts.oid, old: facts.oid, new: 'absent' })),
    ],
    timeout: timeoutOf(ground),
  });
  await failpoint('retire.after-remote');
  switch (result.kind) {
    case 'accepted':
      return { kind: 'done' };
    case 'unable':
      return stop('no-fence', `${name}: ${result.why}`);
    case 'unreached':
      return stop('no-push', `${name}: ${result.why}`);
    case 'moved':
      return compare(asked, some, new Map(result.refs.map(({ ref, found }) => [ref, found])), false) ?? gone;
    case 'refused':
    case 'unanswered': {
      const looked = await lookAtRefs(bench.repository, {
        remote: name,
        refs: ['refs/heads/*'],
        timeout: fetchTimeout(ground),
      });
      const unanswered = result.kind === 'unanswered';
      if (looked.kind === 'failed') return stop('unanswered', `${name}: ${looked.reason}`);
      const all = [...guardsOf(asked).map(({ ref }) => ref), ...some.map(({ facts }) => facts.ref)];
      const found = new Map(all.map((ref) => [ref, looked.refs.get(ref) ?? ('absent' as const)]));
      const judged = compare(asked, some, found, unanswered);
      if (judged !== null) return judged;
      if (unanswered) return stop('unanswered', `${name} did not answer; it has the name still`);
      return { kind: 'refused', why: { reason: 'declined', detail: `${name} does not take it: ${result.why}` } };
    }
  }
}

const stop = (reason: Kept['reason'], detail: string): Attempt<LookedName> => ({
  kind: 'stop',
  why: { reason, detail },
});
const gone = stop('changed', 'it moved meanwhile');

/** What is not where it was judged; null: all is. `found` has only what was looked at. `ours`: what is gone was deleted by us. */
function compare(
  asked: OnRemote,
  some: readonly LookedName[],
  found: ReadonlyMap<RefName, Oid | 'absent'>,
  ours: boolean,
): Attempt<LookedName> | null {
  const items = new Map<LookedName, Kept | 'done'>();
  for (const one of some) {
    const value = found.get(one.facts.ref);
    if (value === undefined || value === one.facts.oid) continue;
    if (value === 'absent' && ours) items.set(one, 'done');
    else
      items.set(one, {
        reason: 'changed',
        detail: value === 'absent' ? 'it is gone already' : `it is at ${value} now`,
      });
  }
  if (items.size > 0 && ours) return { kind: 'settled', items };
  for (const { ref, seen } of guardsOf(asked)) {
    const value = found.get(ref);
    if (value !== undefined && value !== seen) return stop('changed', `${ref} of ${asked.remote.name} moved meanwhile`);
  }
  return items.size > 0 ? { kind: 'settled', items } : null;
}

/** So that a command line holds them. */
const UNFENCED_AT_ONCE = 500;

/** `gc.unfenced`: each under its lease; then the target is looked at again, and what it lost meanwhile is there again at once. */
export async function retireUnfenced(ground: Ground, asked: OnRemote): Promise<ReadonlyMap<LookedName, Kept | 'done'>> {
  const { repository } = ground.bench;
  const { name } = asked.remote;
  const outcome = new Map<LookedName, Kept | 'done'>();
  for (let at = 0; at < asked.names.length; at += UNFENCED_AT_ONCE) {
    const batch = asked.names.slice(at, at + UNFENCED_AT_ONCE);
    const opened = await openedMeanwhile(ground, asked.own, batch);
    for (const [one, why] of opened) outcome.set(one, why);
    const some = batch.filter((one) => !opened.has(one));
    if (some.length === 0) continue;
    const updates = some.map(({ facts }): PushUpdate => ({ ref: facts.ref, old: facts.oid, new: 'absent' }));
    await failpoint('retire.before-remote');
    const pushed = await pushRefs(repository, { remote: name, updates, timeout: timeoutOf(ground) });
    await failpoint('retire.after-remote');
    const perhaps: LookedName[] = [];
    for (const [index, one] of some.entries()) {
      const status = pushed.refs[index]?.status;
      const deleted = status === 'done' || status === 'there';
      const unsure = status === 'unknown' || status === 'unanswered';
      if (deleted || unsure) perhaps.push(one);
      const reason = unsure ? 'unanswered' : status === 'moved' ? 'changed' : 'declined';
      outcome.set(one, deleted ? 'done' : { reason, detail: `${name}: ${pushed.why ?? 'it moved meanwhile'}` });
    }
    const lost = await lostBy(ground, asked, perhaps);
    if (lost.length === 0) continue;
    const back = await pushRefs(repository, {
      remote: name,
      updates: lost.map(({ facts }): PushUpdate => ({ ref: facts.ref, old: 'absent', new: facts.oid })),
    });
    for (const [index, one] of lost.entries()) {
      const there = back.refs[index]?.found === one.facts.oid;
      const detail = `${asked.target.ref} of ${name} moved meanwhile; it is ${there ? 'there again' : `to be made again: ${back.why ?? ''}`}`;
      outcome.set(one, { reason: 'changed', detail });
    }
  }
  return outcome;
}

/** Those that the target does not have any more, or that cannot be looked for. */
async function lostBy(
  ground: Ground,
  { remote, target }: OnRemote,
  deleted: readonly LookedName[],
): Promise<readonly LookedName[]> {
  const { repository } = ground.bench;
  const branch = target.ref.slice('refs/heads/'.length);
  const fetched = await fetchBranch(repository, { remote: remote.name, branch, timeout: fetchTimeout(ground) });
  if (fetched.status === 'failed') return deleted;
  if (fetched.oid === target.oid) return [];
  const tips = deleted.map(({ facts }) => facts.oid);
  const missed = await notReached(repository.git, tips, [fetched.oid]);
  return deleted.filter(({ facts }) => missed === null || missed.has(facts.oid));
}
