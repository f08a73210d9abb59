// The handlers of an open Error event: each without a start record is started once in what is left of the window, in the Round's
// admitted worktree; that it succeeds decides nothing (G41, G62).

import { isDue, leftOf } from '../../domain/error-window.js';
import { isOwlError } from '../../domain/errors.js';
import type { ErrorWindow, Evidence, Goal } from '../../domain/goal.js';
import { boundTo, type Invocation, isOfOccurrence } from '../../domain/invocation.js';
import type { LoadedPolicy, Skill } from '../../domain/policy.js';
import { knownClone } from '../clone.js';
import { foundGoal } from '../goals.js';
import { endInvocation, settleDeadInvocations } from '../skill/record.js';
import { isTrusted } from '../trusted.js';
import type { Workbench } from '../workbench.js';
import type { Workspace } from '../workspace/types.js';
import { carryOutSkill, type SkillWork } from './carry-skill.js';
import { pinnedPolicy } from './current-target.js';
import { roundWorkspace } from './round-workspace.js';

/**
 * Runs what is bound to the window that is open, one after the other, until one of them, or anybody else, decides. Returns the Goal as
 * it is then, and why something of it did not run.
 */
export async function runHandlers(
  bench: Workbench,
  opened: Goal,
): Promise<{ readonly goal: Goal; readonly notes: readonly string[] }> {
  const notes: string[] = [];
  const clone = await knownClone(bench);
  const live = await settleDeadInvocations(bench, opened.id, clone);
  notes.push(...live.map((one) => `${one.skill} is at work, started by process ${one.claim?.pid ?? 'unknown'}`));
  for (;;) {
    const snapshot = await bench.store.snapshot();
    const goal = foundGoal(opened.id, await snapshot.goal(opened.id));
    const { window } = goal;
    const over = window === null || isDue(window, bench.clock.now()) || bench.signal.aborted || live.length > 0;
    const waiting = over
      ? undefined
      : (await snapshot.invocations(goal.id)).find(
          (one) =>
            one.state === 'waiting' && one.clone === clone && one.on === window?.event && isOfOccurrence(one, goal),
        );
    if (window === null || waiting === undefined) return { goal, notes };
    const why = await runHandler(bench, goal, window, waiting);
    if (why !== null) {
      notes.push(`${waiting.skill} was not started: ${why}`);
      return { goal: foundGoal(goal.id, await (await bench.store.snapshot()).goal(goal.id)), notes };
    }
  }
}

/** What was bound to an open window and never started, because the process that opened it died (G41). */
export async function resumeHandlers(bench: Workbench): Promise<void> {
  for (const goal of await (await bench.store.snapshot()).openGoals())
    if (goal.window !== null)
      for (const note of (await runHandlers(bench, goal)).notes) bench.say(`goal ${goal.id}: ${note}`);
}

/** Why it has to wait; null: it ended, or will never run, and its record says how. */
async function runHandler(
  bench: Workbench,
  goal: Goal,
  window: ErrorWindow,
  invocation: Invocation,
): Promise<string | null> {
  const never = async (text: string): Promise<null> => {
    await endInvocation(bench, invocation, { outcome: 'never-ran', exit: null, text, pins: [] });
    return null;
  };
  const ready = await prepare(bench, goal, invocation);
  if (ready.kind === 'waits') return ready.why;
  if (ready.kind === 'never') return never(ready.why);
  const { skill, loaded, workspace } = ready;
  const left = Math.max(1, leftOf(window, bench.clock.now()));
  const event = await failureOf(bench, goal, window);
  return carryOutSkill(bench, { goal, invocation, skill, loaded, workspace, left, event });
}

type Ready =
  | {
      readonly kind: 'ready';
      readonly skill: Skill;
      readonly loaded: LoadedPolicy;
      readonly workspace: Workspace;
    }
  /** Somebody can mend it while the window is open. */
  | { readonly kind: 'waits'; readonly why: string }
  | { readonly kind: 'never'; readonly why: string };

async function prepare(bench: Workbench, goal: Goal, invocation: Invocation): Promise<Ready> {
  const policy = await policyOf(bench, goal);
  if (typeof policy === 'string') return { kind: 'waits', why: policy };
  const skill = boundTo(policy.policy.skills, invocation.on).find(({ name }) => name === invocation.skill);
  if (skill === undefined) return { kind: 'never', why: 'the configuration does not bind it here' };
  if (!(await isTrusted(bench, policy)))
    return { kind: 'waits', why: 'its configuration is not trusted here; look at it with git owl trust' };
  const workspace = await roundWorkspace(bench, goal, policy);
  if (typeof workspace === 'string') return { kind: 'waits', why: workspace };
  return { kind: 'ready', skill, loaded: policy, workspace };
}

async function policyOf(bench: Workbench, goal: Goal): Promise<LoadedPolicy | string> {
  try {
    return await pinnedPolicy(bench, goal);
  } catch (error) {
    if (isOwlError(error)) return error.message;
    throw error;
  }
}

async function failureOf(bench: Workbench, goal: Goal, window: ErrorWindow): Promise<SkillWork['event']> {
  const evidence = await (await bench.store.snapshot()).evidence(goal.id);
  const failed: Evidence | undefined = evidence.find(({ id }) => id === window.evidence);
  const { onto } = failed?.reason ?? {};
  const seen = onto?.oid ?? failed?.commits.target_before ?? null;
  return {
    deadline: window.deadline,
    target: seen === null ? null : { ref: onto?.ref ?? goal.base?.ref ?? null, oid: seen },
    reason: failed?.reason ?? goal.reason,
  };
}
