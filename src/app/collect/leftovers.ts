// What killed commands left for the next one that writes: intents, checkouts that wait, merges, dead Runs and claims (M1, M2).

import { type Item, keepIt, verdict } from '../../domain/collect.js';
import { isOwlError } from '../../domain/errors.js';
import { branchRef, type RefName } from '../../domain/git.js';
import type { Goal } from '../../domain/goal.js';
import type { Claim, Job } from '../../domain/job.js';
import { roundBranch } from '../../domain/names.js';
import { LOCAL_PREFIX } from '../../state/layout.js';
import { failpoint } from '../../system/failpoint.js';
import { isAlive } from '../../system/processes.js';
import { settleDeadGoal } from '../goal/dead.js';
import { closeStartedTwice, findStartedTwice, sayStartedTwice } from '../goal/started-twice.js';
import { jobRef } from '../jobs.js';
import { settleLeftovers } from '../leftovers.js';
import { settleDead } from '../run/recover.js';
import type { Workbench } from '../workbench.js';
import type { Collected } from './act.js';

const KINDS: Readonly<Record<string, string>> = {
  intents: 'an operation that was interrupted, or is under way',
  follow: 'a branch that moves, or waits to move, with its checkouts',
  landing: 'a merge that was interrupted, or is under way',
  locks: 'an index lock of git owl',
};

/** Notes of this clone that say that something is not finished. */
async function openNotes(bench: Workbench): Promise<readonly Item[]> {
  const notes = await bench.notes.list('');
  return notes.flatMap(({ name }): Item[] => {
    const what = KINDS[name.split('/', 1)[0] ?? ''];
    if (what === undefined) return [];
    const detail = `${what}; the next command that writes settles what can be settled`;
    return [
      {
        kind: 'note',
        subject: `${LOCAL_PREFIX}${name}`,
        owner: null,
        ...verdict('settle', 'interrupted', detail),
        proof: [],
      },
    ];
  });
}

/** Settles them as every writing command does. What is still there afterwards is unfinished, and told. */
export async function settleNotes(bench: Workbench): Promise<readonly Collected[]> {
  const before = await openNotes(bench);
  if (before.length === 0 || bench.dryRun) return before.map((item) => ({ ...item, result: 'planned' }));
  await failpoint('gc.before-settle');
  let failed: string | null = null;
  try {
    await settleLeftovers(bench);
  } catch (error) {
    if (!isOwlError(error)) throw error;
    failed = error.message;
  }
  await failpoint('gc.after-settle');
  const left = new Set((await openNotes(bench)).map((item) => item.subject));
  return before.map((item): Collected => {
    if (!left.has(item.subject)) return { ...item, detail: 'it is finished, or void', result: 'done' };
    const detail =
      failed ?? `${KINDS[item.subject.slice(LOCAL_PREFIX.length).split('/', 1)[0] ?? ''] ?? 'it'}; it is not finished`;
    return { ...item, ...verdict('report', 'unfinished-move', detail), result: 'kept' };
  });
}

/** Live and dead Runs; dead ones are settled, unless their agent cannot be proven ended (J5). One never stops the others. */
export async function settleRuns(bench: Workbench): Promise<readonly Collected[]> {
  const results: Collected[] = [];
  for (const job of await (await bench.store.snapshot()).openJobs()) {
    if (job.state !== 'active') continue;
    const item = await runItem(bench, job);
    if (item.action !== 'settle-run') results.push({ ...item, result: 'none' });
    else if (bench.dryRun || bench.signal.aborted) results.push({ ...item, result: 'planned' });
    else results.push(await settleRunOf(bench, job, item));
  }
  return results;
}

async function settleRunOf(bench: Workbench, job: Job, item: Item): Promise<Collected> {
  await failpoint('gc.before-settle-run');
  try {
    const detail = await settleDead(bench, job, 'git owl was ended while it ran');
    await failpoint('gc.after-settle-run');
    const now = await (await bench.store.snapshot()).job(job.id);
    // Still claimed by the same Run: its agent's group could not be proven ours, and the Job waits.
    const waits = now.kind === 'found' && now.record.claim?.run === job.claim?.run;
    if (waits) return { ...item, ...verdict('report', 'group-not-ours', detail), result: 'kept' };
    return { ...item, detail, result: 'done' };
  } catch (error) {
    if (!isOwlError(error)) throw error;
    return { ...item, ...keepIt('inspection-failed', error.message), result: 'kept' };
  }
}

const runItem = (bench: Workbench, job: Job): Promise<Item> =>
  claimItem(bench, { subject: jobRef(job), id: job.id, named: `job ${job.id}`, its: 'Run', claim: job.claim });

/** Whatever the step of a Goal is that its process died in: what it started is ended, and nobody carries it (01, Liveness). */
export async function settleClaims(bench: Workbench): Promise<readonly Collected[]> {
  const results: Collected[] = [];
  for (const goal of await (await bench.store.snapshot()).openGoals()) {
    if (goal.claim === null) continue;
    const item = await claimItem(bench, {
      subject: branchRef(roundBranch(goal.id, goal.round)),
      id: goal.id,
      named: `goal ${goal.id}`,
      its: goal.status,
      claim: goal.claim,
    });
    if (item.action !== 'settle-run') results.push({ ...item, result: 'none' });
    else if (bench.dryRun || bench.signal.aborted) results.push({ ...item, result: 'planned' });
    else results.push(await settleClaimOf(bench, goal, item));
  }
  return results;
}

async function settleClaimOf(bench: Workbench, goal: Goal, item: Item): Promise<Collected> {
  await failpoint('gc.before-settle-claim');
  try {
    const detail = await settleDeadGoal(bench, goal, 'git owl was ended while it ran');
    await failpoint('gc.after-settle-claim');
    const now = await (await bench.store.snapshot()).goal(goal.id);
    // What it started could not be proven ours, and the Goal waits.
    const waits = now.kind === 'found' && now.record.claim?.run === goal.claim?.run;
    if (waits) return { ...item, ...verdict('report', 'group-not-ours', detail), result: 'kept' };
    return { ...item, detail, result: 'done' };
  } catch (error) {
    if (!isOwlError(error)) throw error;
    return { ...item, ...keepIt('inspection-failed', error.message), result: 'kept' };
  }
}

/** Jobs of a Round that another clone started too, where that start counts: closed, unless a merge before did it (05, S4). */
export async function settleStarts(bench: Workbench): Promise<readonly Collected[]> {
  const found = await findStartedTwice(bench, await bench.store.snapshot());
  if (found.length > 0 && !bench.dryRun) await closeStartedTwice(bench);
  return found.map((one): Collected => {
    const of = { kind: 'run', subject: jobRef(one.job), owner: one.job.id } as const;
    const told = verdict('settle-run', 'started-twice', `job ${one.job.id} is cancelled: ${sayStartedTwice(one)}`);
    return { ...of, ...told, proof: [], result: bench.dryRun ? 'planned' : 'done' };
  });
}

interface Claimed {
  /** The branch that it is about. */
  readonly subject: RefName;
  readonly id: string;
  readonly named: string;
  readonly its: string;
  readonly claim: Claim | null;
}

async function claimItem(bench: Workbench, { subject, id, named, its, claim }: Claimed): Promise<Item> {
  const of = { kind: 'run', subject, owner: id } as const;
  if (claim === null)
    return { ...of, ...verdict('report', 'run-out-of-sight', `${named} is active and nobody claims it`), proof: [] };
  const { pid, host, since } = claim;
  const alive = isAlive(claim, await bench.environment.process());
  const proof = [{ what: `process ${pid} on ${host} is gone`, holds: alive === 'dead' }];
  const claimed = `process ${pid}, which claimed ${named} at ${since}, is gone`;
  const far = `process ${pid} on ${host} claimed ${named} at ${since}; git owl stop ${id} shows more`;
  switch (alive) {
    case 'alive':
      return { ...of, ...keepIt('live-run', `its ${its} lives since ${since}, as process ${pid}`), proof };
    case 'dead':
      return { ...of, ...verdict('settle-run', 'dead-run', claimed), proof };
    case 'elsewhere':
    case 'unknown':
      return { ...of, ...verdict('report', 'run-out-of-sight', far), proof };
  }
}
