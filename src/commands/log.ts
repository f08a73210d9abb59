// `log`: the agent's output, of a Run that lives as it comes, of a past one as it was kept, with that of setup and failed checks
// (J15, J17, J27); of a Goal that of its Round's Runs and gates (06).

import { readable } from '../agent/transcript.js';
import { workOrImplied } from '../app/goals.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { OwlError } from '../domain/errors.js';
import type { Run } from '../domain/job.js';
import type { Report } from '../output/report.js';
import { logGoal } from './log-goal.js';
import { followRun, loadOutputs, loadRunLog, outputLines } from './log-run.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const snapshot = await bench.store.snapshot();
  const work = await workOrImplied(bench, snapshot, request.args['id']);
  const asked = { follow: request.flag('follow'), run: request.number('run'), raw: request.flag('raw') };
  if (work.kind === 'goal') return logGoal(context, bench, snapshot, work.goal, asked);
  const { job } = work;
  const chosen = chosenRun(await snapshot.runs(job.id), asked.run, `job ${job.id}`, job.id);
  if (asked.follow && chosen.outcome === null) return followRun(context, bench, job, chosen, asked.raw);
  const text = (await loadRunLog(bench, chosen)).toString('utf8');
  const outputs = await loadOutputs(bench, job, chosen, asked.run === undefined);
  return {
    kind: 'log',
    data: { job: job.id, run: chosen.number, text, outputs },
    view: () => outputLines(asked.raw ? text : readable(text), outputs),
  };
}

/** The last one, or the one that is named. Throws OwlError `nothing-kept`. */
function chosenRun(runs: readonly Run[], number: number | undefined, whose: string, id: string): Run {
  const chosen = number === undefined ? runs.at(-1) : runs.find((one) => one.number === number);
  if (chosen !== undefined) return chosen;
  throw new OwlError(
    'nothing-kept',
    number === undefined ? `${whose} has had no Run yet` : `${whose} has had no run ${number}`,
    { next: [`git owl show ${id}`] },
  );
}
