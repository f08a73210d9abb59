// `report`: the board, the timeline of Runs and the evidence, as one self-contained page or as Markdown (06).

import { writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { loadSchedule } from '../app/goal/schedule.js';
import { gatherReport } from '../app/report.js';
import { openWorkbench, type Workbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { OwlError } from '../domain/errors.js';
import { notQueued } from '../domain/goal-queue.js';
import { evidenceFields } from '../output/goal-part-fields.js';
import { runFields } from '../output/job-fields.js';
import type { Report } from '../output/report.js';
import type { ReportData } from '../output/report-fields.js';
import { reportMarkdown } from '../output/views/report.js';
import { formatTimestamp } from '../system/clock.js';
import { describeUnits } from './describe-goal.js';

const WEEK = 7 * 24 * 60 * 60 * 1000;

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const data = await reportData(bench, request.number('since') ?? WEEK);
  const file = request.text('html');
  if (file === undefined) return { kind: 'report', data, view: () => reportMarkdown(data) };
  const { reportPage } = await import('../output/html/report.js');
  const page = reportPage(data);
  if (file === '-') {
    if (context.options.json) return { kind: 'report', data: { ...data, html: page }, view: () => [] };
    context.streams.stdout.write(page);
    return { kind: 'report', data: null, view: () => [], streamed: true };
  }
  const path = resolve(bench.environment.cwd, file);
  await writeFile(path, page).catch((error: NodeJS.ErrnoException) => {
    throw new OwlError('usage', `${JSON.stringify(file)} cannot be written: ${error.code ?? error.message}`, {
      next: ['git owl report --html - >report.html'],
    });
  });
  return { kind: 'report', data: { ...data, file: path }, view: (theme) => [theme.text(path)] };
}

async function reportData(bench: Workbench, length: number): Promise<ReportData> {
  const snapshot = await bench.store.snapshot();
  const units = await loadSchedule(bench, snapshot);
  const waits = new Map(units.flatMap(({ id, wait }) => (wait.kind === 'waits' ? [[id, wait.why]] : [])));
  const since = bench.clock.now() - length;
  const { closed, runs, evidence } = await gatherReport(snapshot, since);
  return {
    made: bench.clock.timestamp(),
    since: formatTimestamp(since),
    repository: basename(bench.repository.workTree ?? bench.repository.commonDir).replace(/\.git$/, ''),
    counts: await snapshot.openCounts(),
    open: await describeUnits(bench, snapshot, units, waits),
    closed: await describeUnits(bench, snapshot, closed.map(notQueued), new Map()),
    runs: runs.map(({ unit: of, round, value }) => ({ unit: of, round, ...runFields(value) })),
    evidence: evidence.map(({ unit: of, value }) => ({ unit: of, ...evidenceFields(value) })),
  };
}
