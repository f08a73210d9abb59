// What a merge of a Job would be made on, as it is known here: its base as it stands now, on its remote and in this clone (J28, J34).
// Nothing is fetched.

import { branchRef, isRefName, type Oid, type RefName, remoteRef } from '../domain/git.js';
import type { Job } from '../domain/job.js';
import { loadRemoteSettings } from '../git/remote.js';
import { baseOf } from './collect/landed.js';
import type { Workbench } from './workbench.js';

export interface BaseNow {
  readonly ref: RefName;
  readonly oid: Oid;
}

/** For many Jobs: what they have in common is looked up once. Null: the Job had no Run, or its base is gone. */
export function basesNow(bench: Workbench): (job: Job) => Promise<BaseNow | null> {
  const refs = new Map<RefName, Promise<Oid | null>>();
  const newest = new Map<string, Promise<BaseNow | null>>();
  let settings: ReturnType<typeof loadRemoteSettings> | undefined;
  const at = async (ref: string): Promise<BaseNow | null> => {
    if (!isRefName(ref)) return null;
    const known = refs.get(ref) ?? (async () => (await bench.repository.engine()).resolve(ref))();
    refs.set(ref, known);
    const oid = await known;
    return oid === null ? null : { ref, oid };
  };
  return async (job) => {
    if (job.onto === null) return null;
    const recorded = await at(job.onto.ref);
    // Only where checks passed does it matter whether the base has moved since.
    if (recorded === null || job.verification?.passed !== true) return recorded;
    settings ??= loadRemoteSettings(bench.repository);
    const { name, remote } = baseOf(job, await settings);
    const [here, there] = await Promise.all([
      at(branchRef(name)),
      remote === null ? null : at(remoteRef(remote, name)),
    ]);
    const key = JSON.stringify([recorded, here, there]);
    const found = newest.get(key) ?? newer(bench, recorded, recorded.ref === here?.ref ? there : here);
    newest.set(key, found);
    return found;
  };
}

export const baseNow = (bench: Workbench, job: Job): Promise<BaseNow | null> => basesNow(bench)(job);

/** The one that holds the other; where they have diverged, the one that the last Run used. */
async function newer(bench: Workbench, recorded: BaseNow, other: BaseNow | null): Promise<BaseNow> {
  if (other === null || other.oid === recorded.oid) return recorded;
  const engine = await bench.repository.engine();
  return (await engine.isAncestor(recorded.oid, other.oid)) === 'ancestor' ? other : recorded;
}
