// Jobs whose claim this clone lost while it worked: of what both sides say then, the other runner's counts (05, S7).

import type { JobId } from '../../domain/job.js';
import type { Workbench } from '../workbench.js';

const PREFIX = 'lost/';

export async function noteLost(bench: Pick<Workbench, 'notes'>, id: JobId): Promise<void> {
  if ((await bench.notes.read(`${PREFIX}${id}`)) === null)
    await bench.notes.write(`${PREFIX}${id}`, { job: id }, 'absent');
}

export const loadLost = async (bench: Pick<Workbench, 'notes'>): Promise<ReadonlySet<JobId>> =>
  new Set((await bench.notes.list(PREFIX)).map(({ name }) => name.slice(PREFIX.length)));

/** Once the other side's record is here, there is nothing left to yield. */
export async function forgetLost(bench: Pick<Workbench, 'notes'>, ids: ReadonlySet<JobId>): Promise<void> {
  for (const { name, oid } of await bench.notes.list(PREFIX))
    if (ids.has(name.slice(PREFIX.length))) await bench.notes.remove(name, oid);
}
