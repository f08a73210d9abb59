// Everything that `gc` looks at, as items: refs, folders and notes are listed first, then the state is read (M1).

import type { Item, Limits } from '../../domain/collect.js';
import { decideReview } from '../../domain/collect-scratch.js';
import type { Oid } from '../../domain/git.js';
import { isRoundJob } from '../../domain/names.js';
import type { Policy } from '../../domain/policy.js';
import type { StoreEnv } from '../../state/store-env.js';
import type { Snapshot } from '../../state/types.js';
import { jobRef } from '../jobs.js';
import type { Workbench } from '../workbench.js';
import { branchItem, isRetirable, keptItem, listRefs, monthItems, ownBranches, sharedItem } from './look-refs.js';
import { listScratch, runNoteItem, scratchItem } from './look-scratch.js';
import { listPlaces, worktreeItems } from './look-worktrees.js';

export interface Ground {
  readonly bench: Workbench;
  readonly env: StoreEnv;
  readonly limits: Limits;
  readonly policy: Policy;
  /** `yyyy-mm` of now. */
  readonly month: string;
  /** Tip of the base; null: none is known. */
  readonly base: Oid | null;
}

/**
 * In the order of acting: a worktree goes before its branch, and both before what is kept of them is folded. Names that are retired are
 * not among them: app/retire looks at these.
 */
export async function takeInventory(ground: Ground, landed: ReadonlySet<string>): Promise<readonly Item[]> {
  const { bench, env, limits, policy, month } = ground;
  const places = await listPlaces(bench, policy);
  const refs = await listRefs(bench);
  const scratch = await listScratch(bench);
  const snapshot = await bench.store.snapshot();

  const worktrees = await worktreeItems(bench, places, snapshot, limits, landed);
  const going = new Set(
    worktrees.flatMap((item) => (item.action === 'remove-worktree' && item.owner !== null ? [item.owner] : [])),
  );
  const items: Item[] = [...(await reviews(snapshot, limits, landed)), ...worktrees];
  for (const branch of await ownBranches(snapshot, refs.branches, policy))
    if (!(await isRetirable(bench, snapshot, branch)))
      items.push(await branchItem(bench, snapshot, { ...branch, base: ground.base, going }));
  for (const id of scratch.folders) items.push(await scratchItem(bench, snapshot, id));
  for (const name of scratch.notes) items.push(await runNoteItem(bench, snapshot, name));
  for (const { ref } of refs.shared) items.push(await sharedItem(bench, snapshot, ref));
  for (const { ref } of refs.kept) items.push(await keptItem(bench, snapshot, ref, month, landed));
  items.push(...(await monthItems(bench, env, limits.gc.keep.ms)));
  return [...items, ...(await damaged(snapshot))];
}

async function reviews(snapshot: Snapshot, limits: Limits, landed: ReadonlySet<string>): Promise<readonly Item[]> {
  const jobs = (await snapshot.openJobs()).filter((job) => !landed.has(job.id) && !isRoundJob(job));
  return jobs.flatMap((job) => decideReview(job, jobRef(job), limits) ?? []);
}

async function damaged(snapshot: Snapshot): Promise<readonly Item[]> {
  return (await snapshot.damages()).map(
    (damage): Item => ({
      kind: 'record',
      subject: damage.path,
      owner: null,
      action: 'report',
      reason: 'damaged-record',
      detail: `${damage.why}; git owl fsck explains it`,
      proof: [],
    }),
  );
}
