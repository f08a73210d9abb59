// The report of a decision about one Job: its fields as data, one line for a person, the next command.

import type { Workbench } from '../app/workbench.js';
import type { Job } from '../domain/job.js';
import type { Report } from '../output/report.js';
import type { Updated } from '../state/types.js';
import { describeJob } from './describe.js';

/** `said` follows `job <id>`: `is back in the queue`. */
export async function decided(
  bench: Workbench,
  updated: Pick<Updated<Job>, 'result' | 'repeated'>,
  said: string,
  next: readonly string[] = [],
  more: Readonly<Record<string, unknown>> = {},
): Promise<Report> {
  const job = updated.result;
  const data = { ...(await describeJob(bench, job)), ...more };
  return {
    kind: 'job',
    data,
    view: (theme) => [`job ${theme.id(job.id)} ${theme.text(said)}${updated.repeated ? ' (as answered before)' : ''}`],
    notes: next.map((command) => `next: ${command}`),
  };
}
