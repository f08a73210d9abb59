// Notes what a write makes due, together with that write: a ref of this clone that moves under the intent of the state commit, so that
// a `kill -9` at any point leaves both or neither (01, Writes; G61).

import { loadPolicy } from '../../config/load.js';
import { boundToState, type Due, type DueJob, entersState } from '../../domain/due.js';
import { isOwlError } from '../../domain/errors.js';
import type { RefName } from '../../domain/git.js';
import type { Job } from '../../domain/job.js';
import type { LoadedPolicy } from '../../domain/policy.js';
import { newBlob } from '../../git/objects.js';
import { canonical } from '../../state/canonical.js';
import { LOCAL_PREFIX } from '../../state/layout.js';
import type { Tx, Updated } from '../../state/types.js';
import { currentPolicy, wishOf } from '../policy.js';
import type { Workbench } from '../workbench.js';

/** Followed by the operation that made it due. */
export const DUE = 'due/';

/** `kind`: two of one operation do not meet. */
export async function noteDue(bench: Workbench, tx: Tx, kind: 'jobs' | 'goals', due: Partial<Due>): Promise<void> {
  const engine = await bench.repository.engine();
  const whole: Due = { jobs: [], goals: [], claim: null, ...due };
  const blob = newBlob(engine.format, canonical(whole));
  tx.write([blob]);
  const ref = `${LOCAL_PREFIX}${DUE}${kind}-${tx.op}` as RefName;
  tx.move({ ref, old: 'absent', new: blob.oid }, 'a Skill is due');
}

/** `write` changes the state by what it is given: `change`, and then a note of the Jobs that enter a state a Skill is bound to. */
export function updateNoting<T>(
  bench: Workbench,
  write: (noting: (tx: Tx) => Promise<T>) => Promise<Updated<T>>,
  change: (tx: Tx) => Promise<T>,
): Promise<Updated<T>> {
  // One look at a configuration for all tries of a write.
  const policies = new Map<string, Promise<LoadedPolicy | null>>();
  const policyOf = (job: Job): Promise<LoadedPolicy | null> => {
    const key = job.onto?.oid ?? JSON.stringify(wishOf(job));
    const known = policies.get(key) ?? boundPolicy(bench, job);
    policies.set(key, known);
    return known;
  };
  return write(async (tx) => {
    const result = await change(tx);
    const jobs: DueJob[] = [];
    for (const { before, after } of await tx.changedJobs()) {
      if (!entersState(before, after)) continue;
      const loaded = await policyOf(after);
      if (loaded === null || boundToState(loaded.policy.skills, after.state).length === 0) continue;
      jobs.push({ job: after.id, state: after.state, revision: after.revision });
    }
    if (jobs.length > 0) await noteDue(bench, tx, 'jobs', { jobs });
    return result;
  });
}

/** As the Job last met it; before its first Run as its base is known here. Nothing is fetched. Null: it cannot be read. */
async function boundPolicy(bench: Workbench, job: Job): Promise<LoadedPolicy | null> {
  const { repository, environment } = bench;
  try {
    if (job.onto === null) return (await currentPolicy(bench, wishOf(job))).loaded;
    return await loadPolicy({ repository, environment, commit: job.onto.oid, ref: job.onto.ref as RefName });
  } catch (error) {
    if (isOwlError(error)) return null;
    throw error;
  }
}
