// `list`: open Jobs and Goals in queue order (06).

import { sayDamages } from '../app/damages.js';
import { loadSchedule } from '../app/goal/schedule.js';
import { findGoal } from '../app/goals.js';
import { sayUnseen } from '../app/sync/unseen.js';
import { openWorkbench, type Workbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { CLOSED_GOALS } from '../domain/goal.js';
import { notQueued, type Unit } from '../domain/goal-queue.js';
import { CLOSED_STATES } from '../domain/job.js';
import { isRoundJob } from '../domain/names.js';
import { queueOrder } from '../domain/queue.js';
import { GOAL_FIELDS } from '../output/goal-fields.js';
import { JOB_FIELDS } from '../output/job-fields.js';
import type { Report, Row } from '../output/report.js';
import { type ListItem, listView } from '../output/views/list.js';
import type { Snapshot } from '../state/types.js';
import { stateOf } from './deciding.js';
import { describeUnits } from './describe-goal.js';

const FIELDS: readonly string[] = [...new Set<string>([...JOB_FIELDS, ...GOAL_FIELDS, 'waits'])];

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const snapshot = await bench.store.snapshot();
  const states = new Set(request.list('state'));
  const labels = request.list('label');
  const of = request.text('goal');
  const all = of === undefined ? await unitsOf(bench, snapshot, closedToo(request)) : await rounds(snapshot, of);
  const units = all
    .filter((unit) => states.size === 0 || states.has(stateOf(unit)))
    .filter((unit) => labels.every((label) => workOf(unit).labels.includes(label)))
    .filter((unit) => !request.flag(unit.kind === 'job' ? 'goals' : 'jobs'));
  const waits = new Map(units.flatMap((unit) => (unit.wait.kind === 'waits' ? [[unit.id, unit.wait.why]] : [])));
  const items = await describeUnits(bench, snapshot, units, waits);
  return {
    kind: 'list',
    data: { items },
    fields: FIELDS,
    rows: items,
    view: (theme, width, rows: readonly Row[]) =>
      listView(rows as readonly ListItem[], theme, width, { now: bench.clock.now() }),
    notes: [...(await sayDamages(snapshot)), ...(await sayUnseen(bench))],
  };
}

const workOf = (unit: Unit) => (unit.kind === 'job' ? unit.job : unit.goal);

function closedToo(request: Request): boolean {
  const closed: ReadonlySet<string> = new Set<string>([...CLOSED_STATES, ...CLOSED_GOALS]);
  return request.flag('all') || request.list('state').some((state) => closed.has(state));
}

/** Open work as it would be taken, then closed work by its place. */
async function unitsOf(bench: Workbench, snapshot: Snapshot, closed: boolean): Promise<readonly Unit[]> {
  const open = await loadSchedule(bench, snapshot);
  if (!closed) return open;
  const done = [...(await snapshot.closedJobs()).filter((job) => !isRoundJob(job)), ...(await snapshot.closedGoals())];
  return [...open, ...done.sort(queueOrder).map(notQueued)];
}

/** The Jobs of a Goal's Rounds, oldest first: hidden otherwise. */
async function rounds(snapshot: Snapshot, text: string): Promise<readonly Unit[]> {
  const goal = await findGoal(snapshot, text);
  const jobs = [...(await snapshot.openJobs()), ...(await snapshot.closedJobs())];
  return jobs
    .filter((job) => job.goal === goal.id)
    .sort((one, two) => (one.round ?? 0) - (two.round ?? 0))
    .map(notQueued);
}
