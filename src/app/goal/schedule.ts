// The whole queue as one list: open Goals and Jobs, in the order in which they would be taken, each with why it waits (G3).

import type { Goal, GoalId, GoalStatus } from '../../domain/goal.js';
import { isAutomated } from '../../domain/goal-machine.js';
import { type GoalQueueFacts, scheduleUnits, type Unit } from '../../domain/goal-queue.js';
import type { Job } from '../../domain/job.js';
import { isRoundJob } from '../../domain/names.js';
import { waiting } from '../../domain/queue.js';
import type { Snapshot } from '../../state/types.js';
import { isAlive } from '../../system/processes.js';
import { queueFacts } from '../run/claim.js';
import type { Workbench } from '../workbench.js';

type Doors = Pick<Workbench, 'clock' | 'environment'>;

/** What is read of a state, or of one that is foreseen. */
export type Queue = Pick<Snapshot, 'job' | 'openJobs' | 'goal' | 'openGoals' | 'rounds' | 'invocations' | 'features'>;

export async function loadSchedule(bench: Doors, snapshot: Queue): Promise<readonly Unit[]> {
  const goals = await snapshot.openGoals();
  const jobs = await snapshot.openJobs();
  const facts = await queueFacts(snapshot, jobs, bench.clock.now());
  const waits = jobs.filter((job) => !isRoundJob(job)).map((job) => ({ job, wait: waiting(job, facts) }));
  const left = await leftGoals(bench, goals, jobs);
  return scheduleUnits(goals, waits, { ...(await goalFacts(snapshot, goals)), left });
}

async function goalFacts(snapshot: Queue, goals: readonly Goal[]): Promise<Omit<GoalQueueFacts, 'left'>> {
  const needed = new Map<GoalId, GoalStatus | 'unknown'>(goals.map((goal) => [goal.id, goal.status]));
  const empty = new Set<GoalId>();
  for (const goal of goals) {
    if (goal.status !== 'todo') continue;
    for (const id of goal.needs) {
      if (needed.has(id)) continue;
      const loaded = await snapshot.goal(id);
      needed.set(id, loaded.kind === 'found' ? loaded.record.status : 'unknown');
    }
  }
  // Also of a Goal that is not queued: one that asks for nothing holds no sibling's place (G2).
  for (const goal of goals) {
    if (goal.round === 0 || (goal.status !== 'todo' && goal.feature === null)) continue;
    const round = (await snapshot.rounds(goal.id)).find((one) => one.number === goal.round);
    if ((round?.request ?? '').trim() === '') empty.add(goal.id);
  }
  const features = goals.some((goal) => goal.feature !== null) ? await snapshot.features() : [];
  return { features, empty, needed };
}

/** Goals in the middle of a step that no live process carries, each with why it cannot go on yet (01, Liveness). */
async function leftGoals(bench: Doors, goals: readonly Goal[], jobs: readonly Job[]): Promise<GoalQueueFacts['left']> {
  const left = new Map<GoalId, string | null>();
  for (const goal of goals) {
    if (!isAutomated(goal.status)) continue;
    const here = await bench.environment.process();
    if (goal.claim !== null && isAlive(goal.claim, here) !== 'dead') continue;
    const works = goal.status === 'plan' || goal.status === 'implement';
    const job = works ? jobs.find((one) => one.goal === goal.id && one.round === goal.round) : undefined;
    // Its Goal was decided about while that Run went on.
    const live = job !== undefined && job.claim !== null && isAlive(job.claim, here) !== 'dead';
    const until = (works ? job?.not_before : goal.reason?.not_before) ?? null;
    const why = (works ? job?.reason : goal.reason)?.text ?? 'usage limit';
    if (live) left.set(goal.id, `run ${job.runs} of job ${job.id} is live`);
    else
      left.set(
        goal.id,
        until !== null && Date.parse(until) > bench.clock.now() ? `not before ${until} (${why})` : null,
      );
  }
  return left;
}
