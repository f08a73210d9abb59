// `goal round` and `goal decline`: a new Round with its own request; history stays as it is (G44, G51).

import { OwlError } from '../../../domain/errors.js';
import type { Goal, Round } from '../../../domain/goal.js';
import { FRESH_ROUND, type GoalEvent, moveGoal } from '../../../domain/goal-machine.js';
import type { Tx, Updated } from '../../../state/types.js';
import { readPrompt } from '../../enqueue.js';
import { currentRound } from '../../goals.js';
import type { Workbench } from '../../workbench.js';
import { newRound } from '../add.js';
import { decideGoal } from '../control.js';

export interface RoundRequest {
  readonly request: Buffer;
  /** Round whose Candidate is taken over as far as it applies. */
  readonly from: number | undefined;
  readonly reason?: string | undefined;
  readonly expectRevision?: number | undefined;
}

/** Throws OwlError `wrong-state`, `usage`, `refused`, `superseded`, and what finding a Goal throws. */
export function openRound(bench: Workbench, id: string, asked: RoundRequest): Promise<Updated<Goal>> {
  const request = readPrompt(asked.request);
  const content = { request, from: asked.from };
  const { reason, expectRevision } = asked;
  return decideGoal(bench, { goal: id, verb: 'round', content, reason, expectRevision }, async (goal, tx) => {
    if (asked.from !== undefined) await checkSource(tx, goal, asked.from);
    const next = await nextRound(tx, goal, 'round', { request, opened_by: 'round', from: asked.from ?? null });
    const from = asked.from === undefined ? '' : `, from round ${asked.from}`;
    return { goal: next, event: 'goal.round', said: `round ${next.round}${from}`, round: next.round };
  });
}

/** Without a request the one of the declined Round is asked for again. Throws OwlError `wrong-state`, `usage`, `superseded`. */
export function declineGoal(
  bench: Workbench,
  id: string,
  asked: { readonly request: Buffer | undefined; readonly expectRevision?: number | undefined },
): Promise<Updated<Goal>> {
  const given = asked.request === undefined ? undefined : readPrompt(asked.request);
  const decision = { goal: id, verb: 'decline', content: { request: given }, expectRevision: asked.expectRevision };
  return decideGoal(bench, decision, async (goal, tx) => {
    const request = given ?? (await currentRound(tx, goal))?.request ?? goal.title;
    const next = await nextRound(tx, goal, 'decline', { request, opened_by: 'decline', from: null });
    return { goal: next, event: 'goal.declined', said: `declined; round ${next.round}`, round: next.round };
  });
}

async function nextRound(
  tx: Tx,
  goal: Goal,
  event: Extract<GoalEvent, 'round' | 'decline'>,
  round: Pick<Round, 'request' | 'opened_by' | 'from'>,
): Promise<Goal> {
  const number = Math.max(goal.round, ...(await tx.rounds(goal.id)).map((one) => one.number)) + 1;
  const next = moveGoal(goal, { event, to: 'todo', op: tx.op, at: tx.now }, { ...FRESH_ROUND, round: number });
  tx.putRound(newRound(goal.id, number, round.request, round.opened_by, tx.now, round.from));
  return next;
}

/** It has a Candidate that can be taken over. */
async function checkSource(tx: Tx, goal: Goal, from: number): Promise<void> {
  const candidates = await tx.candidates(goal.id);
  if (candidates.some((candidate) => candidate.round === from)) return;
  const known = [...new Set(candidates.map((candidate) => candidate.round))];
  const which = known.length === 0 ? 'no round of it has' : `there is one of round ${known.join(', ')}`;
  throw new OwlError('refused', `round ${from} of goal ${goal.id} has no candidate to go on from; ${which}`, {
    preserved: ['nothing was changed'],
    next: [`git owl show ${goal.id}`],
  });
}
