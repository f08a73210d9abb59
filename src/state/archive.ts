// Folding what closed Jobs keep into the archive of a month, and letting a month go when all in it is old enough (M12).

import type { Oid, RefName } from '../domain/git.js';
import { CLOSED_GOALS } from '../domain/goal.js';
import { CLOSED_STATES } from '../domain/job.js';
import { failpoint } from '../system/failpoint.js';
import { appendEntries, sharedLink } from './archive-entries.js';
import { listMonths, loadMonth, type Month } from './archived.js';
import { refuseQuarantine } from './guard.js';
import { ARCHIVE_PREFIX, chainId, chainRef, SHARED_PREFIX, sharedName } from './layout.js';
import { loadState } from './load-state.js';
import type { StoreEnv } from './store-env.js';
import type { Snapshot } from './types.js';

export interface Folded {
  /** Name of the chain: an id, or `<goal>.candidates`. */
  readonly job: string;
  /** `folded`; or why not: the name stays where it is. */
  readonly outcome: 'folded' | 'nothing-kept' | 'not-closed' | 'moved-meanwhile';
  readonly tip: Oid | null;
}

/**
 * Folds the chains of closed work (by name: an id, or `<goal>.candidates`) into `refs/owl/archive/<month>` (`yyyy-mm`), then deletes the names, each by
 * compare-and-swap. Repeatable: a name that a killed command left is folded again, to the same entry.
 * Throws OwlError `busy`, `quarantine`, `damaged-state`, `foreign-state`.
 */
export async function foldKept(env: StoreEnv, jobs: readonly string[], month: string): Promise<readonly Folded[]> {
  refuseQuarantine(env.quarantine);
  const snapshot = await loadState(env);
  const folded: Folded[] = [];
  const tips = new Map<string, Oid>();
  for (const job of new Set(jobs)) {
    const tip = await env.engine.resolve(chainRef(job));
    if (tip === null) folded.push({ job, outcome: 'nothing-kept', tip });
    else if ((await closedSince(snapshot, job)) === null) folded.push({ job, outcome: 'not-closed', tip });
    else tips.set(job, tip);
  }
  if (tips.size > 0)
    await appendEntries(
      env,
      `${ARCHIVE_PREFIX}${month}` as RefName,
      new Map([...tips].map(([job, tip]) => [job, [tip]])),
    );
  await failpoint('archive.after-append');
  for (const [job, tip] of tips) {
    const swap = await env.engine.swap({ ref: chainRef(job), old: tip, new: 'absent' }, `folded into ${month}`);
    await failpoint('archive.after-delete');
    folded.push({ job, outcome: swap.kind === 'moved' ? 'folded' : 'moved-meanwhile', tip });
  }
  return folded;
}

/**
 * The same of the tips that closed Jobs shared, by id: each as a chain of one link. A name of a Job that is open, or of which nothing
 * is known, stays. Throws as `foldKept`.
 */
export async function foldShared(env: StoreEnv, ids: readonly string[], month: string): Promise<void> {
  refuseQuarantine(env.quarantine);
  const snapshot = await loadState(env);
  const tips = new Map<RefName, Oid>();
  const entries = new Map<string, readonly Oid[]>();
  for (const id of ids) {
    const ref = `${SHARED_PREFIX}${id}` as RefName;
    const tip = await env.engine.resolve(ref);
    if (tip === null || (await closedSince(snapshot, id)) === null) continue;
    tips.set(ref, tip);
    entries.set(sharedName(id), [await sharedLink(env, tip)]);
  }
  if (tips.size === 0) return;
  await appendEntries(env, `${ARCHIVE_PREFIX}${month}` as RefName, entries);
  await failpoint('archive.after-append');
  for (const [ref, tip] of tips) await env.engine.swap({ ref, old: tip, new: 'absent' }, `folded into ${month}`);
}

/** Milliseconds since the epoch when a record was closed or deleted; null where it is open, or nothing of it is known. */
export async function closedSince(snapshot: Pick<Snapshot, 'job' | 'goal'>, name: string): Promise<number | null> {
  const id = chainId(name);
  const job = await snapshot.job(id);
  const loaded = job.kind === 'unknown' ? await snapshot.goal(id) : job;
  if (loaded.kind === 'deleted') return Date.parse(loaded.at);
  if (loaded.kind !== 'found') return null;
  const { record } = loaded;
  const closed = record.kind === 'job' ? CLOSED_STATES.has(record.state) : CLOSED_GOALS.has(record.status);
  return closed ? Date.parse(record.closed ?? record.updated) : null;
}

export interface Expired {
  readonly month: string;
  /** `not-ended`: it is the current month, or a later one by another clone's clock. */
  readonly outcome: 'expired' | 'not-ended' | 'too-young' | 'moved-meanwhile';
  /** Ids whose entries were let go. */
  readonly gone: readonly string[];
  /** Ids whose entries moved on to the current month: open again, closed too lately, or nothing known of them. */
  readonly movedOn: readonly string[];
}

export interface ExpireOptions {
  readonly dryRun?: boolean | undefined;
  /**
   * May what this id keeps go? Asked for entries that are old enough, with the tips of their chains. Nothing expires by itself
   * but logs, and snapshots that a later tip contains: the caller looks. Left out: yes.
   */
  readonly mayGo?: ((id: string, tips: readonly Oid[]) => Promise<boolean>) | undefined;
}

/**
 * Lets months go that ended `keepMs` ago or earlier: entries whose record has been closed for that long, as read now, expire;
 * the others move on to the current month first. With `dryRun` it only says what it would do.
 * Throws as `foldKept`, and `unreadable-object`.
 */
export async function expireMonths(
  env: StoreEnv,
  keepMs: number,
  options: ExpireOptions = {},
): Promise<readonly Expired[]> {
  if (options.dryRun !== true) refuseQuarantine(env.quarantine);
  const now = env.clock.now();
  const current = new Date(now).toISOString().slice(0, 7);
  const all: Expired[] = [];
  for (const month of await listMonths(env)) {
    const outcome = monthAge(month.month, now, keepMs);
    if (outcome !== 'expired') all.push({ month: month.month, outcome, gone: [], movedOn: [] });
    else
      all.push(
        await expire(env, month, { current: `${ARCHIVE_PREFIX}${current}` as RefName, before: now - keepMs }, options),
      );
  }
  return all;
}

/** Is that month (`yyyy-mm`) so old that what it holds may go? All in milliseconds. */
export function monthAge(month: string, now: number, keepMs: number): 'expired' | 'not-ended' | 'too-young' {
  if (month >= new Date(now).toISOString().slice(0, 7)) return 'not-ended';
  return endOf(month) + keepMs > now ? 'too-young' : 'expired';
}

/** First moment after a month. */
function endOf(month: string): number {
  const [year, number] = month.split('-').map(Number);
  return Date.UTC(year ?? 0, number ?? 1, 1);
}

interface When {
  readonly current: RefName;
  readonly before: number;
}

async function expire(
  env: StoreEnv,
  month: Month,
  { current, before }: When,
  options: ExpireOptions,
): Promise<Expired> {
  const snapshot = await loadState(env);
  const gone: string[] = [];
  const movedOn = new Map<string, readonly Oid[]>();
  for (const [id, tips] of await loadMonth(env, month)) {
    const closed = await closedSince(snapshot, id);
    const old = closed !== null && closed <= before;
    if (old && (options.mayGo === undefined || (await options.mayGo(id, tips)))) gone.push(id);
    else movedOn.set(id, tips);
  }
  const found = { month: month.month, gone, movedOn: [...movedOn.keys()] };
  if (options.dryRun === true) return { ...found, outcome: 'expired' };
  await appendEntries(env, current, movedOn);
  await failpoint('archive.before-expire');
  const swap = await env.engine.swap({ ref: month.ref, old: month.tip, new: 'absent' }, 'older than gc.keep');
  return { ...found, outcome: swap.kind === 'moved' ? 'expired' : 'moved-meanwhile' };
}
