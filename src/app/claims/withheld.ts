// What never leaves this clone, although its Job is shared (J15).

import type { Oid } from '../../domain/git.js';
import type { Job } from '../../domain/job.js';
import type { Workbench } from '../workbench.js';

/** What a Run found at this very tip stays so until another one moves it, also after `retry`. */
export async function carriesCopiedFile(bench: Workbench, job: Pick<Job, 'id'>, tip: Oid): Promise<boolean> {
  const runs = await (await bench.store.snapshot()).runs(job.id);
  return runs.some((run) => run.reason?.code === 'copied-file' && run.tip_after === tip);
}
