// Tips of open Jobs that the remote lacks, or has an older one of: whoever has the commits shares them, for other runners and reviewers
// (01, Refs; 05, S1). The branch itself is never pushed (J14).

import type { Oid, RefName } from '../../domain/git.js';
import type { Job } from '../../domain/job.js';
import type { PushUpdate } from '../../git/push.js';
import { sharedRef } from '../claims/refs.js';
import { isOn, sharedCommit } from '../claims/wip.js';
import { carriesCopiedFile } from '../claims/withheld.js';
import { keepOnly } from '../run/settle.js';
import type { Workbench } from '../workbench.js';
import { isKnownTip } from './rounds.js';

interface Lacking extends PushUpdate {
  readonly job: Job;
  readonly new: Oid;
  /** What this clone last saw, or sent, there; null: nothing. */
  readonly before: Oid | null;
}

/** What is to be pushed; the refs here say so already, and what they held is kept. */
export async function tipsToSend(bench: Workbench, there: ReadonlyMap<RefName, Oid>): Promise<readonly PushUpdate[]> {
  const engine = await bench.repository.engine();
  const updates: PushUpdate[] = [];
  for (const { job, ref, before, old, new: tip } of await lackingTips(bench, there)) {
    if (before !== tip) {
      if (before !== null) await keepOnly(bench, job.id, [{ commit: before, subject: 'tip that was shared before' }]);
      await engine.swap({ ref, old: before ?? 'absent', new: tip }, 'owl: tip to share');
    }
    updates.push({ ref, old, new: tip });
  }
  return updates;
}

/** Only looks. `there`: what the remote has. */
export async function lackingTips(bench: Workbench, there: ReadonlyMap<RefName, Oid>): Promise<readonly Lacking[]> {
  const engine = await bench.repository.engine();
  const lacking: Lacking[] = [];
  for (const job of await (await bench.store.snapshot()).openJobs()) {
    // The Job of a Round has no shared tip; one at work moves its own; and what is the base's is nobody's work yet.
    if (job.goal !== null || job.state === 'active' || job.tip === null || job.tip === job.onto?.oid) continue;
    const ref = sharedRef(job.id);
    const [before, theirs] = [await engine.resolve(ref), there.get(ref)];
    if ((await engine.exists([job.tip]))[0] !== true) continue;
    const tip = await sharedCommit(bench, job, job.tip);
    // What another clone left uncommitted lies on top of the very tip.
    if (tip === theirs || (theirs !== undefined && tip === job.tip && (await isOn(bench, theirs, tip)))) continue;
    if (theirs !== undefined && theirs !== before && !(await isKnownTip(bench, job, theirs))) continue;
    if (await carriesCopiedFile(bench, job, job.tip)) continue;
    lacking.push({ job, ref, before, old: theirs ?? 'absent', new: tip });
  }
  return lacking;
}
