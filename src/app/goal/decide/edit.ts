// `goal edit`: title, request, place, needs, labels, owner and target of a Goal. While it is at work, a new request supersedes
// whoever works on it (11, Goals).

import { OwlError } from '../../../domain/errors.js';
import type { Goal, Priority } from '../../../domain/goal.js';
import { goalMayHappen, isAutomated, moveGoal, wrongStatus } from '../../../domain/goal-machine.js';
import { titleOf } from '../../../domain/title.js';
import type { Tx, Updated } from '../../../state/types.js';
import { readPrompt } from '../../enqueue.js';
import { currentRound, findFeature, findGoal } from '../../goals.js';
import type { Workbench } from '../../workbench.js';
import { newRound, readTitle, resolveGoals } from '../add.js';
import { decideGoal } from '../control.js';
import { goalPosition } from '../place.js';
import { resolveTarget } from '../target.js';

export interface GoalEdit {
  readonly title: string | undefined;
  readonly request: Buffer | undefined;
  /** null: of no Feature any more. */
  readonly feature: string | null | undefined;
  readonly order: number | undefined;
  readonly priority: Priority | undefined;
  readonly needs: readonly string[] | undefined;
  readonly labels: readonly string[] | undefined;
  /** null: nobody's. */
  readonly owner: string | null | undefined;
  /** null: as the configuration says. */
  readonly target: string | null | undefined;
}

/** Throws OwlError `wrong-state`, `refused`, `usage`, `unknown-id`, `ambiguous-id`, `superseded`. */
export async function editGoal(
  bench: Workbench,
  id: string,
  edit: GoalEdit,
  expectRevision?: number,
): Promise<Updated<Goal>> {
  const title = edit.title === undefined ? undefined : titleOf(readTitle(edit.title));
  const request = edit.request === undefined ? undefined : readPrompt(edit.request);
  const named = await nameTarget(bench, id, edit.target);
  const decision = { goal: id, verb: 'edit', content: { ...edit, request }, expectRevision };
  return decideGoal(bench, decision, async (goal, tx) => {
    if (!goalMayHappen(goal.status, 'edit')) throw wrongStatus(goal, 'edit');
    const change: Partial<Goal> = {
      ...(title === undefined ? {} : { title }),
      ...(request === undefined ? {} : await changeRequest(tx, goal, request)),
      ...(edit.priority === undefined ? {} : { priority: edit.priority }),
      ...(edit.labels === undefined ? {} : { labels: [...new Set(edit.labels)] }),
      ...(edit.owner === undefined ? {} : { owner: edit.owner }),
      ...(edit.needs === undefined ? {} : { needs: await resolveNeeds(tx, goal, edit.needs) }),
      ...(edit.target === undefined ? {} : changeTarget(goal, named)),
      ...(await changePlace(tx, goal, edit)),
    };
    const kept = { reason: goal.reason, failed_in: goal.failed_in };
    const edited = moveGoal(goal, { event: 'edit', to: goal.status, op: tx.op, at: tx.now }, { ...kept, ...change });
    const what = Object.entries(edit).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    // Its place, labels and needs are no decision about what is done: who works on it, and what is due, stay (01).
    const decided = isAutomated(goal.status) || what.some((name) => DECIDES.has(name));
    const next = decided ? edited : { ...edited, occurrence: goal.occurrence };
    return { goal: next, event: 'goal.edited', said: `edited: ${what.join(', ')}` };
  });
}

/** What is asked for, of whom, and where it goes. */
const DECIDES: ReadonlySet<string> = new Set(['title', 'request', 'owner', 'target'] satisfies (keyof GoalEdit)[]);

/** The current Round's request, or a first Round. One that was integrated stays as it was answered: a new Round asks for more. */
async function changeRequest(tx: Tx, goal: Goal, request: string): Promise<Partial<Goal>> {
  if (goal.status === 'review') {
    throw new OwlError('refused', `round ${goal.round} of goal ${goal.id} is integrated; a new round asks for more`, {
      preserved: ['nothing was changed'],
      next: [`git owl goal decline ${goal.id} "<what to do better>"`],
    });
  }
  const round = await currentRound(tx, goal);
  if (round === null) {
    tx.putRound(newRound(goal.id, 1, request, 'add', tx.now));
    return { round: 1 };
  }
  tx.putRound({ ...round, request });
  return {};
}

/** A branch that is there, as `goal add` resolves it. Throws OwlError `missing-base`, `reserved-name`, `usage`, `configuration`. */
async function nameTarget(bench: Workbench, id: string, target: GoalEdit['target']): Promise<Partial<Goal['wish']>> {
  if (typeof target !== 'string') return { target: null };
  const { wish } = await findGoal(await bench.store.snapshot(), id);
  return (await resolveTarget(bench, { ...wish, target })).wish;
}

function changeTarget(goal: Goal, wish: Partial<Goal['wish']>): Partial<Goal> {
  if (goal.target === null) return { wish: { ...goal.wish, ...wish } };
  throw new OwlError('refused', `the target of goal ${goal.id} was fixed when it left todo`, {
    preserved: ['nothing was changed'],
    // One that is integrated goes nowhere by itself: a new Round takes its target as it is wished then.
    next: [
      goalMayHappen(goal.status, 'move')
        ? `git owl goal move ${goal.id} backlog`
        : `git owl goal decline ${goal.id} "<what to do better>"`,
    ],
  });
}

async function changePlace(tx: Tx, goal: Goal, edit: GoalEdit): Promise<Partial<Goal>> {
  if (edit.feature === undefined && edit.order === undefined) return {};
  const feature =
    edit.feature === undefined ? goal.feature : edit.feature === null ? null : (await findFeature(tx, edit.feature)).id;
  if (edit.order === undefined && feature === goal.feature) return {};
  return { feature, position: await goalPosition(tx, { id: goal.id, feature }, edit.order) };
}

/** Throws OwlError `usage` where two Goals would wait for each other for ever. */
async function resolveNeeds(tx: Tx, goal: Goal, texts: readonly string[]): Promise<readonly string[]> {
  const ids = await resolveGoals(tx, texts);
  for (const id of ids) {
    if (!(await reaches(tx, id, goal.id, new Set()))) continue;
    const why = id === goal.id ? 'it is itself' : `${id} needs ${goal.id}`;
    throw new OwlError('usage', `goal ${goal.id} cannot need ${id}: ${why}`);
  }
  return ids;
}

async function reaches(tx: Tx, from: string, to: string, seen: Set<string>): Promise<boolean> {
  if (from === to) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  const loaded = await tx.goal(from);
  if (loaded.kind !== 'found') return false;
  for (const need of loaded.record.needs) if (await reaches(tx, need, to, seen)) return true;
  return false;
}
