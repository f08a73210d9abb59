// `run --dry-run`: what `run` would settle, take and pass over, from what is known here. Only looks.

import { isOwlError, type OwlError } from '../../domain/errors.js';
import type { Unit } from '../../domain/goal-queue.js';
import type { Job, JobId } from '../../domain/job.js';
import type { Remedy } from '../../domain/queue.js';
import type { Snapshot } from '../../state/types.js';
import { whyElsewhere } from '../claims/elsewhere.js';
import { findLandedJobs, sayLanded } from '../collect/landed.js';
import { inOrderOfConflicts, sayLater } from '../conflicts/order.js';
import { checkCarried } from '../goal/claim.js';
import { loadSchedule, type Queue } from '../goal/schedule.js';
import type { Work } from '../goals.js';
import { missingHere, policyOf } from '../survey.js';
import { type Sharing, withForeign } from '../sync/queue.js';
import type { Workbench } from '../workbench.js';
import { loadTaken } from './capacity.js';
import type { Waiting } from './choose.js';
import { notNow } from './claim.js';
import { isDead } from './dead.js';

export interface Foreseen {
  /** In the order in which they would be taken; a dead Run's Job is pending again in its place. */
  readonly units: readonly Unit[];
  readonly waiting: readonly Waiting[];
  /** Named ones that would be refused, and why. */
  readonly refused: readonly OwlError[];
  /** What would be settled first, and what is wrong with no unit in particular. */
  readonly notes: readonly string[];
  /** Jobs and Goals at work, when they leave no room; null otherwise. */
  readonly full: number | null;
}

export interface Foresight {
  readonly named: readonly Work[];
  readonly all: boolean;
  /** false: what would only be integrated is left alone. */
  readonly merge: boolean;
  readonly maxParallel: number | null;
  /** The queue would be shared with other clones (S7). */
  readonly shared: Sharing | null;
}

/** Throws what reading the state throws. Nothing is fetched. */
export async function foresee(bench: Workbench, wanted: Foresight): Promise<Foreseen> {
  const { records, dead } = await settledState(bench, await bench.store.snapshot());
  const landed = await findLandedJobs(bench);
  const gone = new Set(landed.map((found) => found.job.id));
  const notes = [
    ...dead.map((id) => `job ${id}: the process of its Run is gone; it would be settled first`),
    ...landed.map((found) => `${sayLanded(found)}; it would be done`),
  ];
  const missing = missingHere(bench);
  const queue = await loadSchedule(bench, records);
  const units: Unit[] = [];
  const waiting: Waiting[] = [];
  const refused: OwlError[] = [];
  const pass = ({ kind, id }: Unit, why: string, remedy: Remedy = {}) => waiting.push({ kind, id, why, ...remedy });
  // A shared queue would fetch the tip first (S7).
  const elsewhere = async (unit: Unit) =>
    unit.kind === 'goal' || wanted.shared !== null ? null : whyElsewhere(bench, unit.job);
  for (const work of wanted.named) {
    const unit = await namedUnit(records, queue, work);
    const error = (await refusal(bench, records, unit)) ?? (await elsewhere(unit));
    const why = error === null ? await missing(unit) : null;
    if (error !== null) refused.push(error);
    else if (why !== null) pass(unit, why);
    else units.push(unit);
  }
  const ordered =
    wanted.named.length > 0 ? [] : await inOrderOfConflicts(bench, await withForeign(bench, queue, wanted.shared));
  notes.push(...sayLater(ordered));
  for (const unit of ordered) {
    if (unit.wait.kind === 'not-queued' || gone.has(unit.id)) continue;
    const held = !wanted.merge && unit.kind === 'goal' && unit.goal.status === 'governance';
    if (unit.wait.kind === 'waits') {
      pass(unit, unit.wait.why, { next: unit.wait.next, note: unit.wait.note });
      continue;
    }
    const error = await elsewhere(unit);
    const why = held ? '--no-merge was given' : (error?.message ?? (await missing(unit)));
    if (why !== null) pass(unit, why, { next: error?.next[0] });
    else if (wanted.all || units.length === 0) units.push(unit);
  }
  const [first] = units;
  const full = first === undefined ? null : await noPlaceFor(bench, records, first, wanted.maxParallel);
  return { units: full === null ? units : [], waiting, refused, notes, full };
}

/** As it will be; a closed one is in no queue. */
async function namedUnit(records: Queue, queue: readonly Unit[], work: Work): Promise<Unit> {
  const wait = { kind: 'not-queued' } as const;
  if (work.kind === 'goal') {
    const queued = queue.find(({ id }) => id === work.goal.id);
    return queued ?? { kind: 'goal', id: work.goal.id, goal: work.goal, wait };
  }
  const loaded = await records.job(work.job.id);
  const job = loaded.kind === 'found' ? loaded.record : work.job;
  return { kind: 'job', id: job.id, job, wait };
}

/** Why a named one would be refused; null: it would not. */
async function refusal(bench: Workbench, records: Queue, unit: Unit): Promise<OwlError | null> {
  if (unit.kind === 'job') return notNow(bench, records, unit.job);
  try {
    checkCarried(unit.goal);
    return null;
  } catch (error) {
    if (isOwlError(error)) return error;
    throw error;
  }
}

/** How many are at work, where they leave no place for this one. */
async function noPlaceFor(
  bench: Workbench,
  records: Queue,
  unit: Unit,
  maxParallel: number | null,
): Promise<number | null> {
  const live = await loadTaken(bench, records, unit.id);
  return live >= (maxParallel ?? (await policyOf(bench, unit)).loaded.policy.max_parallel) ? live : null;
}

/** The state as it will be once dead Runs are settled: their Jobs are pending again. */
async function settledState(
  bench: Workbench,
  snapshot: Snapshot,
): Promise<{ readonly records: Queue; readonly dead: readonly JobId[] }> {
  const open = await snapshot.openJobs();
  const settled = new Map<JobId, Job>();
  for (const job of open) {
    if (await isDead(bench, job)) settled.set(job.id, { ...job, state: 'pending', claim: null });
  }
  return {
    dead: [...settled.keys()],
    records: {
      openJobs: async () => open.map((job) => settled.get(job.id) ?? job),
      job: async (id) => {
        const record = settled.get(id);
        return record === undefined ? snapshot.job(id) : { kind: 'found', record };
      },
      goal: (id) => snapshot.goal(id),
      openGoals: () => snapshot.openGoals(),
      rounds: (goal) => snapshot.rounds(goal),
      invocations: (goal) => snapshot.invocations(goal),
      features: () => snapshot.features(),
    },
  };
}
