// What names are judged by: the target of a Goal, the base of a Job, as it was just seen, on the remote or here (M7).

import { isOpen, type RecordFacts } from '../../domain/collect.js';
import type { SharedRecord, TargetSeen } from '../../domain/collect-names.js';
import { branchRef, type Oid, type RefName } from '../../domain/git.js';
import type { RemoteSettings } from '../../git/remote.js';
import type { Ground } from '../collect/inventory.js';
import { baseOf } from '../collect/landed.js';
import { fetchMissing, type RemoteSeen } from './remote-look.js';

/** What names here, and those on the remote, are judged by. */
export interface WorkTargets {
  readonly own: TargetSeen;
  readonly onRemote: TargetSeen;
}

/** By Goal and Job: what its names here, and those on the remote, are judged by. Only of work that is closed, and has names that could go. */
export async function seeTargets(
  ground: Ground,
  remote: RemoteSeen,
  own: ReadonlyMap<string, RecordFacts>,
  shared: ReadonlyMap<string, SharedRecord>,
): Promise<ReadonlyMap<string, WorkTargets>> {
  const engine = await ground.bench.repository.engine();
  const closed = [...own].filter(([id, record]) => isClosed(record) && mayBeClosed(shared.get(id)));
  const settings = closed.some(([, { kind }]) => kind === 'job') ? await ground.bench.remotes() : null;
  const landings = new Map(closed.map(([id, record]) => [id, landingOf(record, settings)]));
  const names = new Map(closed.map(([id]) => [id, landings.get(id)?.name ?? remote.landing]));
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
  const targets = new Map<string, WorkTargets>();
  const publishes = remote.kind === 'unseen' || (remote.kind === 'seen' && remote.publish);
  for (const [id] of closed) {
    const name = names.get(id) ?? null;
    if (name === null) continue;
    const landing = landings.get(id);
    const onRemote = onOther(remote, landing?.remote ?? null) ?? there.get(name) ?? unseenRemote(remote);
    const isLocal = landing?.local ?? !publishes;
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
    targets.set(id, { own: isLocal ? (here.get(name) as TargetSeen) : onRemote, onRemote });
  }
  return targets;
}

const isClosed = (record: RecordFacts): boolean =>
  record.kind === 'deleted' || ((record.kind === 'goal' || record.kind === 'job') && !isOpen(record));
const mayBeClosed = (shared: SharedRecord | undefined): boolean =>
  shared === undefined || shared.kind === 'none' || (shared.kind !== 'unseen' && isClosed(shared));

interface Landing {
  /** Null: where Goals land by default. */
  readonly name: string | null;
  /** Null: not said. */
  readonly remote: string | null;
  /** Does its local branch decide? Null: as for Goals that say nothing of it. */
  readonly local: boolean | null;
}

/** Where the work lands, or would: the target of a Goal, the base of a Job. */
function landingOf(record: RecordFacts, settings: RemoteSettings | null): Landing {
  if (record.kind === 'goal') {
    const { target, wish } = record.goal;
    if (target === null) return { name: wish.target, remote: null, local: null };
    return { name: target.name, remote: target.publish ? target.remote : null, local: !target.publish };
  }
  if (record.kind !== 'job' || record.job.onto === null || settings === null)
    return { name: null, remote: null, local: null };
  const { name, remote } = baseOf(record.job, settings);
  return { name, remote, local: remote === null };
}

const onOther = (remote: RemoteSeen, named: string | null): TargetSeen | null =>
  named === null || (remote.kind !== 'none' && remote.name === named) ? null : { kind: 'other-remote', remote: named };

const unseenRemote = (remote: RemoteSeen): TargetSeen => ({
  kind: 'unseen',
  why: remote.kind === 'unseen' ? remote.why : 'nothing is published from here',
});
