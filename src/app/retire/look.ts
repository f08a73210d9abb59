// All names below `refine/`, here and on the configured remote, with what proves that one may go: both states, the target, what it
// reaches, what is checked out (M7, M10). A constant number of processes, however many names.

import type { Item, RecordFacts } from '../../domain/collect.js';
import { decideName, type NameFacts, type SharedRecord, type TargetSeen } from '../../domain/collect-names.js';
import { branchName, type Oid, type RefName } from '../../domain/git.js';
import { parseGoalBranch } from '../../domain/names.js';
import { openBranches } from '../../git/branch.js';
import { notReached } from '../../git/reached.js';
import { STATE_REF } from '../../state/layout.js';
import { loadState } from '../../state/load-state.js';
import { loadGoals } from '../../state/many-goals.js';
import type { StateSnapshot } from '../../state/snapshot.js';
import type { Ground } from '../collect/inventory.js';
import { goalFacts } from '../collect/records.js';
import { type GoalTargets, type RemoteSeen, seeRemote, seeTargets } from './remote-look.js';

export interface LookedName {
  readonly facts: NameFacts;
  readonly item: Item;
}

export interface NamesLook {
  readonly names: readonly LookedName[];
  /** This clone's state when it was judged. */
  readonly own: Oid | null;
  readonly remote: RemoteSeen | null;
}

interface Named {
  readonly remote: string | null;
  readonly ref: RefName;
  readonly oid: Oid;
  readonly name: NameFacts['name'];
}

/** `going`: checkouts that go before, by path. Looks only; objects that are missing are fetched, and no ref moves. */
export async function lookAtNames(ground: Ground, going: ReadonlySet<string>): Promise<NamesLook> {
  const { bench } = ground;
  const engine = await bench.repository.engine();
  const here = (await engine.list('refs/heads/refine/')).flatMap((row) => named(null, row));
  const snapshot = await loadState(ground.env);
  const remote = await seeRemote(ground, snapshot, here.length > 0);
  const there = remote.kind === 'seen' ? remote.rows.flatMap((row) => named(remote.name, row)) : [];
  const all = [...here, ...there];
  if (all.length === 0) return { names: [], own: snapshot.tip, remote: null };

  const own = await loadRecords(ground, snapshot, all);
  const shared = await sharedRecords(ground, remote, { tip: snapshot.tip, records: own }, all);
  const targets = await seeTargets(ground, remote, own, shared);
  const contained = await containedIn(ground, all, targets);
  const open = new Map<string, string>();
  for (const { ref, path } of await openBranches(bench.repository)) if (!going.has(path)) open.set(ref, path);

  const look = all.map((one): NameFacts => {
    const goal = one.name.kind === 'other' ? '' : one.name.goal;
    const target = targetFor(one, targets.get(goal));
    return {
      ...one,
      own: own.get(goal) ?? { kind: 'unknown' },
      shared: shared.get(goal) ?? { kind: 'none' },
      target,
      contained: contained(one.oid, target),
      openIn: one.remote === null ? (open.get(one.ref) ?? null) : null,
      remoteKeeps: false,
    };
  });
  const judged = look.map((facts): LookedName => ({ facts, item: decideName(facts, ground.limits) }));
  const kept = new Set(judged.filter(({ item }) => item.remote !== undefined && item.action !== 'retire').map(refOf));
  // A name here follows that of the remote.
  const names = judged.map((one): LookedName => {
    if (one.facts.remote !== null || !kept.has(refOf(one))) return one;
    const facts = { ...one.facts, remoteKeeps: true };
    return { facts, item: decideName(facts, ground.limits) };
  });
  return { names, own: snapshot.tip, remote };
}

const refOf = ({ facts }: LookedName): RefName => facts.ref;

function named(remote: string | null, row: { readonly ref: RefName; readonly oid: Oid }): readonly Named[] {
  const name = row.ref === STATE_REF ? null : parseGoalBranch(branchName(row.ref) ?? '');
  return name === null ? [] : [{ remote, ref: row.ref, oid: row.oid, name }];
}

/** By Goal. */
export async function loadRecords(
  { bench }: Pick<Ground, 'bench'>,
  snapshot: StateSnapshot,
  names: readonly Pick<Named, 'name'>[],
): Promise<ReadonlyMap<string, RecordFacts>> {
  const goals = new Set(names.flatMap(({ name }) => (name.kind === 'other' ? [] : [name.goal])));
  const records = new Map<string, RecordFacts>();
  for (const [goal, loaded] of await loadGoals(snapshot, [...goals])) records.set(goal, await goalFacts(bench, loaded));
  return records;
}

async function sharedRecords(
  ground: Ground,
  remote: RemoteSeen,
  own: { readonly tip: Oid | null; readonly records: ReadonlyMap<string, RecordFacts> },
  names: readonly Named[],
): Promise<ReadonlyMap<string, SharedRecord>> {
  const all = (one: SharedRecord) => new Map([...own.records.keys()].map((goal) => [goal, one]));
  if (remote.kind === 'unseen') return all({ kind: 'unseen', why: remote.why });
  if (remote.kind === 'none' || remote.state === null) return all({ kind: 'none' });
  if (remote.state.kind === 'unseen') return all(remote.state);
  return remote.state.oid === own.tip ? own.records : loadRecords(ground, remote.state.snapshot, names);
}

/** A name on the remote is judged by the target there, whatever its Goal says of publication. */
function targetFor({ remote }: Named, seen: GoalTargets | undefined): TargetSeen {
  const unseen: TargetSeen = { kind: 'unseen', why: 'its target is not known here' };
  return (remote === null ? seen?.own : seen?.onRemote) ?? unseen;
}

type Contained = (oid: Oid, target: TargetSeen) => NameFacts['contained'];

async function containedIn(
  { bench }: Ground,
  names: readonly Named[],
  targets: ReadonlyMap<string, GoalTargets>,
): Promise<Contained> {
  const tips = [...new Set(names.map(({ oid }) => oid))];
  const seen = new Set<Oid>();
  for (const { own, onRemote } of targets.values())
    for (const one of [own, onRemote]) if (one.kind === 'seen') seen.add(one.oid);
  const there = seen.size === 0 ? [] : await (await bench.repository.engine()).exists(tips);
  const present = tips.filter((_, at) => there[at] === true);
  const here = new Set(present);
  const outside = new Map<Oid, ReadonlySet<Oid> | null>();
  for (const target of seen) outside.set(target, await notReached(bench.repository.git, present, [target]));
  return (oid, target) => {
    if (target.kind !== 'seen') return 'unknown';
    const missed = outside.get(target.oid);
    if (missed === null || missed === undefined) return 'unknown';
    // What is not here cannot be in the history of what is, but for the edge of a shallow clone.
    if (!here.has(oid)) return bench.repository.shallow ? 'unknown' : 'no';
    if (!missed.has(oid)) return 'yes';
    return bench.repository.shallow ? 'unknown' : 'no';
  };
}
