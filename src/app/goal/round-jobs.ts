// The Jobs of a Goal's Rounds: found, and closed and opened again together with their Goal (11, Goals).

import type { Goal } from '../../domain/goal.js';
import { CLOSED_STATES, type Job, type Phase } from '../../domain/job.js';
import { mayHappen, moveJob } from '../../domain/machine.js';
import type { Snapshot, Tx } from '../../state/types.js';
import { type RetryRequest, retried } from '../decide/retry.js';

/** Of every Round that was started, oldest Round first; what cannot be read is left out. */
export async function roundJobs(snapshot: Snapshot, goal: Pick<Goal, 'id'>): Promise<readonly Job[]> {
  const jobs: Job[] = [];
  for (const round of await snapshot.rounds(goal.id)) {
    const loaded = round.job === null ? null : await snapshot.job(round.job);
    if (loaded?.kind === 'found') jobs.push(loaded.record);
  }
  return jobs;
}

/** The Job of the current Round; null: it was not started, or cannot be read. */
export const currentRoundJob = async (snapshot: Snapshot, goal: Pick<Goal, 'id' | 'round'>): Promise<Job | null> =>
  (await roundJobs(snapshot, goal)).find((job) => job.round === goal.round) ?? null;

/** Nothing is said to it: it goes on from what it has. */
export const AS_IT_IS: RetryRequest & { readonly phase: null } = {
  message: undefined,
  restart: false,
  ttl: undefined,
  phase: null,
};

export interface Requeue extends RetryRequest {
  /** null: the one that it has. */
  readonly phase: Phase | null;
  /** Another target: its next Run replays what it has onto that one (J11). Left out: the one that it has. */
  readonly base?: Job['base'];
}

/**
 * The Job of a Round that is worked on again: in the queue with what it is told; where it is there already, it stays as it is.
 * Throws OwlError `refused` when it has no Runs left.
 */
export function requeueJob(tx: Tx, goal: Goal, job: Job | null, request: Requeue): void {
  // A live Run settles by itself; that its Goal was decided about meanwhile is the Goal's occurrence.
  if (job === null || job.state === 'active') return;
  const phase = request.phase ?? job.phase;
  const ttl = request.ttl ?? job.ttl;
  const base = request.base ?? job.base;
  const again = mayHappen(job.state, 'retry')
    ? retried(job, request, tx, { noun: 'goal', id: goal.id })
    : { ...job, ttl };
  const moved = base.name !== job.base.name || base.remote !== job.base.remote;
  if (moved || again.state !== job.state || phase !== job.phase || ttl !== job.ttl)
    tx.putJob({ ...again, phase, base });
}

/** What was resolved of a Goal that is done is done; all else is cancelled. */
export async function closeRoundJobs(tx: Tx, goal: Goal): Promise<void> {
  for (const job of await roundJobs(tx, goal)) {
    if (CLOSED_STATES.has(job.state)) continue;
    const accepted = goal.status === 'done' && (job.state === 'review' || job.state === 'escalated');
    const move = accepted
      ? ({ event: 'accept', to: 'done' } as const)
      : ({ event: 'cancel', to: 'cancelled' } as const);
    tx.putJob(moveJob(job, { ...move, op: tx.op, at: tx.now }, { claim: null, reason: null }));
  }
}

/** The current Round's alone: earlier Rounds are history. */
export async function reopenRoundJob(tx: Tx, goal: Goal): Promise<void> {
  const job = await currentRoundJob(tx, goal);
  if (job === null || !CLOSED_STATES.has(job.state)) return;
  const to = job.state === 'cancelled' ? 'pending' : 'review';
  tx.putJob(moveJob(job, { event: 'reopen', to, op: tx.op, at: tx.now }));
}
