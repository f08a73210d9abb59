// Where a Goal stands while it has no Candidate: on what its Round's Job was last replayed onto, with the gates of that commit (G11). Pure.

import type { Oid } from './git.js';
import type { Goal } from './goal.js';
import { isAutomated, moveGoal } from './goal-machine.js';
import type { Job } from './job.js';

export interface RunPins {
  /** Commit that the Run's configuration was read from, and the digest of its gates. */
  readonly config: Oid | null;
  readonly gates: string;
}

/** The Goal on the base of this Run; null: it stands there already, or is not this Run's to move. */
export function repinned(
  goal: Goal,
  job: Pick<Job, 'round' | 'onto'>,
  pins: RunPins,
  move: { readonly op: string; readonly now: string },
): Goal | null {
  const { onto } = job;
  const { target } = goal;
  if (onto === null || target === null || goal.candidate !== null) return null;
  if (goal.round !== job.round || !isAutomated(goal.status)) return null;
  if (goal.base?.oid === onto.oid && target.config === pins.config && target.gates === pins.gates) return null;
  return moveGoal(
    goal,
    { event: 'record', to: goal.status, op: move.op, at: move.now },
    { base: onto, target: { ...target, ...pins } },
  );
}
