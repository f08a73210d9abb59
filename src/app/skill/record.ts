// The records of a Skill or handler that runs: started once, ended once, and settled where its process died (G41; 01, Liveness).

import type { Oid } from '../../domain/git.js';
import type { Goal } from '../../domain/goal.js';
import { type Invocation, type InvocationOutcome, isOfOccurrence } from '../../domain/invocation.js';
import { isHandler } from '../../domain/skill.js';
import type { Pin, Tx } from '../../state/types.js';
import { failpoint } from '../../system/failpoint.js';
import { isAlive } from '../../system/processes.js';
import { foundGoal } from '../goals.js';
import { forget } from '../run/forget.js';
import { logFiles } from '../run/kept-log.js';
import { endStarted } from '../run/recover.js';
import { scratchOf } from '../run/scratch.js';
import type { Workbench } from '../workbench.js';

export const findInvocation = async (
  tx: Tx,
  { goal, id }: Pick<Invocation, 'goal' | 'id'>,
): Promise<Invocation | null> => (await tx.invocations(goal)).find((one) => one.id === id) ?? null;

const nameOf = ({ goal, skill, on }: Invocation): string => `goal ${goal}: ${skill}, bound to ${on},`;

export interface StartOf {
  readonly goal: Goal;
  readonly invocation: Invocation;
  /** Marks its processes, and names its scratch folder. */
  readonly marker: string;
  /** Where the branch of its checkout stands: kept, whatever it does there. */
  readonly tip: Oid;
}

/**
 * The start record, before the process. Null: it has one already, or another decision came: then it never runs.
 * A repeated call of a killed process finds the record and starts nothing.
 */
export async function startInvocation(bench: Workbench, start: StartOf): Promise<Invocation | null> {
  const { goal, invocation, marker, tip } = start;
  const identity = await bench.environment.process();
  await failpoint('skill.before-start');
  const updated = await bench.store.update<Invocation | null>({ step: 'skill-start' }, async (tx) => {
    const now = foundGoal(goal.id, await tx.goal(goal.id));
    const found = await findInvocation(tx, invocation);
    if (found === null || !isOfOccurrence(found, now)) return null;
    // A handler is never started twice; a Skill goes on where a dead process left it (G41, G63).
    const again = found.state === 'started' && !isHandler(found.on) && found.claim?.run === invocation.claim?.run;
    if (found.state !== 'waiting' && !again) return null;
    tx.keep({ job: goal.id, commit: tip, subject: `tip before ${found.skill} ${found.id}` });
    const claim = { run: marker, ...identity, since: tx.now };
    const started: Invocation = { ...found, state: 'started', started: found.started ?? tx.now, claim };
    tx.putInvocation(started);
    tx.event({
      event: 'skill.started',
      subject: `${nameOf(found)} starts`,
      goal: goal.id,
      round: found.round,
      run: marker,
    });
    return started;
  });
  await failpoint('skill.after-start');
  return updated.result;
}

export interface EndOf {
  readonly outcome: InvocationOutcome;
  readonly exit: number | null;
  readonly text: string | null;
  /** What it printed, and what it left. */
  readonly pins: readonly Pin[];
}

/** Its end; nothing where that is recorded already. */
export async function endInvocation(bench: Workbench, invocation: Invocation, end: EndOf): Promise<void> {
  await failpoint('skill.before-end');
  await bench.store.update({ step: 'skill-end' }, async (tx) => {
    const found = await findInvocation(tx, invocation);
    if (found === null || found.state === 'ended') return;
    for (const pin of end.pins) tx.keep(pin);
    tx.putInvocation(ended(found, end, tx.now));
    tx.event({
      event: 'skill.ended',
      subject: `${nameOf(found)} ${sayOutcome(end.outcome)}${end.text === null ? '' : `: ${end.text}`}`,
      goal: found.goal,
      round: found.round,
      ...(found.claim === null ? {} : { run: found.claim.run }),
    });
  });
  await failpoint('skill.after-end');
}

/** Those that have no start record will have none: in the write of whatever decided that. Returns their names. */
export async function closeWaiting(tx: Tx, goal: Goal, clone: string | null, text: string): Promise<readonly string[]> {
  const waiting = (await tx.invocations(goal.id)).filter((one) => one.state === 'waiting' && isOfOccurrence(one, goal));
  for (const one of waiting)
    if (one.clone === clone) tx.putInvocation(ended(one, { outcome: 'never-ran', exit: null, text }, tx.now));
  return waiting.map(({ skill }) => skill);
}

const ended = (one: Invocation, end: Pick<EndOf, 'outcome' | 'exit' | 'text'>, at: string): Invocation => ({
  ...one,
  state: 'ended',
  outcome: end.outcome,
  exit: end.exit,
  text: end.text?.slice(0, 1000) ?? null,
  ended: at,
});

const sayOutcome = (outcome: InvocationOutcome): string => (outcome === 'never-ran' ? 'never ran' : outcome);

/** Subject of what it printed. */
export const logSubject = (invocation: Pick<Invocation, 'id' | 'skill'>): string =>
  `log of ${invocation.skill} ${invocation.id}`;

/**
 * Ends what dead processes of this clone left running, and says so in their records. Those that live are returned: nothing else may
 * work in their checkout.
 */
export async function settleDeadInvocations(
  bench: Workbench,
  goal: string,
  clone: string | null,
): Promise<readonly Invocation[]> {
  const live: Invocation[] = [];
  const here = await bench.environment.process();
  for (const one of await (await bench.store.snapshot()).invocations(goal)) {
    if (one.state !== 'started' || one.claim === null || one.clone !== clone || !isHandler(one.on)) continue;
    const dead = isAlive(one.claim, here) === 'dead' && (await endStarted(bench, one.claim.run)).foreign === null;
    if (!dead) {
      live.push(one);
      continue;
    }
    const files = new Map(await logFiles(scratchOf(bench, one.claim.run)));
    const pins = files.size === 0 ? [] : [{ job: goal, commit: null, subject: logSubject(one), files }];
    await endInvocation(bench, one, { outcome: 'interrupted', exit: null, text: DIED, pins });
    await forget(bench, one.claim.run);
  }
  return live;
}

const DIED = 'git owl was ended while it ran; it is not started again';
