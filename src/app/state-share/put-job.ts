// A Job as it goes into a shared state: its record as it will be, and all else that this clone has of it.

import type { Job } from '../../domain/job.js';
import type { Tx } from '../../state/types.js';
import type { Workbench } from '../workbench.js';

export async function putWholeJob(bench: Workbench, tx: Tx, record: Job): Promise<void> {
  const here = await bench.store.snapshot();
  tx.putJob(record);
  const prompt = await here.prompt(record.id);
  if (prompt !== null) tx.putPrompt(record.id, prompt);
  for (const run of await here.runs(record.id)) tx.putRun(run);
}
