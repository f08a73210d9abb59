// Which Job or Goal `run` takes next, looked at before anything is written: trust is asked for, and one whose agent, base or remote is
// not to be had here is passed over, so that it stops nobody (J2, G3, J16).

import { configurationElsewhere } from '../../config/elsewhere.js';
import { type ErrorCode, isOwlError, type OwlError } from '../../domain/errors.js';
import type { Goal } from '../../domain/goal.js';
import type { Unit } from '../../domain/goal-queue.js';
import type { Job, JobId } from '../../domain/job.js';
import type { Remedy } from '../../domain/queue.js';
import { isElsewhere, needWork } from '../claims/elsewhere.js';
import { inOrderOfConflicts, sayLater } from '../conflicts/order.js';
import type { CurrentTarget } from '../goal/current-target.js';
import { lookAtGoal } from '../goal/look.js';
import { loadSchedule } from '../goal/schedule.js';
import { findWork } from '../goals.js';
import { type CurrentPolicy, currentPolicy, unpublishedNote, wishOf } from '../policy.js';
import { type SharedQueue, withForeign } from '../sync/queue.js';
import { askTrust } from '../trusted.js';
import type { Workbench } from '../workbench.js';
import { agentFor, missingAgent } from './agent-choice.js';
import { notNow } from './claim.js';

export interface Waiting extends Remedy {
  readonly kind: 'job' | 'goal';
  readonly id: string;
  readonly why: string;
}

/** What one command remembers from one look at the queue to the next. */
export interface Memory {
  /** Taken by this command already. */
  readonly seen: Set<string>;
  /** Claimed on a remote by a lane of this command: its claim is this process's, so that another lane would take it for its own. */
  readonly taking: Set<string>;
  /** Looked at, and not to be had here: not looked at again, since that may ask a remote. */
  readonly passed: Map<string, Waiting>;
  /** Not to be had when the claims on the remote were last looked at (05, S7): looked at anew whenever something is taken. */
  readonly held: Map<string, Waiting>;
  /** What was said of the repository: it is said once. */
  readonly told: Set<string>;
}

export const newMemory = (): Memory => ({
  seen: new Set(),
  taking: new Set(),
  passed: new Map(),
  held: new Map(),
  told: new Set(),
});

export type Chosen =
  | { readonly kind: 'job'; readonly id: JobId; readonly maxParallel: number }
  | { readonly kind: 'goal'; readonly id: string; readonly goal: Goal; readonly target: CurrentTarget }
  | { readonly kind: 'nothing'; readonly waiting: readonly Waiting[] };

/** What is not to be had in this clone, and is no fault of the work: it waits, and that is no failure of `run` (J16, J8). */
const NOT_HERE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['missing-agent', 'missing-commit']);
/** What is wrong with the base, the remote or the agent of one alone, and says nothing of the next. */
const ITS_OWN: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...NOT_HERE,
  'missing-base',
  'missing-remote',
  'reserved-name',
  'no-commit',
  'configuration',
  'remote',
  'refused',
  'wrong-state',
]);

export interface Wanted {
  /** Somebody asked for this very one; null: the next one. */
  readonly id: string | null;
  /** false: a Goal that would only be integrated is left alone. */
  readonly merge: boolean;
  /** Looks again later: then nothing is wrong with finding nothing now. */
  readonly patient: boolean;
  /** The queue is shared with other clones (S7); null: it is this clone's own. */
  readonly shared: SharedQueue | null;
}

/** A named one is refused for what is wrong with it, and so is a queue in which nothing else may run. Throws OwlError. */
export async function chooseUnit(bench: Workbench, wanted: Wanted, memory: Memory): Promise<Chosen> {
  if (wanted.id !== null) {
    const work = await findWork(await bench.store.snapshot(), wanted.id);
    if (work.kind === 'goal') return lookAtTarget(bench, work.goal, memory);
    await refuseNow(bench, work.job, wanted);
    return lookAtJob(bench, work.job, memory, wanted);
  }
  let first: OwlError | null = null;
  for (;;) {
    const queue = await loadSchedule(bench, await bench.store.snapshot());
    const units = await inOrderOfConflicts(bench, await withForeign(bench, queue, wanted.shared));
    tell(bench, sayLater(units), memory);
    const unit = units.find((one) => mayBeTaken(one, wanted, memory));
    if (unit === undefined) {
      if (first !== null && memory.seen.size === 0 && !wanted.patient) throw first;
      return { kind: 'nothing', waiting: waitingOf(units, wanted, memory) };
    }
    try {
      return unit.kind === 'job'
        ? await lookAtJob(bench, unit.job, memory, wanted)
        : await lookAtTarget(bench, unit.goal, memory);
    } catch (error) {
      if (!isOwlError(error) || !ITS_OWN.has(error.code)) throw error;
      if (!NOT_HERE.has(error.code)) first ??= error;
      const next = error.code === 'missing-commit' ? error.next[0] : undefined;
      passOver(memory, unit, error.message, { next });
    }
  }
}

export function passOver(
  memory: Memory,
  { kind, id }: Pick<Unit, 'kind' | 'id'>,
  why: string,
  remedy: Remedy = {},
): void {
  memory.passed.set(id, { kind, id, why, ...remedy });
}

const mayBeTaken = (unit: Unit, wanted: Wanted, memory: Memory): boolean =>
  unit.wait.kind === 'eligible' &&
  !memory.seen.has(unit.id) &&
  !memory.taking.has(unit.id) &&
  !memory.passed.has(unit.id) &&
  !memory.held.has(unit.id) &&
  !isHeldBack(unit, wanted);

const isHeldBack = (unit: Unit, { merge }: Pick<Wanted, 'merge'>): boolean =>
  !merge && unit.kind === 'goal' && unit.goal.status === 'governance';

function waitingOf(units: readonly Unit[], wanted: Wanted, memory: Memory): readonly Waiting[] {
  const waiting: Waiting[] = [];
  for (const unit of units) {
    const { kind, id } = unit;
    if (memory.seen.has(id) || memory.taking.has(id)) continue;
    const passed = memory.passed.get(id) ?? memory.held.get(id);
    if (passed !== undefined) waiting.push(passed);
    else if (unit.wait.kind === 'waits') waiting.push({ ...unit.wait, kind, id });
    else if (unit.wait.kind === 'eligible' && isHeldBack(unit, wanted))
      waiting.push({ kind, id, why: 'governance would integrate it, and --no-merge was given' });
  }
  return waiting;
}

/** A named one that may not run is refused before it is claimed on a remote: there a claim would stay (S7). */
async function refuseNow(bench: Workbench, job: Job, { shared }: Wanted): Promise<void> {
  // Of one that is at work its claim tells who has it.
  if (shared === null || job.state === 'active') return;
  const error = await notNow(bench, await bench.store.snapshot(), job);
  if (error !== null) throw error;
}

/** Throws OwlError `missing-agent`, `missing-commit`, `untrusted`, and what reading its base throws. */
async function lookAtJob(bench: Workbench, job: Job, memory: Memory, { shared }: Wanted): Promise<Chosen> {
  if (job.state === 'pending') await needTip(bench, job, shared);
  const current = await currentPolicy(bench, wishOf(job));
  await tellNotes(bench, current, memory);
  await askTrust(bench, current.loaded);
  const { policy } = current.loaded;
  const agent = agentFor(bench, job, policy);
  if (agent.kind === 'agent') return { kind: 'job', id: job.id, maxParallel: policy.max_parallel };
  throw missingAgent(agent.why, `job ${job.id} stays ${job.state}`, [`git owl edit ${job.id} --agent <name>`]);
}

/** The commits that its next Run goes on from are here, or its runner shared them (J8). Throws OwlError `missing-commit`. */
async function needTip(bench: Workbench, job: Job, shared: SharedQueue | null): Promise<void> {
  if (shared !== null && (await isElsewhere(bench, job))) {
    const { fetchTip } = await import('../claims/tip.js');
    await fetchTip(bench, shared.remote, job);
  }
  await needWork(bench, job);
}

async function lookAtTarget(bench: Workbench, goal: Goal, memory: Memory): Promise<Chosen> {
  const target = await lookAtGoal(bench, goal);
  await tellNotes(bench, target.current, memory);
  return { kind: 'goal', id: goal.id, goal, target };
}

/** Said once before something is taken: merges that are not on the remote, a configuration that is not in force, warnings. */
async function tellNotes(bench: Workbench, current: CurrentPolicy, memory: Memory): Promise<void> {
  const { loaded, at } = current;
  const { remotes } = await bench.remotes();
  const elsewhere = await configurationElsewhere({ repository: bench.repository, loaded, ref: at.ref, remotes });
  tell(bench, [...unpublishedNote(current), ...elsewhere, ...loaded.warnings], memory);
}

function tell(bench: Workbench, notes: readonly string[], { told }: Memory): void {
  for (const note of notes) {
    if (!told.has(note)) bench.say(note);
    told.add(note);
  }
}
