// The transition table of Jobs: the only place where a state changes (02). Pure.

import { OwlError } from './errors.js';
import type { Job, JobState } from './job.js';

/** What can happen to a Job. Verbs of people and settlements of Runs alike. */
export type JobEvent =
  | 'claim'
  | 'settle'
  | 'block'
  | 'verify'
  | 'retry'
  | 'accept'
  | 'merge'
  | 'escalate'
  | 'landed'
  | 'revert'
  | 'cancel'
  | 'drop'
  | 'restore'
  | 'reopen'
  | 'extend'
  | 'edit'
  | 'handoff'
  | 'reorder'
  | 'export';

type Row = Readonly<Partial<Record<JobEvent, readonly JobState[]>>>;

/** From a state, by an event, to one of these states. What is not in the table is refused. */
export const JOB_TABLE: Readonly<Record<JobState, Row>> = {
  pending: {
    claim: ['active'],
    block: ['blocked'],
    landed: ['done'],
    cancel: ['cancelled'],
    drop: ['cancelled'],
    extend: ['pending'],
    edit: ['pending'],
    handoff: ['pending'],
    reorder: ['pending'],
  },
  active: {
    settle: ['pending', 'active', 'blocked', 'review', 'escalated', 'exhausted', 'done'],
    cancel: ['cancelled'],
    extend: ['active'],
  },
  blocked: {
    retry: ['pending'],
    verify: ['review', 'blocked', 'done'],
    landed: ['done'],
    cancel: ['cancelled'],
    drop: ['cancelled'],
    extend: ['blocked'],
    edit: ['blocked'],
    handoff: ['blocked'],
    reorder: ['blocked'],
    export: ['blocked'],
  },
  review: {
    retry: ['pending'],
    verify: ['review', 'blocked', 'done'],
    accept: ['done'],
    merge: ['done'],
    escalate: ['escalated'],
    block: ['blocked'],
    landed: ['done'],
    cancel: ['cancelled'],
    drop: ['cancelled'],
    extend: ['review'],
    handoff: ['review'],
    export: ['review'],
  },
  escalated: {
    retry: ['pending'],
    verify: ['review', 'blocked', 'done'],
    accept: ['done'],
    landed: ['done'],
    cancel: ['cancelled'],
    drop: ['cancelled'],
    extend: ['escalated'],
    handoff: ['escalated'],
    export: ['escalated'],
  },
  exhausted: {
    extend: ['pending'],
    retry: ['pending'],
    landed: ['done'],
    cancel: ['cancelled'],
    drop: ['cancelled'],
    edit: ['exhausted'],
    handoff: ['exhausted'],
    reorder: ['exhausted'],
    export: ['exhausted'],
  },
  done: {
    merge: ['done', 'escalated'],
    revert: ['done'],
    reopen: ['review'],
    export: ['done'],
  },
  cancelled: {
    // `done`: its merge arrived all the same.
    reopen: ['pending', 'done'],
    drop: ['cancelled'],
    restore: ['pending', 'blocked', 'review', 'escalated', 'exhausted', 'cancelled'],
  },
};

/** Decisions open a new occurrence (01); other events only count up the revision. */
const DECISIONS: ReadonlySet<JobEvent> = new Set([
  'claim',
  'settle',
  'block',
  'verify',
  'retry',
  'accept',
  'merge',
  'revert',
  'escalate',
  'landed',
  'cancel',
  'drop',
  'restore',
  'reopen',
]);

export const mayHappen = (state: JobState, event: JobEvent): boolean => JOB_TABLE[state][event] !== undefined;

/** The verbs that are open to a person in this state. */
export const nextEvents = (state: JobState): readonly JobEvent[] => Object.keys(JOB_TABLE[state]) as JobEvent[];

/** Its work is on the base: no decision makes it open again (11, Jobs). */
export const isFinal = (job: Pick<Job, 'state' | 'merged' | 'reverted'>): boolean =>
  job.state === 'done' && job.merged !== null && !job.reverted;

export interface Move {
  readonly event: JobEvent;
  readonly to: JobState;
  /** Operation id: becomes the decision of the new occurrence. */
  readonly op: string;
  readonly at: string;
}

/**
 * The Job after the event: state, both clocks and `closed` set; the caller adds the rest in `change`.
 * Throws OwlError `wrong-state`, naming the state it found, when the table does not have the move (02).
 */
export function moveJob(job: Job, move: Move, change: Partial<Job> = {}): Job {
  const targets = JOB_TABLE[job.state][move.event];
  if (targets === undefined || !targets.includes(move.to)) {
    throw wrongState(job, move.event);
  }
  if (isFinal(job) && move.to !== job.state) {
    throw new OwlError('wrong-state', `job ${job.id} is merged; its work is on the base`, {
      preserved: ['nothing was changed'],
      next: [`git owl show ${job.id}`],
      data: { job: job.id, state: job.state },
    });
  }
  // Another state is another decision, whatever brought it: a worker of the old one is superseded.
  const decided = move.to !== job.state || (DECISIONS.has(move.event) && move.event !== 'settle');
  const closed = move.to === 'done' || move.to === 'cancelled';
  return {
    ...job,
    ...change,
    state: move.to,
    revision: job.revision + 1,
    occurrence: decided ? { number: job.occurrence.number + 1, decision: move.op } : job.occurrence,
    updated: move.at,
    closed: closed ? (job.closed ?? move.at) : null,
  };
}

export function wrongState(job: Job, event: JobEvent): OwlError {
  const open = Object.entries(JOB_TABLE)
    .filter(([, row]) => row[event] !== undefined)
    .map(([state]) => state);
  return new OwlError(
    'wrong-state',
    `job ${job.id} is ${job.state}; ${event === 'claim' ? 'run' : event} needs ${open.join(' or ')}`,
    {
      preserved: ['nothing was changed'],
      next: [`git owl show ${job.id}`],
      data: { job: job.id, state: job.state },
    },
  );
}

/** Does the occurrence that a worker started under still stand, in both parts (01)? */
export const stands = (work: Pick<Job, 'occurrence'>, started: Job['occurrence']): boolean =>
  work.occurrence.number === started.number && work.occurrence.decision === started.decision;
