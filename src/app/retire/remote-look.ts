// One look at the configured remote: its branches, the state that it has, the targets of Goals; what is missing of them is fetched (M7).

import { isOpen, type RecordFacts } from '../../domain/collect.js';
import type { SharedRecord, TargetSeen } from '../../domain/collect-names.js';
import { isOwlError } from '../../domain/errors.js';
import { branchRef, type Oid, type RefName } from '../../domain/git.js';
import { fetchObjects } from '../../git/fetch.js';
import { lookAtRefs } from '../../git/push.js';
import { STATE_REF } from '../../state/layout.js';
import { loadStateAt } from '../../state/load-state.js';
import type { StateSnapshot } from '../../state/snapshot.js';
import type { Snapshot } from '../../state/types.js';
import type { Ground } from '../collect/inventory.js';
import { resolveTarget } from '../goal/target.js';

export type RemoteSeen =
  /** Nothing is published, or nothing of ours is known that could lie there. `landing`: the branch that Goals land on by default. */
  | { readonly kind: 'none'; readonly landing: string | null }
  | { readonly kind: 'unseen'; readonly name: string; readonly landing: string; readonly why: string }
  | {
      readonly kind: 'seen';
      readonly name: string;
      readonly landing: string;
      /** Its branches. */
      readonly refs: ReadonlyMap<RefName, Oid>;
      /** Those below `refine/`, sorted. */
      readonly rows: readonly { readonly ref: RefName; readonly oid: Oid }[];
      /** Null: it has none. */
      readonly state:
        | { readonly kind: 'read'; readonly oid: Oid; readonly snapshot: StateSnapshot }
        | { readonly kind: 'unseen'; readonly why: string }
        | null;
    };

/** What names here, and those on the remote, are judged by. */
export interface GoalTargets {
  readonly own: TargetSeen;
  readonly onRemote: TargetSeen;
}

const BELOW = 'refs/heads/refine/';

export const fetchTimeout = ({ bench }: Pick<Ground, 'bench'>): number | undefined =>
  Number(bench.environment.variables['OWL_FETCH_TIMEOUT']) || undefined;

/** The remote is asked only where something of ours may lie there. */
export async function seeRemote(ground: Ground, own: Snapshot, names: boolean): Promise<RemoteSeen> {
  const { bench } = ground;
  const landing = await landingOf(ground);
  if (landing === null || !landing.publish || landing.remote === null)
    return { kind: 'none', landing: landing?.name ?? null };
  const { remote: name } = landing;
  const engine = await bench.repository.engine();
  const known =
    names || (await engine.list(`refs/remotes/${name}/refine/`)).length > 0 || (await own.goalIds()).length > 0;
  if (!known) return { kind: 'none', landing: landing.name };
  bench.progress.step(`looking at the branches of ${name}`);
  const looked = await lookAtRefs(bench.repository, {
    remote: name,
    refs: ['refs/heads/*'],
    timeout: fetchTimeout(ground),
  });
  if (looked.kind === 'failed')
    return { kind: 'unseen', name, landing: landing.name, why: `${name}: ${looked.reason}` };
  const rows = [...looked.refs].filter(([ref]) => ref.startsWith(BELOW)).map(([ref, oid]) => ({ ref, oid }));
  const oid = looked.refs.get(STATE_REF) ?? null;
  const state = oid === null || (rows.length === 0 && !names) ? null : await readState(ground, name, oid, own);
  return { kind: 'seen', name, landing: landing.name, refs: looked.refs, rows, state };
}

async function landingOf({ bench }: Ground): Promise<Awaited<ReturnType<typeof resolveTarget>>['landing'] | null> {
  try {
    return (await resolveTarget(bench, { target: null, remote: null })).landing;
  } catch (error) {
    // A repository without a commit, say.
    if (!isOwlError(error)) throw error;
    return null;
  }
}

async function readState(
  ground: Ground,
  remote: string,
  oid: Oid,
  own: Snapshot,
): Promise<Extract<RemoteSeen, { kind: 'seen' }>['state']> {
  const unseen = (why: string) => ({
    kind: 'unseen' as const,
    why: `the state on ${remote} could not be read: ${why}`,
  });
  const missing = await fetchMissing(ground, remote, new Map([[STATE_REF, oid]]));
  if (missing !== null) return unseen(missing);
  try {
    const snapshot = await loadStateAt(ground.env, oid);
    const [theirs, ours] = [await snapshot.meta(), await own.meta()];
    if (ours !== null && theirs?.repository !== ours.repository) return unseen('it is the state of another repository');
    return { kind: 'read', oid, snapshot };
  } catch (error) {
    if (!isOwlError(error)) throw error;
    return unseen(error.message);
  }
}

/** Null: all of them are here. */
async function fetchMissing(ground: Ground, remote: string, wanted: ReadonlyMap<RefName, Oid>): Promise<string | null> {
  const { repository } = ground.bench;
  const engine = await repository.engine();
  const missing = async (): Promise<readonly RefName[]> => {
    const rows = [...wanted];
    const there = await engine.exists(rows.map(([, oid]) => oid));
    return rows.filter((_, at) => there[at] !== true).map(([ref]) => ref);
  };
  const refs = await missing();
  if (refs.length === 0) return null;
  const whole = refs.includes(STATE_REF);
  const why = await fetchObjects(repository, { remote, refs, whole, timeout: fetchTimeout(ground) });
  if (why !== null) return why;
  const [still] = await missing();
  return still === undefined ? null : `${still} moved meanwhile`;
}

/** By Goal: what its names here, and those on the remote, are judged by. Only of Goals that are closed, and have names that could go. */
export async function seeTargets(
  ground: Ground,
  remote: RemoteSeen,
  own: ReadonlyMap<string, RecordFacts>,
  shared: ReadonlyMap<string, SharedRecord>,
): Promise<ReadonlyMap<string, GoalTargets>> {
  const engine = await ground.bench.repository.engine();
  const closed = [...own].filter(([goal, record]) => isClosed(record) && mayBeClosed(shared.get(goal)));
  const names = new Map(closed.map(([goal, record]) => [goal, targetName(record) ?? remote.landing]));
  const there = new Map<string, TargetSeen>();
  if (remote.kind === 'seen') {
    const wanted = new Map<RefName, Oid>();
    for (const name of new Set(names.values())) {
      const ref = name === null ? null : branchRef(name);
      const oid = ref === null ? undefined : remote.refs.get(ref);
      if (name === null || ref === null) continue;
      if (oid === undefined) there.set(name, { kind: 'unseen', why: `${remote.name} has no branch ${name}` });
      else {
        wanted.set(ref, oid);
        there.set(name, { kind: 'seen', remote: remote.name, ref, oid });
      }
    }
    const missing = await fetchMissing(ground, remote.name, wanted);
    if (missing !== null)
      for (const [name, target] of there)
        if (target.kind === 'seen') there.set(name, { kind: 'unseen', why: `${remote.name}: ${missing}` });
  }
  const here = new Map<string, TargetSeen>();
  const targets = new Map<string, GoalTargets>();
  for (const [goal, record] of closed) {
    const name = names.get(goal) ?? null;
    if (name === null) continue;
    const onRemote = onOther(remote, record) ?? there.get(name) ?? unseenRemote(remote);
    const isLocal =
      record.kind === 'goal' && record.goal.target !== null ? !record.goal.target.publish : remote.kind === 'none';
    if (isLocal && !here.has(name)) {
      const ref = branchRef(name);
      const oid = await engine.resolve(ref);
      here.set(
        name,
        oid === null
          ? { kind: 'unseen', why: `there is no branch ${name} here` }
          : { kind: 'seen', remote: null, ref, oid },
      );
    }
    targets.set(goal, { own: isLocal ? (here.get(name) as TargetSeen) : onRemote, onRemote });
  }
  return targets;
}

const isClosed = (record: RecordFacts): boolean =>
  record.kind === 'deleted' || (record.kind === 'goal' && !isOpen(record));
const mayBeClosed = (shared: SharedRecord | undefined): boolean =>
  shared === undefined || shared.kind === 'none' || (shared.kind !== 'unseen' && isClosed(shared));
const targetName = (record: RecordFacts): string | null =>
  record.kind === 'goal' ? (record.goal.target?.name ?? record.goal.wish.target) : null;

function onOther(remote: RemoteSeen, record: RecordFacts): TargetSeen | null {
  const target = record.kind === 'goal' ? record.goal.target : null;
  if (target === null || !target.publish || target.remote === null) return null;
  return remote.kind !== 'none' && remote.name === target.remote
    ? null
    : { kind: 'other-remote', remote: target.remote };
}

const unseenRemote = (remote: RemoteSeen): TargetSeen => ({
  kind: 'unseen',
  why: remote.kind === 'unseen' ? remote.why : 'nothing is published from here',
});
