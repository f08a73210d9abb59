// `goal add`: records a Goal and its first Round; no branch, worktree, process or fetch (G1).

import { OwlError } from '../../domain/errors.js';
import type { Goal, Priority, Round } from '../../domain/goal.js';
import { statusEvent } from '../../domain/skill.js';
import { titleOf } from '../../domain/title.js';
import { resolveGoalId } from '../../state/resolve-id.js';
import type { Tx } from '../../state/types.js';
import { readPrompt } from '../enqueue.js';
import { freshId } from '../fresh-id.js';
import { findFeature, foundGoal } from '../goals.js';
import { updateOrTry } from '../try.js';
import type { Workbench } from '../workbench.js';
import { goalPosition } from './place.js';
import { bindEvents, openBinder } from './skills.js';

export interface GoalRequest {
  readonly title: string;
  /** What is asked for; undefined: the Goal has no Round yet. */
  readonly request: Buffer | undefined;
  /** Straight into todo. */
  readonly queue: boolean;
  readonly feature: string | undefined;
  /** Place among its siblings, from 1. */
  readonly order: number | undefined;
  readonly priority: Priority | undefined;
  readonly needs: readonly string[];
  readonly labels: readonly string[];
  readonly target: string | undefined;
  readonly remote: string | undefined;
}

export interface AddedGoal {
  readonly goal: Goal;
  readonly repeated: boolean;
}

/** Throws OwlError `usage`, `unknown-id`, `ambiguous-id` and what the store throws. */
export async function addGoal(bench: Workbench, asked: GoalRequest): Promise<AddedGoal> {
  const title = titleOf(readTitle(asked.title));
  const request = asked.request === undefined ? undefined : readPrompt(asked.request);
  const content = { verb: 'goal add', ...asked, title, request };
  const wish = { target: asked.target ?? null, remote: asked.remote ?? null };
  const binder = await openBinder(bench, { id: '', base: null, target: null, wish });
  let made: Goal | undefined;
  const updated = await updateOrTry<{ id: string }>(
    bench,
    { step: 'goal-add', ...(bench.requestId === undefined ? {} : { request: { id: bench.requestId, content } }) },
    async (tx) => {
      const goal = await newGoal(bench, tx, title, { ...asked, round: request === undefined ? 0 : 1 });
      made = goal;
      tx.putGoal(goal);
      if (binder !== null) await bindEvents(tx, goal, binder, [statusEvent(goal.status, 'enter')]);
      if (request !== undefined) tx.putRound(newRound(goal.id, 1, request, 'add', tx.now));
      tx.event({
        event: 'goal.added',
        subject: `goal ${goal.id}: added: ${title}`,
        goal: goal.id,
        round: goal.round === 0 ? undefined : goal.round,
      });
      return { id: goal.id };
    },
  );
  const { id } = updated.result;
  if (made !== undefined && made.id === id) return { goal: made, repeated: false };
  return { goal: foundGoal(id, await (await bench.store.snapshot()).goal(id)), repeated: updated.repeated };
}

/** Throws OwlError `usage`. */
export function readTitle(text: string): string {
  if (text.trim() === '') throw new OwlError('usage', 'the title is empty', { next: ['git owl goal add -h'] });
  return readPrompt(Buffer.from(text, 'utf8'));
}

export const newRound = (
  goal: string,
  number: number,
  request: string,
  openedBy: Round['opened_by'],
  at: string,
  from: number | null = null,
): Round => ({
  schema: 1,
  kind: 'round',
  goal,
  number,
  request,
  job: null,
  from,
  left_out: [],
  opened_by: openedBy,
  created: at,
});

export async function resolveGoals(tx: Tx, texts: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const text of texts) ids.push(await resolveGoalId(tx, text));
  return [...new Set(ids)];
}

/** In the backlog, or in todo, with nothing done yet. Throws OwlError `usage`, `unknown-id`, `ambiguous-id`. */
export async function newGoal(
  bench: Workbench,
  tx: Tx,
  title: string,
  asked: Omit<GoalRequest, 'title' | 'request'> & { readonly round: number },
): Promise<Goal> {
  const id = await freshId(bench, tx);
  const feature = asked.feature === undefined ? null : (await findFeature(tx, asked.feature)).id;
  return {
    schema: 1,
    kind: 'goal',
    id,
    revision: 1,
    occurrence: { number: 1, decision: tx.op },
    status: asked.queue ? 'todo' : 'backlog',
    title,
    feature,
    position: await goalPosition(tx, { id, feature }, asked.order),
    priority: asked.priority ?? 'medium',
    needs: await resolveGoals(tx, asked.needs),
    owner: null,
    labels: [...new Set(asked.labels)],
    wish: { target: asked.target ?? null, remote: asked.remote ?? null },
    target: null,
    round: asked.round,
    base: null,
    candidate: null,
    gates: { quality: null, governance: null },
    integration: null,
    reason: null,
    failed_in: null,
    window: null,
    allow_guarded: null,
    claim: null,
    chain: 0,
    created: tx.now,
    updated: tx.now,
    closed: null,
  };
}
