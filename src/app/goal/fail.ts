// A step that failed: its evidence, its Error event, and a window where a handler is bound to it; else the Goal has failed (G40, G41, G43).

import { errorEventOf } from '../../domain/error-window.js';
import { EXIT, isOwlError } from '../../domain/errors.js';
import { newEvidence } from '../../domain/evidence.js';
import type { Oid } from '../../domain/git.js';
import type { AutomatedStatus, Evidence, Goal } from '../../domain/goal.js';
import { moveGoal } from '../../domain/goal-machine.js';
import { GOAL_REASONS, type GoalReasonCode } from '../../domain/goal-reasons.js';
import { boundTo } from '../../domain/invocation.js';
import type { Reason } from '../../domain/job.js';
import { stands } from '../../domain/machine.js';
import type { Skill } from '../../domain/policy.js';
import type { Pin } from '../../state/types.js';
import { formatTimestamp } from '../../system/clock.js';
import { failpoint } from '../../system/failpoint.js';
import { cloneId } from '../clone.js';
import { foundGoal } from '../goals.js';
import { bindSkills } from '../skill/bind.js';
import type { Workbench } from '../workbench.js';
import type { Held } from './claim.js';
import { pinnedPolicy } from './current-target.js';
import { bindEntry, openBinder } from './skills.js';
import type { StepResult } from './step.js';

export interface Failure {
  readonly why: Reason;
  readonly commits?: Evidence['commits'] | undefined;
  /** Further evidence of this step, written with it: the proof that failed. */
  readonly proofs?: readonly Evidence[] | undefined;
  readonly pins?: readonly Pin[] | undefined;
}

/** Writes what failed; the Goal is `failed`, or waits for a handler in its window. */
export async function failStep(bench: Workbench, held: Held, failure: Failure): Promise<StepResult> {
  const { goal, status } = held;
  const { why } = failure;
  const clone = await cloneId(bench);
  const window = await windowOf(bench, goal, status);
  const binder = window === null ? await openBinder(bench, goal) : null;
  await failpoint('goal.before-failure');
  const updated = await bench.store.update<Goal | null>({ step: 'goal-fail' }, async (tx) => {
    const now = foundGoal(goal.id, await tx.goal(goal.id));
    const stood = stands(now, goal.occurrence);
    for (const pin of failure.pins ?? []) tx.keep(pin);
    for (const proof of failure.proofs ?? []) tx.putEvidence(proof);
    const id = bench.ids.run();
    const error = newEvidence({
      id,
      goal: goal.id,
      round: goal.round,
      type: isConflict(why) ? 'conflict' : 'error',
      status: 'done',
      candidate: goal.candidate === null ? null : { base: goal.candidate.base, tip: goal.candidate.tip },
      config: goal.target?.config ?? null,
      reason: why,
      commits: { ...(why.onto === undefined ? {} : { target_before: why.onto.oid as Oid }), ...failure.commits },
      clone,
      at: tx.now,
    });
    tx.putEvidence(error);
    const round = { round: goal.round, goal: goal.id };
    if (!stood) {
      tx.event({
        event: 'goal.superseded',
        subject: `goal ${goal.id}: ${status} came after another decision`,
        ...round,
      });
      return null;
    }
    const kept: Partial<Goal> = {
      reason: why,
      failed_in: status,
      claim: null,
    };
    const move =
      window === null ? ({ event: 'fail', to: 'failed' } as const) : ({ event: 'window', to: status } as const);
    const next = moveGoal(
      now,
      { ...move, op: tx.op, at: tx.now },
      window === null
        ? kept
        : {
            ...kept,
            window: {
              step: status,
              event: errorEventOf(status),
              evidence: id,
              opened: tx.now,
              deadline: formatTimestamp(Date.parse(tx.now) + window.ms),
              clone,
            },
          },
    );
    // Bound with the window itself, so that what never ran is known by its name.
    const deadline = next.window?.deadline;
    if (window !== null && deadline !== undefined)
      for (const one of bindSkills(next, window.handlers, { clone, at: tx.now, evidence: id, deadline }))
        tx.putInvocation(one);
    tx.putGoal(next);
    await bindEntry(tx, next, binder);
    tx.event({
      event: 'goal.failed',
      subject: `goal ${goal.id}: ${errorEventOf(status)}: ${why.text}${window === null ? '' : '; its handler has a window'}`,
      ...round,
    });
    return next;
  });
  await failpoint('goal.after-failure');
  return updated.result === null ? { kind: 'superseded', goal } : { kind: 'failed', goal: updated.result };
}

const isConflict = (why: Reason): boolean =>
  (GOAL_REASONS[why.code as GoalReasonCode] ?? 0) === EXIT.conflict || why.code === 'conflict';

interface Opened {
  readonly ms: number;
  /** In the order of the configuration. */
  readonly handlers: readonly Skill[];
}

/** The window, where a handler is bound to the step's Error event; null: none is. */
async function windowOf(bench: Workbench, goal: Goal, step: AutomatedStatus): Promise<Opened | null> {
  if (goal.base === null) return null;
  try {
    const { policy } = await pinnedPolicy(bench, goal);
    const handlers = boundTo(policy.skills, errorEventOf(step));
    return handlers.length === 0 ? null : { ms: policy.goals.error_window.ms, handlers };
  } catch (error) {
    // Where the configuration cannot be read no handler is known, and the failure itself must still be told.
    if (isOwlError(error)) return null;
    throw error;
  }
}
