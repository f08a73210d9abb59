// The one control for decisions about a Goal (G42): people, handlers and Skills go through it alike. It looks at what the decision
// was made on, bounds chains of automatic ones, and closes or opens the Jobs of Rounds with their Goal.

import { isDue } from '../../domain/error-window.js';
import { OwlError } from '../../domain/errors.js';
import type { EventName } from '../../domain/events.js';
import { CLOSED_GOALS, type Goal } from '../../domain/goal.js';
import { isOfOccurrence, sayOccurrence } from '../../domain/invocation.js';
import { momentsLeft, statusEvent } from '../../domain/skill.js';
import { oneLine } from '../../state/message.js';
import type { Tx, Updated } from '../../state/types.js';
import { knownClone } from '../clone.js';
import { bringRetired } from '../decide/branch-back.js';
import { bringArchivedGoal } from '../decide/bring-archived.js';
import { findGoal } from '../goals.js';
import { refuseUnknown } from '../publish/note.js';
import { refuseWhileReverting } from '../revert/note.js';
import { noteDue } from '../skill/note-due.js';
import { closeWaiting } from '../skill/record.js';
import { requestOf, updateOrTry } from '../try.js';
import type { Workbench } from '../workbench.js';
import { closeRoundJobs, currentRoundJob, reopenRoundJob } from './round-jobs.js';
import { bindEvents, openBinder } from './skills.js';

/** Automatic decisions in a row (G42). */
const CHAIN_LIMIT = 16;

export interface Decision {
  /** Id, or a unique prefix of one. */
  readonly goal: string;
  /** Fail-point prefix and part of the idempotency key: the verb. */
  readonly verb: string;
  /** All that was asked for: the same `--request-id` with other content is refused. */
  readonly content?: unknown;
  /** Why, in the words of who decided; goes into the event. */
  readonly reason?: string | undefined;
  /** `--expect-revision`. */
  readonly expectRevision?: number | undefined;
}

export interface GoalChange {
  readonly goal: Goal;
  readonly event: EventName;
  /** Follows `goal <id>: `. */
  readonly said: string;
  readonly round?: number | undefined;
}

/** Which Skill or handler calls us, and the occurrence of the Goal that it was started under; null: a person. */
export interface Caller {
  readonly skill: string;
  readonly occurrence: string | null;
  /** The Goal that it may decide about; null: it was not told. */
  readonly goal: string | null;
}

/** A Skill and an Error handler are told who they are by these variables. */
export function callerOf(bench: Pick<Workbench, 'environment'>): Caller | null {
  const { variables } = bench.environment;
  const skill = variables['OWL_SKILL'];
  if (skill === undefined || skill === '') return null;
  return { skill, occurrence: variables['OWL_OCCURRENCE'] || null, goal: variables['OWL_GOAL'] || null };
}

/**
 * `change` gets the Goal as it is in each attempt; null, or the same object: nothing is to be written.
 * Throws OwlError `unknown-id`, `superseded` when it was decided on something older, `refused` when the chain is too long,
 * and what `change` throws.
 */
export async function decideGoal(
  bench: Workbench,
  decision: Decision,
  change: (goal: Goal, tx: Tx) => Promise<GoalChange | null> | GoalChange | null,
): Promise<Updated<Goal>> {
  const request =
    bench.requestId === undefined
      ? undefined
      : requestOf(
          bench,
          `goal ${decision.verb}`,
          await findGoal(await bench.store.snapshot(), decision.goal),
          decision.content ?? null,
        );
  const caller = callerOf(bench);
  const clone = await knownClone(bench);
  const known = await findGoal(await bench.store.snapshot(), decision.goal);
  const binder = await openBinder(bench, known);
  if (decision.verb !== 'cancel') await bringArchivedGoal(bench, known);
  return updateOrTry<Goal>(
    bench,
    { step: `goal-${decision.verb}`, ...(request === undefined ? {} : { request }) },
    async (tx) => {
      const goal = await findGoal(tx, decision.goal);
      // Until the remote was looked at, nothing but cancel is accepted (G32).
      if (decision.verb !== 'cancel') await refuseUndecided(bench, goal);
      refuseStale(goal, decision, caller);
      refuseLate(goal, caller, Date.parse(tx.now));
      const made = await change(goal, tx);
      if (made === null || made.goal === goal) return goal;
      const next: Goal = { ...made.goal, chain: nextChain(goal, caller) };
      tx.putGoal(next);
      if (!isOfOccurrence(goal, next)) {
        await closeWaiting(tx, goal, clone, 'another decision came before it was started');
        // What is due is recorded, and nothing else (G61).
        const left = momentsLeft(goal.status, next.status).map((moment) => statusEvent(goal.status, moment));
        const due =
          binder === null ? [] : await bindEvents(tx, next, binder, [...left, statusEvent(next.status, 'enter')]);
        // Nothing looks at a closed Goal again by itself.
        if (due.length > 0 && CLOSED_GOALS.has(next.status)) await noteDue(bench, tx, 'goals', { goals: [next.id] });
      }
      if (CLOSED_GOALS.has(next.status)) await closeRoundJobs(tx, next);
      else if (CLOSED_GOALS.has(goal.status)) await reopenRoundJob(tx, next);
      if (!CLOSED_GOALS.has(next.status)) await bringRound(bench, goal, tx);
      const why = decision.reason === undefined ? '' : ` (${oneLine(decision.reason, 60)})`;
      tx.event({
        event: made.event,
        subject: `goal ${goal.id}: ${made.said}${why}`,
        goal: goal.id,
        round: made.round ?? (goal.round === 0 ? undefined : goal.round),
      });
      return next;
    },
  );
}

/** The branch of the Round comes back where it was retired: of a Goal that was closed, or reverted while it was (M10). */
async function bringRound(bench: Workbench, goal: Goal, tx: Tx): Promise<void> {
  if (!CLOSED_GOALS.has(goal.status) && goal.reason?.code !== 'reverted') return;
  const job = await currentRoundJob(tx, goal);
  if (job !== null) await bringRetired(bench, job, tx);
}

async function refuseUndecided(bench: Workbench, { id, status }: Goal): Promise<void> {
  await refuseUnknown(bench, { kind: 'goal', id }, { closed: status === 'cancelled' });
  await refuseWhileReverting(bench, { kind: 'goal', id });
}

/** Throws OwlError `superseded`. */
export function refuseStale(goal: Goal, decision: Pick<Decision, 'expectRevision'>, caller: Caller | null): void {
  const next = [`git owl show ${goal.id}`];
  const preserved = ['nothing was changed'];
  const { expectRevision } = decision;
  if (expectRevision !== undefined && expectRevision !== goal.revision) {
    throw new OwlError('superseded', `goal ${goal.id} is at revision ${goal.revision}, not ${expectRevision}`, {
      preserved,
      next,
      data: { goal: goal.id, revision: goal.revision },
    });
  }
  if (caller !== null && caller.goal !== null && caller.goal !== goal.id) {
    throw new OwlError('refused', `${caller.skill} may decide about goal ${caller.goal} alone`, { preserved, next });
  }
  const { occurrence = null } = caller ?? {};
  if (occurrence !== null && occurrence !== sayOccurrence(goal)) {
    throw new OwlError('superseded', `goal ${goal.id} was decided about since ${caller?.skill} was started`, {
      preserved,
      next,
      data: { goal: goal.id, revision: goal.revision },
    });
  }
}

/** A handler that outlives its window decides nothing, whoever closes that (G41). */
function refuseLate(goal: Goal, caller: Caller | null, now: number): void {
  if (caller === null || goal.window === null || !isDue(goal.window, now)) return;
  throw new OwlError('superseded', `the window of goal ${goal.id} closed at ${goal.window.deadline}`, {
    preserved: ['nothing was changed'],
    next: [`git owl show ${goal.id}`],
  });
}

/** Throws OwlError `refused`: chains of automatic decisions are bounded; one of a person begins anew. */
function nextChain(goal: Goal, caller: Caller | null): number {
  if (caller === null) return 0;
  if (goal.chain < CHAIN_LIMIT) return goal.chain + 1;
  throw new OwlError(
    'refused',
    `goal ${goal.id} had ${CHAIN_LIMIT} automatic decisions in a row; a person decides now`,
    {
      preserved: ['nothing was changed'],
      next: [`git owl show ${goal.id}`],
    },
  );
}
