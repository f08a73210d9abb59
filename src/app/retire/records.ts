// What this clone's state, and the one on the remote, say of the work that names are of (M7).

import type { RecordFacts } from '../../domain/collect.js';
import type { NameFacts, SharedRecord } from '../../domain/collect-names.js';
import type { Oid } from '../../domain/git.js';
import { loadGoals } from '../../state/many-goals.js';
import type { StateSnapshot } from '../../state/snapshot.js';
import type { Ground } from '../collect/inventory.js';
import { goalFacts, loadRecord } from '../collect/records.js';
import type { RemoteSeen } from './remote-look.js';

type Named = Pick<NameFacts, 'name'>;

/** By the id of the Goal or Job. */
export async function loadRecords(
  { bench }: Pick<Ground, 'bench'>,
  snapshot: StateSnapshot,
  names: readonly Named[],
): Promise<ReadonlyMap<string, RecordFacts>> {
  const goals = new Set<string>();
  const jobs = new Set<string>();
  for (const { name } of names) {
    if (name.kind === 'job') jobs.add(name.job);
    else if (name.kind !== 'other') goals.add(name.goal);
  }
  const records = new Map<string, RecordFacts>();
  for (const job of jobs) records.set(job, await loadRecord(bench, snapshot, job));
  for (const [goal, loaded] of await loadGoals(snapshot, [...goals])) records.set(goal, await goalFacts(bench, loaded));
  return records;
}

/** `own`: what this clone's state says, at its tip. */
export async function sharedRecords(
  ground: Ground,
  remote: RemoteSeen,
  own: { readonly tip: Oid | null; readonly records: ReadonlyMap<string, RecordFacts> },
  names: readonly Named[],
): Promise<ReadonlyMap<string, SharedRecord>> {
  const all = (one: SharedRecord) => new Map([...own.records.keys()].map((id) => [id, one]));
  if (remote.kind === 'unseen') return all({ kind: 'unseen', why: remote.why });
  if (remote.kind === 'none' || remote.state === null) return all({ kind: 'none' });
  if (remote.state.kind === 'unseen') return all(remote.state);
  return remote.state.oid === own.tip ? own.records : loadRecords(ground, remote.state.snapshot, names);
}
