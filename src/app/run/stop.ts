// `stop`: ends what is live on this host; its own `git owl` settles it, or we do when that is gone (J18, 01 Liveness).

import { OwlError } from '../../domain/errors.js';
import type { Goal } from '../../domain/goal.js';
import type { Claim, Job } from '../../domain/job.js';
import type { Snapshot } from '../../state/types.js';
import { isAlive } from '../../system/processes.js';
import { settleDeadGoal } from '../goal/dead.js';
import type { Work } from '../goals.js';
import { type Here, type LiveInvocation, liveInvocation, whereWeAre } from '../skill/live.js';
import { endInvocation, settleDeadInvocations } from '../skill/record.js';
import type { Workbench } from '../workbench.js';
import { settleDead } from './recover.js';
import { askToStop, forgetStop } from './stop-note.js';

export interface Stopped {
  readonly kind: 'job' | 'goal';
  readonly id: string;
  readonly how: 'stopped' | 'was dead' | 'forced' | 'elsewhere' | 'did not answer';
  readonly note: string;
}

/**
 * A Job with a live Run, or a Goal in a step that somebody carries; the Run of its Round is part of that step. `invocation`: what is at
 * work of a Goal that no step carries.
 */
type Live = Work & { readonly claim: Claim; readonly invocation?: LiveInvocation };
type LiveGoal = Extract<Live, { kind: 'goal' }>;
type Records = Pick<Snapshot, 'openJobs' | 'openGoals' | 'invocations'>;

type Bench = Pick<Workbench, 'environment' | 'notes'>;

/** Milliseconds that a live Run gets to settle itself: its agent has 5 s, and settling takes a moment. */
const PATIENCE = 20_000;

/** Everything that is carried, in queue order, Goals first. */
export async function liveWork(bench: Bench, snapshot: Records): Promise<readonly Live[]> {
  const here = await whereWeAre(bench);
  const found = (await snapshot.openGoals()).map((goal) => liveGoal(here, snapshot, goal));
  const goals = (await Promise.all(found)).filter((one) => one !== null);
  const carried = new Set(goals.map(({ goal }) => goal.id));
  const jobs = (await snapshot.openJobs()).filter((job) => job.goal === null || !carried.has(job.goal));
  return [...goals, ...jobs.flatMap((job) => liveJob(job) ?? [])];
}

async function liveGoal(here: Here, snapshot: Records, goal: Goal): Promise<LiveGoal | null> {
  if (goal.claim !== null) return { kind: 'goal', goal, claim: goal.claim };
  const invocation = await liveInvocation(here, snapshot, goal);
  return invocation === null ? null : { kind: 'goal', goal, claim: invocation.claim, invocation };
}

const liveJob = (job: Job): Extract<Live, { kind: 'job' }> | null =>
  job.state !== 'active' || job.claim === null ? null : { kind: 'job', job, claim: job.claim };

/** What of this is carried now; null: nothing is. */
export const findLive = async (bench: Bench, snapshot: Records, work: Work): Promise<Live | null> =>
  work.kind === 'goal' ? liveGoal(await whereWeAre(bench), snapshot, work.goal) : liveJob(work.job);

/** Throws OwlError `wrong-state` when nothing of it is carried. */
export async function liveOf(bench: Bench, snapshot: Records, work: Work): Promise<Live> {
  const live = await findLive(bench, snapshot, work);
  if (live !== null) return live;
  const said =
    work.kind === 'goal'
      ? `goal ${work.goal.id} is ${work.goal.status}; nobody carries it`
      : `job ${work.job.id} is ${work.job.state}; no Run of it is live`;
  throw new OwlError('wrong-state', said, { next: [`git owl show ${idOf(work)}`] });
}

const idOf = (work: Work): string => (work.kind === 'goal' ? work.goal.id : work.job.id);
/** What ends, in the words of a report. */
export const partOf = (live: Live): string =>
  live.invocation?.skill ?? (live.kind === 'goal' ? `its ${live.goal.status}` : 'its Run');

/**
 * Asks the process of a live Run, or of a Goal's step, to stop and waits until it has settled. A claim of another host is reported,
 * and settled only with `force`, after its last sign of life was shown. Where the process carries others too, it is asked for this
 * one alone; with `asked`, the processes that were asked already, all of its work is to end and one signal does that.
 */
export async function stopWork(
  bench: Workbench,
  live: Live,
  force: boolean,
  asked: Set<number> | null = null,
): Promise<Stopped> {
  const { kind, claim } = live;
  const id = idOf(live);
  const ended = (how: Stopped['how'], note: string): Stopped => ({ kind, id, how, note });
  const what = partOf(live);
  const alive = isAlive(claim, await bench.environment.process());
  if (alive === 'elsewhere') {
    const where = `${what} is on ${claim.host}, last sign of life ${claim.since}`;
    if (!force) return ended('elsewhere', where);
    bench.say(`${kind} ${id}: ${where}`);
    await settle(bench, live, 'settled by stop --force');
    return ended('forced', `settled without an answer from ${claim.host}`);
  }
  if (alive === 'dead') {
    await settle(bench, live, `the process of ${what} is gone`);
    return ended('was dead', `${what} was dead; settled`);
  }
  const others = (await liveWork(bench, await bench.store.snapshot())).filter((other) => idOf(other) !== id);
  const shared = asked === null && others.some((other) => isSameProcess(other.claim, claim));
  if (shared) await askToStop(bench, { id, run: claim.run });
  else if (asked?.has(claim.pid) !== true) signalTo(claim.pid, 'SIGTERM');
  asked?.add(claim.pid);
  try {
    return ended(...(await waitForEnd(bench, live, force)));
  } finally {
    if (shared) await forgetStop(bench, id);
  }
}

const isSameProcess = (one: Claim, other: Claim): boolean =>
  one.pid === other.pid && one.start === other.start && one.boot === other.boot;

async function settle(bench: Workbench, live: Live, why: string): Promise<void> {
  if (live.invocation !== undefined) {
    const here = await whereWeAre(bench);
    await settleDeadInvocations(bench, live.invocation.goal, here.clone);
    if (isAlive(live.claim, here.identity) === 'elsewhere')
      await endInvocation(bench, live.invocation, { outcome: 'interrupted', exit: null, text: why, pins: [] });
  } else if (live.kind === 'goal') await settleDeadGoal(bench, live.goal, why);
  else await settleDead(bench, live.job, why);
}

/** It may have ended since it was looked at: then there is nothing to end. */
function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function waitForEnd(bench: Workbench, live: Live, force: boolean): Promise<[Stopped['how'], string]> {
  const { claim } = live;
  const what = partOf(live);
  const deadline = bench.clock.elapsed() + PATIENCE;
  while (bench.clock.elapsed() < deadline) {
    await bench.clock.sleep(100, bench.signal);
    if (bench.signal.aborted) break;
    const now = await lookAgain(bench, live);
    if (now === null || now.claim.run !== claim.run) return ['stopped', `${what} was stopped`];
    if (isAlive(claim, await bench.environment.process()) === 'dead') {
      await settle(bench, now, `the process of ${what} is gone`);
      return ['stopped', `${what} was stopped`];
    }
  }
  if (force) {
    signalTo(claim.pid, 'SIGKILL');
    await bench.clock.sleep(500);
    await settle(bench, (await lookAgain(bench, live)) ?? live, 'settled by stop --force');
    return ['forced', 'it did not answer and was ended'];
  }
  return ['did not answer', `process ${claim.pid} was asked to stop and still lives`];
}

async function lookAgain(bench: Workbench, live: Live): Promise<Live | null> {
  const snapshot = await bench.store.snapshot();
  if (live.kind === 'goal') {
    const found = await snapshot.goal(live.goal.id);
    return found.kind === 'found' ? liveGoal(await whereWeAre(bench), snapshot, found.record) : null;
  }
  const found = await snapshot.job(live.job.id);
  return found.kind === 'found' ? liveJob(found.record) : null;
}
