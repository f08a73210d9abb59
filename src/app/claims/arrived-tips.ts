// Where the branches of Jobs stood here when their record came from another clone with another tip (J8; 05, S1): from then on the
// record's tip is the work, and a branch that still stands there holds nothing of its own. Noted before the state moves.

import type { Oid } from '../../domain/git.js';
import type { Job, JobId } from '../../domain/job.js';
import { parseJson } from '../../state/canonical.js';
import { decodeJob } from '../../state/codec.js';
import { loadRoot } from '../../state/guard.js';
import { AREAS, recordPath, workPath } from '../../state/layout.js';
import { lookUp } from '../../state/objects.js';
import type { StoreEnv } from '../../state/store-env.js';
import { compareStates, unitOf } from '../../state/three-way.js';
import { jobRef } from '../jobs.js';
import type { Workbench } from '../workbench.js';
import { addTips } from './known-tips.js';

export interface ChangedJob {
  /** As the state here has it. */
  readonly old: Job;
  /** As it will have it; null: it goes, or cannot be read as one record. */
  readonly now: Job | null;
}

/** Jobs of the state `ours` whose record is another one in `next`. */
export async function changedJobs(
  env: StoreEnv,
  { ours, next }: { readonly ours: Oid; readonly next: Oid },
): Promise<readonly ChangedJob[]> {
  const [mine, theirs] = [await loadRoot(env.objects, ours), await loadRoot(env.objects, next)];
  const changed: ChangedJob[] = [];
  for (const { key } of await compareStates(env.objects, { ours: mine, theirs, bases: [] })) {
    const [folder, , id = ''] = unitOf(key)?.split('/') ?? [];
    if (folder !== 'jobs' || !key.endsWith('/job.json') || key.includes('/sides/')) continue;
    const old = await jobIn(env, mine, id);
    if (old !== null) changed.push({ old, now: await jobIn(env, theirs, id) });
  }
  return changed;
}

/** Notes the Jobs whose tip is another one in `next` than it was, and that have a branch here. */
export async function noteTips(
  bench: Workbench,
  env: StoreEnv,
  { changed, next }: { readonly changed: readonly ChangedJob[]; readonly next: Oid },
): Promise<void> {
  const theirs = await loadRoot(env.objects, next);
  const found = new Map<JobId, Oid>();
  for (const { old, now } of changed) {
    if (old.tip === null || old.onto === null || (await env.engine.resolve(jobRef(old))) === null) continue;
    // The branch of a Round that two clones started is that of the Job whose start counts.
    const counts = now?.reason?.code === 'started-twice' ? await roundJobIn(env, theirs, now) : null;
    if (counts !== null) found.set(counts, old.tip);
    if (old.tip !== now?.tip) found.set(old.id, old.tip);
  }
  if (found.size > 0) await addTips(bench, found);
}

async function roundJobIn({ objects }: StoreEnv, root: Oid, { goal, round }: Job): Promise<JobId | null> {
  for (const area of goal === null ? [] : AREAS) {
    const entry = await lookUp(objects, root, `${workPath('goal', area, goal ?? '')}/rounds/${round}.json`);
    const record = entry === null ? null : parseJson((await objects.blob(entry.oid)).toString('utf8'));
    const job = (record as { readonly job?: unknown } | null)?.job;
    if (typeof job === 'string') return job;
  }
  return null;
}

/** Null: it is not there, or cannot be read. */
async function jobIn({ objects, clock }: StoreEnv, root: Oid, id: string): Promise<Job | null> {
  for (const area of AREAS) {
    const path = recordPath('job', area, id);
    const entry = await lookUp(objects, root, path);
    if (entry === null) continue;
    const row = decodeJob({ path, id, area, now: clock.now() }, await objects.blob(entry.oid));
    return row.kind === 'found' ? row.record : null;
  }
  return null;
}
