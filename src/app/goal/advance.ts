// Carries one Goal as far as it can go now: from the queue through plan, implement, quality and governance to review (03).

import { isOwlError, OwlError } from '../../domain/errors.js';
import type { Goal } from '../../domain/goal.js';
import { isAutomated } from '../../domain/goal-machine.js';
import { exitOfGoal } from '../../domain/goal-reasons.js';
import { isOfOccurrence } from '../../domain/invocation.js';
import type { Run } from '../../domain/job.js';
import { foundGoal } from '../goals.js';
import { askTrust } from '../trusted.js';
import type { Workbench } from '../workbench.js';
import { afterLast } from './after-last.js';
import { claimGoal, type GoalClaim, type Held, releaseGoal, whyNotTaken } from './claim.js';
import { type CurrentTarget, currentTarget } from './current-target.js';
import { endDeadWork } from './dead.js';
import { governanceStep } from './governance.js';
import { runHandlers } from './handlers.js';
import { lookAtGoal } from './look.js';
import { qualityStep } from './quality.js';
import { roundStep } from './round.js';
import { sayStep } from './say-step.js';
import { dueSkills, passMoments, runSkills, type Skilled } from './skills.js';
import { startGoal } from './start.js';
import type { StepResult } from './step.js';
import { settleWindow } from './windows.js';

export interface GoalUnit {
  readonly kind: 'goal';
  readonly goal: Goal;
  /** Runs of its Round's Job that this command made, in order. */
  readonly runs: readonly Run[];
  /** Statuses that it went through. */
  readonly steps: readonly Goal['status'][];
  readonly exit: number;
  readonly notes: readonly string[];
  /** What kept the last step from being carried out: the Goal stays where it is. */
  readonly trouble: OwlError | null;
}

export type GoalTaken = { readonly kind: 'unit'; readonly result: GoalUnit } | Exclude<GoalClaim, { kind: 'held' }>;

export interface AdvanceOptions {
  /** One status only. */
  readonly step: boolean;
  /** false: it is not integrated, and stays before governance. */
  readonly merge: boolean;
  readonly maxParallel: number | null;
  readonly onClaim?: ((held: Held) => void) | undefined;
}

/**
 * The Goal that somebody named. Throws OwlError `busy` where another process carries it or no place is free, `wrong-state` where
 * there is nothing to carry, `refused` where it waits, and what looking at its target throws. Whatever else a step finds out is a
 * value, and in the Goal's record.
 */
export async function advanceGoal(bench: Workbench, id: string, options: AdvanceOptions): Promise<GoalUnit> {
  let goal = foundGoal(id, await (await bench.store.snapshot()).goal(id));
  if (goal.window !== null) {
    const passed = await passWindow(bench, goal);
    goal = passed.goal;
    if (!goesOn(goal, options)) return { ...NOTHING, goal, exit: exitOfGoal(goal), notes: passed.notes };
  }
  const skilled = await dueFirst(bench, goal);
  if (skilled !== null && (!goesOn(skilled.goal, { ...options, step: false }) || !isOfOccurrence(goal, skilled.goal)))
    return { ...NOTHING, goal: skilled.goal, exit: exitOfGoal(skilled.goal), notes: skilled.notes };
  const taken = await carryGoal(bench, goal, await lookAtGoal(bench, goal), options);
  if (taken.kind !== 'unit') throw whyNotTaken(id, taken);
  if (taken.result.trouble !== null) throw taken.result.trouble;
  return taken.result;
}

/** What is due of a Goal that no step carries; null: nothing was. */
async function dueFirst(bench: Workbench, goal: Goal): Promise<Skilled | null> {
  if (isAutomated(goal.status) || (await dueSkills(bench, goal)).length === 0) return null;
  // Trust is asked for before anything is started.
  await askTrust(bench, (await currentTarget(bench, goal)).current.loaded);
  return runSkills(bench, goal);
}

const NOTHING = { kind: 'goal', runs: [], steps: [], trouble: null } as const;

/** Is there a step of it that this command may carry out now? */
const goesOn = (goal: Goal, options: AdvanceOptions): boolean =>
  goal.window === null && !options.step && (goal.status === 'todo' || isAutomated(goal.status));

/** What is bound to the open window runs; one that is passed is closed. */
async function passWindow(
  bench: Workbench,
  opened: Goal,
): Promise<{ readonly goal: Goal; readonly notes: readonly string[] }> {
  const handled = await runHandlers(bench, opened);
  const { window } = handled.goal;
  if (window === null) return handled;
  const goal = (await settleWindow(bench, handled.goal)) ?? handled.goal;
  return { goal, notes: [...handled.notes, ...(goal.window === null ? [] : [`decide before ${window.deadline}`])] };
}

/**
 * `target`: as `lookAtGoal` found it just now. Where a step fails its handlers run, and what they decide is carried on with. Throws what
 * the store throws, and defects.
 */
export async function carryGoal(
  bench: Workbench,
  found: Goal,
  target: CurrentTarget,
  options: AdvanceOptions,
): Promise<GoalTaken> {
  const first = await carrySteps(bench, found, target, options);
  if (first.kind !== 'unit') return first;
  let unit = first.result;
  while (unit.goal.window !== null && !bench.signal.aborted) {
    const { goal, notes } = await passWindow(bench, unit.goal);
    unit = { ...unit, goal, exit: exitOfGoal(goal), notes: [...unit.notes, ...notes] };
    if (!goesOn(goal, options) || bench.signal.aborted) break;
    // Somebody decided: what it goes on with stands on the target as it is now.
    const looked = await lookAgain(bench, goal);
    const next = 'code' in looked ? looked : await carrySteps(bench, goal, looked, options);
    if ('code' in next) unit = { ...unit, trouble: next, exit: next.exit };
    else if (next.kind !== 'unit') unit = { ...unit, notes: [...unit.notes, whyNotTaken(goal.id, next).message] };
    else
      unit = {
        ...next.result,
        runs: [...unit.runs, ...next.result.runs],
        steps: [...unit.steps, ...next.result.steps],
        notes: [...unit.notes, ...next.result.notes],
      };
    if ('code' in next || next.kind !== 'unit') break;
  }
  const goal = await afterLast(bench, unit.goal);
  return {
    kind: 'unit',
    result: { ...unit, goal, exit: isOfOccurrence(unit.goal, goal) ? unit.exit : exitOfGoal(goal) },
  };
}

async function lookAgain(bench: Workbench, goal: Goal): Promise<CurrentTarget | OwlError> {
  try {
    return await lookAtGoal(bench, goal);
  } catch (error) {
    if (isOwlError(error)) return error;
    throw error;
  }
}

/** Its claim goes from step to step, so that its place is kept. */
async function carrySteps(
  bench: Workbench,
  found: Goal,
  target: CurrentTarget,
  options: AdvanceOptions,
): Promise<GoalTaken> {
  const runs: Run[] = [];
  const steps: Goal['status'][] = [];
  const maxParallel = options.maxParallel ?? target.current.loaded.policy.max_parallel;
  const end = (goal: Goal, more: Partial<GoalUnit> = {}): GoalTaken => ({
    kind: 'unit',
    result: { kind: 'goal', goal, runs, steps, exit: exitOfGoal(goal), notes: [], trouble: null, ...more },
  });
  const recorded = async () => foundGoal(found.id, await (await bench.store.snapshot()).goal(found.id));
  const waits = await endDeadWork(bench, found);
  if (waits !== null) return { kind: 'not-now', error: waits };
  const goal = await recorded();
  // What its dead process had published was found and settled.
  if (goal.status !== 'todo' && !isAutomated(goal.status)) return end(goal);
  if (isHeldBack(goal, options)) return end(goal, { notes: [HELD_BACK] });
  if (goal.status === 'todo') {
    const left = await beforeStart(bench, goal);
    if (left !== null) return { kind: 'not-now', error: left };
  }
  const claimed =
    goal.status === 'todo'
      ? await startGoal(bench, goal, target, maxParallel)
      : await claimGoal(bench, goal.id, maxParallel);
  if (claimed.kind !== 'held') return claimed;
  let { held } = claimed;
  options.onClaim?.(held);
  let onward = goal.status !== 'todo' || !options.step;
  if (goal.status === 'todo') steps.push('todo');
  for (;;) {
    if (!onward || bench.signal.aborted) return end(await releaseGoal(bench, held));
    if (isHeldBack(held.goal, options)) return end(await releaseGoal(bench, held), { notes: [HELD_BACK] });
    // Another runner has the Goal by now: what it says counts (05, S7).
    if (bench.fence !== undefined && !(await bench.fence.holds())) return end(await recorded(), OVERTAKEN);
    steps.push(held.status);
    bench.progress.step(`goal ${goal.id}: ${held.status}`);
    if (!(await passMoments(bench, held.goal, ['enter']))) return end(await recorded(), OVERTAKEN);
    const { result, trouble } = await oneStep(bench, held, maxParallel, (run) => runs.push(run));
    bench.say(sayStep(held, result));
    if (result.kind === 'superseded') return end(await recorded(), OVERTAKEN);
    const { status } = result.goal;
    if (result.kind !== 'on' || !isAutomated(status))
      return end(result.goal, trouble === null ? {} : { trouble, exit: trouble.exit });
    held = { ...held, goal: result.goal, status };
    onward = !options.step;
  }
}

/** What is due in todo runs before it leaves that (G61). Why it may not start then; null: it may. */
async function beforeStart(bench: Workbench, goal: Goal): Promise<OwlError | null> {
  try {
    if (await passMoments(bench, goal, ['enter', 'success', 'exit'])) return null;
    return new OwlError('superseded', `goal ${goal.id} was decided about by a Skill of it`, {
      next: [`git owl show ${goal.id}`],
    });
  } catch (error) {
    if (isOwlError(error)) return error;
    throw error;
  }
}

const OVERTAKEN = { exit: 4, notes: ['another decision came while it ran: what was found out is kept'] };
const HELD_BACK = '--no-merge was given: it is ready for governance, which would integrate it';

const isHeldBack = (goal: Goal, options: AdvanceOptions): boolean => goal.status === 'governance' && !options.merge;

/** What kept a step from being carried out releases the Goal, with why: nothing was found out about it, and the next one goes on. */
async function oneStep(
  bench: Workbench,
  held: Held,
  maxParallel: number,
  onRun: (run: Run) => void,
): Promise<{ readonly result: StepResult; readonly trouble: OwlError | null }> {
  try {
    switch (held.status) {
      case 'plan':
      case 'implement':
        return { result: await roundStep(bench, held, { maxParallel, onRun }), trouble: null };
      case 'quality':
        return { result: await qualityStep(bench, held), trouble: null };
      case 'governance':
        return { result: await governanceStep(bench, held), trouble: null };
    }
  } catch (error) {
    if (!isOwlError(error)) {
      await releaseGoal(bench, held);
      throw error;
    }
    const goal = await releaseGoal(bench, held, { reason: { code: error.code, text: error.message } });
    return { result: { kind: 'waits', goal }, trouble: error };
  }
}
