// Skills bound to the life of a Goal: decisions only record what is due; `run` and `goal advance` carry it out, before the Goal leaves
// that status. What a Skill comes to decides nothing: it may ask for a decision as anybody (G42, G61 to G63).

import { loadPolicy } from '../../config/load.js';
import { isOwlError } from '../../domain/errors.js';
import type { Oid, RefName } from '../../domain/git.js';
import type { Goal } from '../../domain/goal.js';
import { isAutomated } from '../../domain/goal-machine.js';
import { boundTo, type Invocation, isOfOccurrence } from '../../domain/invocation.js';
import type { LoadedPolicy, Skill } from '../../domain/policy.js';
import { hasOwnCheckout, isHandler, type Moment, statusEvent } from '../../domain/skill.js';
import type { Tx } from '../../state/types.js';
import { isAlive } from '../../system/processes.js';
import { cloneId, knownClone } from '../clone.js';
import { foundGoal } from '../goals.js';
import { currentPolicy } from '../policy.js';
import { endStarted } from '../run/recover.js';
import { bindSkills } from '../skill/bind.js';
import { ownSource, ownWorkspace } from '../skill/checkout.js';
import { runJobSkills } from '../skill/job-skills.js';
import { endInvocation } from '../skill/record.js';
import { isTrusted } from '../trusted.js';
import type { Workbench } from '../workbench.js';
import type { Workspace } from '../workspace/types.js';
import { carryOutSkill } from './carry-skill.js';
import { pinnedPolicy, wishOfGoal } from './current-target.js';
import { roundWorkspace } from './round-workspace.js';

/** What says where the configuration of a Goal is. */
type Bound = Pick<Goal, 'id' | 'base' | 'target' | 'wish'>;

/** What binds Skills of this Goal: what it pinned, else its target as it is known here. Nothing is fetched. Null: it cannot be read. */
export async function skillPolicy(bench: Workbench, goal: Bound): Promise<LoadedPolicy | null> {
  try {
    if (goal.base !== null && goal.target !== null) return await pinnedPolicy(bench, goal);
    return (await currentPolicy(bench, await wishOfGoal(bench, goal))).loaded;
  } catch (error) {
    if (isOwlError(error)) return null;
    throw error;
  }
}

export interface Binder {
  readonly loaded: LoadedPolicy;
  readonly clone: string;
}

/** Ready before a write that may bind something; null: nothing is bound to the life of Goals here. */
export async function openBinder(bench: Workbench, goal: Bound): Promise<Binder | null> {
  const loaded = await skillPolicy(bench, goal);
  const any = loaded?.policy.skills.some(({ kind, on }) => kind === 'executable' && on.startsWith('workflow.'));
  return loaded === null || any !== true ? null : { loaded, clone: await cloneId(bench) };
}

/** Records what is due at these events, once: a second call finds it. Nothing is started (G61). */
export async function bindEvents(
  tx: Tx,
  goal: Goal,
  binder: Binder,
  events: readonly string[],
): Promise<readonly Invocation[]> {
  const { loaded, clone } = binder;
  const skills = events.flatMap((event) => boundTo(loaded.policy.skills, event));
  if (skills.length === 0) return [];
  const known = new Set((await tx.invocations(goal.id)).map(({ id }) => id));
  const due = bindSkills(goal, skills, { clone, at: tx.now }).filter(({ id }) => !known.has(id));
  for (const one of due) tx.putInvocation(one);
  return due;
}

/** What is due as the Goal comes to its status, in the write that brings it there. */
export async function bindEntry(tx: Tx, next: Goal, binder: Binder | null): Promise<void> {
  if (binder !== null) await bindEvents(tx, next, binder, [statusEvent(next.status, 'enter')]);
}

/** The same as a write of its own, where the workflow itself brought the Goal here. */
async function bindNow(bench: Workbench, goal: Goal, moments: readonly Moment[]): Promise<void> {
  const binder = await openBinder(bench, goal);
  const events = moments.map((moment) => statusEvent(goal.status, moment));
  if (binder === null || events.every((event) => boundTo(binder.loaded.policy.skills, event).length === 0)) return;
  await bench.store.update({ step: 'skill-bind' }, async (tx) => {
    const now = foundGoal(goal.id, await tx.goal(goal.id));
    const due = isOfOccurrence(goal, now) ? await bindEvents(tx, now, binder, events) : [];
    if (due.length === 0) return;
    const subject = `goal ${goal.id}: due are ${due.map(({ skill }) => skill).join(', ')}`;
    tx.event({ event: 'skill.bound', subject, goal: goal.id, round: now.round === 0 ? undefined : now.round });
  });
}

export interface Skilled {
  /** As it is afterwards: a Skill may have asked for a decision. */
  readonly goal: Goal;
  readonly ran: number;
  readonly notes: readonly string[];
}

/** Recorded for what the Goal is doing now, by this clone, and not ended; handlers are not among them. */
export async function dueSkills(bench: Workbench, goal: Goal): Promise<readonly Invocation[]> {
  const clone = await knownClone(bench);
  return (await (await bench.store.snapshot()).invocations(goal.id)).filter(
    (one) => one.state !== 'ended' && one.clone === clone && !isHandler(one.on) && isOfOccurrence(one, goal),
  );
}

/**
 * Carries out what is due of a Goal, one after the other. `moments`: also binds those. What was started by a dead process of this clone
 * is started again in the checkout that it had (G63). Throws OwlError `workspace` where its place is somebody's.
 */
export async function runSkills(bench: Workbench, begun: Goal, moments: readonly Moment[] = []): Promise<Skilled> {
  if (moments.length > 0) await bindNow(bench, begun, moments);
  const notes: string[] = [];
  const done = new Set<string>();
  for (let ran = 0; ; ran += 1) {
    const goal = foundGoal(begun.id, await (await bench.store.snapshot()).goal(begun.id));
    const due = (await dueSkills(bench, goal)).find(({ id }) => !done.has(id));
    if (due === undefined || bench.signal.aborted) return { goal, ran, notes };
    done.add(due.id);
    const why = await runSkill(bench, goal, due);
    if (why !== null) notes.push(`${due.skill} was not started: ${why}`);
  }
}

/** Why it has to wait; null: it ended. */
async function runSkill(bench: Workbench, goal: Goal, invocation: Invocation): Promise<string | null> {
  const { claim } = invocation;
  if (claim !== null) {
    if (isAlive(claim, await bench.environment.process()) !== 'dead')
      return `it is at work, started by process ${claim.pid}`;
    const { foreign } = await endStarted(bench, claim.run);
    if (foreign !== null) return `process group ${foreign} cannot be proven to be its`;
  }
  const now = await skillPolicy(bench, goal);
  if (now === null) return 'its configuration cannot be read here';
  const pinned = hasOwnCheckout(invocation.on)
    ? await ownPolicy(bench, goal, invocation)
    : { loaded: now, owned: null };
  if (typeof pinned === 'string') return pinned;
  const { loaded, owned } = pinned;
  const skill = skillOf(loaded, invocation);
  if (skill === null) return never(bench, invocation, 'the configuration does not bind it here');
  if (!(await isTrusted(bench, loaded))) return 'its configuration is not trusted here; look at it with git owl trust';
  const place = owned === null ? await roundWorkspace(bench, goal, loaded) : await ownWorkspace(bench, owned, loaded);
  if (typeof place === 'string') return never(bench, invocation, place);
  return carryOut(bench, goal, owned === null ? invocation : owned, skill, loaded, place);
}

const skillOf = ({ policy }: LoadedPolicy, { on, skill }: Invocation): Skill | null =>
  boundTo(policy.skills, on).find(({ name }) => name === skill) ?? null;

async function never(bench: Workbench, invocation: Invocation, text: string): Promise<null> {
  bench.say(`goal ${invocation.goal}: ${invocation.skill} for ${invocation.on} is not started: ${text}`);
  await endInvocation(bench, invocation, { outcome: 'never-ran', exit: null, text, pins: [] });
  return null;
}

/** Pinned to the target and to one commit of it, from which its configuration is read too (G62). */
async function ownPolicy(bench: Workbench, goal: Goal, invocation: Invocation) {
  const { repository, environment } = bench;
  let { source } = invocation;
  if (source === null) {
    const { at } = await currentPolicy(bench, await wishOfGoal(bench, goal));
    source = { ref: at.ref, oid: at.oid };
  }
  const owned = await ownSource(bench, invocation, source);
  const { ref, oid } = owned.source;
  return { owned, loaded: await loadPolicy({ repository, environment, commit: oid as Oid, ref: ref as RefName }) };
}

const carryOut = (
  bench: Workbench,
  goal: Goal,
  invocation: Invocation,
  skill: Skill,
  loaded: LoadedPolicy,
  workspace: Workspace,
): Promise<string | null> =>
  carryOutSkill(bench, {
    goal,
    invocation,
    skill,
    loaded,
    workspace,
    left: skill.timeout.ms,
    event: { deadline: null, reason: null, target: invocation.source },
  });

/**
 * What is due of Goals that no step carries: `run` carries it out before it takes anything. One Goal's trouble does not stop the next:
 * it is said.
 */
export async function runDueSkills(bench: Workbench): Promise<void> {
  const closed = await runJobSkills(bench);
  for (const goal of await (await bench.store.snapshot()).openGoals())
    if (!isAutomated(goal.status)) await runDueOf(bench, goal);
  for (const { goal, done } of closed) {
    const found = await (await bench.store.snapshot()).goal(goal);
    const waits = found.kind === 'found' && !(await runDueOf(bench, found.record));
    if (!waits) await done();
  }
}

/** Is nothing due of it any more? */
export async function runDueOf(bench: Workbench, goal: Goal): Promise<boolean> {
  if (bench.signal.aborted) return false;
  try {
    const after = await runSkills(bench, goal);
    for (const note of after.notes) bench.say(`goal ${goal.id}: ${note}`);
    return (await dueSkills(bench, after.goal)).length === 0;
  } catch (error) {
    if (!isOwlError(error)) throw error;
    bench.say(error.message);
    return false;
  }
}

/** Before a step begins, and before the Goal leaves a status: does its occurrence still stand then? */
export async function passMoments(bench: Workbench, goal: Goal, moments: readonly Moment[]): Promise<boolean> {
  const { goal: after, notes } = await runSkills(bench, goal, moments);
  for (const note of notes) bench.say(`goal ${goal.id}: ${note}`);
  return isOfOccurrence(goal, after);
}
