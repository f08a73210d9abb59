// All names below `refine/`, and branches of Jobs, here and on the configured remote, with what proves that one may go: both states, the target, what it
// reaches, what is checked out (M7, M10). A constant number of processes, however many names.

import type { Item, RecordFacts } from '../../domain/collect.js';
import { decideName, type NameFacts, type SharedRecord, type TargetSeen } from '../../domain/collect-names.js';
import { branchName, type Oid, type RefName } from '../../domain/git.js';
import type { Invocation } from '../../domain/invocation.js';
import { parseGoalBranch, workOf } from '../../domain/names.js';
import { openBranches } from '../../git/branch.js';
import { lookForReached } from '../../git/reached.js';
import { STATE_REF } from '../../state/layout.js';
import { loadState } from '../../state/load-state.js';
import type { Snapshot } from '../../state/types.js';
import type { Ground } from '../collect/inventory.js';
import { isLive } from '../collect/look-skill.js';
import { jobRef } from '../jobs.js';
import { skillRef } from '../skill/checkout.js';
import type { Workbench } from '../workbench.js';
import { jobNamesHere, jobNamesThere, type Named } from './job-names.js';
import { loadRecords, sharedRecords } from './records.js';
import { type RemoteSeen, seeRemote } from './remote-look.js';
import { seeTargets, type WorkTargets } from './targets.js';

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

export interface NamesRequest {
  /** Checkouts that go before, by path. */
  readonly going: ReadonlySet<string>;
  /** Branches of which something was said already. */
  readonly told: ReadonlySet<string>;
}

/** Looks only; objects that are missing are fetched, and no ref moves. */
export async function lookAtNames(ground: Ground, { going, told }: NamesRequest): Promise<NamesLook> {
  const { bench } = ground;
  const engine = await bench.repository.engine();
  const snapshot = await loadState(ground.env);
  const branches = await engine.list('refs/heads/');
  const goalsHere = branches.flatMap((row) => named(null, row));
  const jobsHere = await jobNamesHere(ground, snapshot, branches, told);
  const [remote, ofHere] = await Promise.all([
    seeRemote(ground, snapshot, { goals: goalsHere.length > 0, jobs: jobsHere.length > 0 }),
    loadRecords(ground, snapshot, [...goalsHere, ...jobsHere]),
  ]);
  const there = remote.kind === 'seen' ? remote.rows.flatMap((row) => named(remote.name, row)) : [];
  const jobsThere = remote.kind === 'seen' ? await jobNamesThere(ground, snapshot, remote) : [];
  const all = [...goalsHere, ...jobsHere, ...there, ...jobsThere];
  if (all.length === 0) return { names: [], own: snapshot.tip, remote: null };

  const others = all.filter(({ name }) => !ofHere.has(workOf(name) ?? ''));
  const own = new Map([...ofHere, ...(await loadRecords(ground, snapshot, others))]);
  const shared = await sharedRecords(ground, remote, { tip: snapshot.tip, records: own }, all);
  const targets = await seeTargets(ground, remote, own, shared);
  const containedIn = await lookForTips(ground, all, targets);
  const open = new Map<string, string>();
  for (const { ref, path } of await openBranches(bench.repository)) if (!going.has(path)) open.set(ref, path);

  const skills = await loadSkills(bench, snapshot, all);
  const judged = all.map((one): LookedName => {
    const { remote, ref, oid, name } = one;
    const id = workOf(name) ?? '';
    const target = targetFor(one, targets.get(id));
    const skill = skills.get(ref) ?? null;
    const record = carriedBy(own.get(id) ?? UNKNOWN, skill?.live === true);
    const { contained, unsure } = containedIn(oid, target);
    const facts: NameFacts = {
      remote,
      ref,
      oid,
      name,
      own: record,
      named: isNamed(one, record, skill),
      shared: shared.get(id) ?? NO_STATE,
      target,
      contained,
      unsure,
      openIn: remote === null ? (open.get(ref) ?? null) : null,
      remoteKeeps: false,
    };
    return { facts, item: decideName(facts, ground.limits) };
  });
  const kept = new Set(judged.filter(({ item }) => item.remote !== undefined && item.action !== 'retire').map(refOf));
  // A name here that would go follows that of the remote.
  const names = judged.map((one): LookedName => {
    if (one.facts.remote !== null || one.item.action !== 'retire' || !kept.has(refOf(one))) return one;
    const facts = { ...one.facts, remoteKeeps: true };
    return { facts, item: decideName(facts, ground.limits) };
  });
  return { names, own: snapshot.tip, remote };
}

const UNKNOWN: RecordFacts = { kind: 'unknown' };
const NO_STATE: SharedRecord = { kind: 'none' };

/** `live`: a process of it may live. */
type Skill = Pick<Invocation, 'id'> & { readonly live: boolean };

/** Its own record says more of a Skill's branch than its Goal's: it was recorded before the branch was made (G63). */
async function loadSkills(
  bench: Workbench,
  snapshot: Snapshot,
  names: readonly Named[],
): Promise<ReadonlyMap<RefName, Skill>> {
  const goals = new Set(names.flatMap(({ name }) => (name.kind === 'skill' ? [name.goal] : [])));
  const skills = new Map<RefName, Skill>();
  for (const goal of goals)
    for (const one of await snapshot.invocations(goal))
      if (one.source !== null) skills.set(skillRef(one), { id: one.id, live: await isLive(bench, one) });
  return skills;
}

const carriedBy = (record: RecordFacts, live: boolean): RecordFacts =>
  live && record.kind === 'goal' ? { ...record, live } : record;

function isNamed({ ref, name }: Named, record: RecordFacts, skill: Skill | null): boolean {
  if (record.kind === 'deleted') return true;
  if (name.kind === 'skill') return skill !== null;
  return name.kind !== 'job' || (record.kind === 'job' && jobRef(record.job) === ref);
}

const refOf = ({ facts }: LookedName): RefName => facts.ref;

function named(remote: string | null, row: { readonly ref: RefName; readonly oid: Oid }): readonly Named[] {
  const name = row.ref === STATE_REF ? null : parseGoalBranch(branchName(row.ref) ?? '');
  return name === null ? [] : [{ remote, ref: row.ref, oid: row.oid, name }];
}

/** A name on the remote is judged by the target there, whatever its Goal says of publication. */
function targetFor({ remote }: Named, seen: WorkTargets | undefined): TargetSeen {
  const unseen: TargetSeen = { kind: 'unseen', why: 'its target is not known here' };
  return (remote === null ? seen?.own : seen?.onRemote) ?? unseen;
}

type Contained = (oid: Oid, target: TargetSeen) => Pick<NameFacts, 'contained' | 'unsure'>;

async function lookForTips(
  { bench }: Ground,
  names: readonly Named[],
  targets: ReadonlyMap<string, WorkTargets>,
): Promise<Contained> {
  const tips = [...new Set(names.map(({ oid }) => oid))];
  const seen = new Set<Oid>();
  for (const { own, onRemote } of targets.values())
    for (const one of [own, onRemote]) if (one.kind === 'seen') seen.add(one.oid);
  const there = seen.size === 0 ? [] : await (await bench.repository.engine()).exists(tips);
  const present = tips.filter((_, at) => there[at] === true);
  const here = new Set(present);
  const outside = new Map<Oid, ReadonlySet<Oid> | string>();
  const sure = (yes: boolean) => ({ contained: yes ? 'yes' : 'no', unsure: '' }) as const;
  const unknown = (unsure: string) => ({ contained: 'unknown', unsure }) as const;
  const no = bench.repository.shallow ? unknown('the history of this clone is cut off: it is shallow') : sure(false);
  for (const target of seen) outside.set(target, await lookForReached(bench.repository.git, present, [target]));
  return (oid, target) => {
    if (target.kind !== 'seen') return unknown('its target was not seen');
    const missed = outside.get(target.oid) ?? 'its history was not looked at';
    if (typeof missed === 'string') return unknown(missed);
    // What is not here cannot be in the history of what is, but for the edge of a shallow clone.
    return here.has(oid) && !missed.has(oid) ? sure(true) : no;
  };
}
