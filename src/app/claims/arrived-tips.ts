// Where the branches of Jobs stood here when their record came from another clone with another tip (J8; 05, S1): from then on the
// record's tip is the work, and a branch that still stands there holds nothing of its own. Noted before the state moves.

import type { Oid } from '../../domain/git.js';
import type { Job, JobId } from '../../domain/job.js';
import { decodeJob } from '../../state/codec.js';
import { loadRoot } from '../../state/guard.js';
import { AREAS, recordPath } from '../../state/layout.js';
import { lookUp } from '../../state/objects.js';
import type { StoreEnv } from '../../state/store-env.js';
import { compareStates, unitOf } from '../../state/three-way.js';
import { jobRef } from '../jobs.js';
import type { Workbench } from '../workbench.js';
import { addTips } from './known-tips.js';

/** Notes the Jobs whose tip is another one in `next` than in the state `ours`, and that have a branch here. */
export async function noteTips(
  bench: Workbench,
  env: StoreEnv,
  { ours, next, own }: { readonly ours: Oid; readonly next: Oid; readonly own: ReadonlySet<string> },
): Promise<void> {
  const [mine, theirs] = [await loadRoot(env.objects, ours), await loadRoot(env.objects, next)];
  const differences = await compareStates(env.objects, { ours: mine, theirs, bases: [] });
  const found = new Map<JobId, Oid>();
  for (const { key } of differences) {
    const [folder, , id = ''] = unitOf(key)?.split('/') ?? [];
    if (folder !== 'jobs' || !key.endsWith('/job.json') || key.includes('/sides/') || own.has(id)) continue;
    const old = await jobIn(env, mine, id);
    if (old?.tip == null || old.onto === null || old.tip === (await jobIn(env, theirs, id))?.tip) continue;
    if ((await env.engine.resolve(jobRef(old))) !== null) found.set(id, old.tip);
  }
  if (found.size > 0) await addTips(bench, found);
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
