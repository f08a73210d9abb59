// A Run that stops before its agent: what becomes of it and of its Job (J3).

import type { Settlement } from '../../domain/closure.js';
import type { Oid } from '../../domain/git.js';
import type { Job, Reason, Run } from '../../domain/job.js';
import { reason } from '../../domain/reasons.js';
import type { Workbench } from '../workbench.js';

export interface Stopped {
  readonly kind: 'stopped';
  readonly settlement: Settlement;
  readonly run: Run;
  readonly job: Partial<Job>;
  readonly landed: boolean;
  /** Outputs to keep: name -> bytes. */
  readonly outputs: ReadonlyMap<string, Buffer>;
  /** Digest of the gates of this Run's configuration; missing where there was none to be had. */
  readonly gates?: string | undefined;
}

/** Back in the queue, at no cost: nothing was wrong with the Job. */
export const later = (run: Run, why: Reason): Stopped => ({
  kind: 'stopped',
  settlement: { state: 'pending', outcome: 'interrupted', closure: null, reason: why, counted: false, notBefore: null },
  run,
  job: {},
  landed: false,
  outputs: new Map(),
});

export const interrupted = reason('interrupted', 'stopped before the agent was started');

/** Blocked before any agent was started, at no cost (J3). */
export const stopped = (
  run: Run,
  why: Reason,
  job: Partial<Job> = {},
  outputs: ReadonlyMap<string, Buffer> = new Map(),
): Stopped => ({
  kind: 'stopped',
  settlement: { state: 'blocked', outcome: 'failed', closure: null, reason: why, counted: false, notBefore: null },
  run,
  job,
  landed: false,
  outputs,
});

export const jobFacts = (base: { readonly ref: string; readonly oid: Oid }, tip: Oid): Partial<Job> => ({
  onto: base,
  tip,
  conflicts: 0,
  restart: false,
});

/** In its record, and said at once: what was left out of a branch, flattened or committed is the agent's ground already. */
export function noted(bench: Workbench, job: Job, run: Run, notes: readonly string[]): Run {
  for (const note of notes) bench.say(`job ${job.id}: ${note}`);
  return { ...run, notes: [...run.notes, ...notes] };
}
