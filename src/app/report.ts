// What `report` shows, gathered from the records: what is open, what was closed lately, and the Runs and evidence of both (06).

import type { Evidence, Goal } from '../domain/goal.js';
import type { Job, Run } from '../domain/job.js';
import { isRoundJob } from '../domain/names.js';
import type { Snapshot } from '../state/types.js';
import { roundJobs } from './goal/round-jobs.js';

export interface Told<T> {
  /** Id of the Job, or of the Goal that it was for. */
  readonly unit: string;
  /** Of a Goal the number of the Round; null: of a Job. */
  readonly round: number | null;
  readonly value: T;
}

export interface Gathered {
  readonly closed: readonly (Job | Goal)[];
  readonly runs: readonly Told<Run>[];
  readonly evidence: readonly Told<Evidence>[];
}

/** `since`: milliseconds since the epoch. Of a Goal the Runs are those of its Rounds. */
export async function gatherReport(snapshot: Snapshot, since: number): Promise<Gathered> {
  const lately = ({ closed }: { readonly closed: string | null }): boolean =>
    closed !== null && Date.parse(closed) >= since;
  const closed = [
    ...(await snapshot.closedJobs()).filter((job) => !isRoundJob(job) && lately(job)),
    ...(await snapshot.closedGoals()).filter(lately),
  ].sort((one, two) => ((one.closed ?? '') < (two.closed ?? '') ? 1 : -1));
  const jobs = [...(await snapshot.openJobs()).filter((job) => !isRoundJob(job)), ...closed.filter(isJob)];
  const goals = [...(await snapshot.openGoals()), ...closed.filter((one): one is Goal => !isJob(one))];
  const runs: Told<Run>[] = [];
  const evidence: Told<Evidence>[] = [];
  for (const job of jobs) runs.push(...(await runsOf(snapshot, job, job.id)));
  for (const goal of goals) {
    for (const job of await roundJobs(snapshot, goal)) runs.push(...(await runsOf(snapshot, job, goal.id)));
    for (const value of await snapshot.evidence(goal.id)) evidence.push({ unit: goal.id, round: value.round, value });
  }
  const recent = (time: string | null): boolean => time === null || Date.parse(time) >= since;
  return {
    closed,
    runs: runs
      .filter(({ value }) => recent(value.ended))
      .sort((one, two) => order(one.value.started, two.value.started)),
    evidence: evidence.filter(({ value }) => recent(value.at)).sort((one, two) => order(one.value.at, two.value.at)),
  };
}

const isJob = (work: Job | Goal): work is Job => work.kind === 'job';
const order = (one: string, two: string): number => (one < two ? -1 : one > two ? 1 : 0);

const runsOf = async (snapshot: Snapshot, job: Job, unit: string): Promise<readonly Told<Run>[]> =>
  (await snapshot.runs(job.id)).map((value) => ({ unit, round: job.round, value }));
