// `gc` from beginning to end: what was interrupted, then Jobs that landed by hand, then everything else (04).

import { type Item, verdict } from '../../domain/collect.js';
import { isOwlError } from '../../domain/errors.js';
import { packInBackground } from '../../git/maintenance.js';
import { failpoint } from '../../system/failpoint.js';
import { loadInForce } from '../in-force.js';
import { jobRef } from '../jobs.js';
import { retireClaims } from '../retire/claims.js';
import { lookAtNames } from '../retire/look.js';
import { expireThere } from '../retire/months.js';
import { retire } from '../retire/retire.js';
import type { Workbench } from '../workbench.js';
import { act, type Collected } from './act.js';
import { expireNamed, resolveNamed } from './expire-commits.js';
import { type Ground, takeInventory } from './inventory.js';
import { type FoundLanded, findLandedJobs, landByHand, sayLanded } from './landed.js';
import { settleClaims, settleNotes, settleRuns, settleStarts } from './leftovers.js';

/**
 * Every thing of ours with what was done to it and why; with `bench.dryRun` the whole plan, and nothing is written.
 * `expire`: ids of commits that may go. Throws OwlError `usage` and `no-commit` for these, `configuration`, `quarantine`,
 * and what reading the state as a whole throws.
 */
export async function collect(bench: Workbench, expire: readonly string[]): Promise<readonly Collected[]> {
  const named = await resolveNamed(bench, expire);
  const interrupted = [
    ...(await settleNotes(bench)),
    ...(await settleRuns(bench)),
    ...(await settleClaims(bench)),
    ...(await settleStarts(bench)),
  ];
  const ground = await openGround(bench);
  const found = await findLandedJobs(bench);
  const landed: Collected[] = [];
  for (const one of found) landed.push(await land(bench, one));
  const letGo = await expireNamed(bench, ground.env, named);
  const pending = new Set(bench.dryRun ? found.map(({ job }) => job.id) : []);
  const items = await takeInventory(ground, pending);
  const rest = bench.dryRun ? items.map(plan) : await act(ground, items);
  const names = await retireNames(ground, rest);
  const claims = [...(await retireClaims(ground)), ...(await expireThere(ground))];
  const all = [...interrupted, ...landed, ...letGo, ...rest, ...names, ...claims];
  if (!bench.dryRun) await recordCollected(bench, all);
  if (!bench.dryRun && !bench.signal.aborted) await packInBackground(bench.repository);
  return all;
}

/** After the checkouts that had them open are gone. */
async function retireNames(ground: Ground, rest: readonly Collected[]): Promise<readonly Collected[]> {
  const { bench } = ground;
  if (bench.signal.aborted) return [];
  const going = rest.filter(({ action, result }) => action === 'remove-worktree' && result === 'planned');
  const look = await lookAtNames(ground, {
    going: new Set(going.map(({ subject }) => subject)),
    told: new Set(rest.flatMap(({ kind, subject }) => (kind === 'branch' ? [subject] : []))),
  });
  return bench.dryRun ? look.names.map(({ item }) => plan(item)) : retire(ground, look);
}

async function openGround(bench: Workbench): Promise<Ground> {
  const { loaded, at } = await loadInForce(bench);
  const now = bench.clock.now();
  return {
    bench,
    env: await bench.store.env(),
    limits: { now, gc: loaded.policy.gc },
    policy: loaded.policy,
    month: new Date(now).toISOString().slice(0, 7),
    base: at?.oid ?? null,
  };
}

const plan = (item: Item): Collected => ({
  ...item,
  result: item.action === 'none' || item.action === 'report' ? 'none' : 'planned',
});

async function land(bench: Workbench, found: FoundLanded): Promise<Collected> {
  const item: Item = {
    kind: 'job',
    subject: jobRef(found.job),
    owner: found.job.id,
    ...verdict('land', 'landed', sayLanded(found)),
    proof: [
      { what: 'it has a change of its own', holds: true },
      { what: `${found.target.ref} has that change, and no revert of it`, holds: true },
    ],
  };
  if (bench.dryRun || bench.signal.aborted) return { ...item, result: 'planned' };
  try {
    if (await landByHand(bench, found)) return { ...item, result: 'done' };
    return { ...item, ...verdict('none', 'changed', 'it was decided otherwise meanwhile'), result: 'kept' };
  } catch (error) {
    if (!isOwlError(error)) throw error;
    return { ...item, ...verdict('none', 'inspection-failed', error.message), result: 'kept' };
  }
}

const WORDS: Readonly<Partial<Record<Item['action'], readonly [one: string, many: string]>>> = {
  'remove-worktree': ['checkout removed', 'checkouts removed'],
  'delete-branch': ['branch deleted', 'branches deleted'],
  retire: ['name retired', 'names retired'],
  'remove-claim': ['claim removed', 'claims removed'],
  fold: ['chain folded', 'chains folded'],
  expire: ['let go', 'let go'],
};

/** One event for all that went: settled Runs and landed Jobs have events of their own. */
async function recordCollected(bench: Workbench, all: readonly Collected[]): Promise<void> {
  const counts = Object.entries(WORDS).flatMap(([action, words]) => {
    const count = all.filter((item) => item.action === action && item.result === 'done').length;
    return count === 0 ? [] : [`${count} ${words[count === 1 ? 0 : 1]}`];
  });
  if (counts.length === 0) return;
  await failpoint('gc.before-event');
  await bench.store.update({ step: 'collected' }, async (tx) => {
    if (tx.tip !== null) tx.event({ event: 'gc.collected', subject: `gc: ${counts.join(', ')}` });
  });
  await failpoint('gc.after-event');
}
