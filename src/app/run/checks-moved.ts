// A check that committed, or moved branch or HEAD of its checkout, changed the tree as well (J27; 11, Jobs): what it made is kept, and
// branch and checkout are back at the tip that is verified.

import type { Oid, RefName } from '../../domain/git.js';
import { article, operationInProgress } from '../../git/status-facts.js';
import { listWorktrees, setHead, type Worktree } from '../../git/worktree.js';
import { failpoint } from '../../system/failpoint.js';
import { makeBranchAgain } from '../branch-again.js';
import { moveBranchWithCheckouts } from '../follow.js';
import type { Workbench } from '../workbench.js';
import { restoreTree } from '../workspace/restore.js';
import { snapshotWip } from '../workspace/snapshot.js';
import type { Workspace } from '../workspace/types.js';
import type { Errand } from './errand.js';
import { keepOnly } from './settle.js';

export interface CheckedPlace {
  readonly errand: Pick<Errand, 'id' | 'branch' | 'goal'>;
  readonly workspace: Workspace;
  /** What is verified. */
  readonly tip: Oid;
}

/** Looks, by files alone, whether branch and HEAD stand where they stood; what moved is kept and taken back. Null: nothing moved. */
export async function takeMovesBack(bench: Workbench, at: CheckedPlace, check: string): Promise<string | null> {
  const { errand, workspace, tip } = at;
  // Without a branch of its own there is only a detached HEAD.
  const branch = errand.branch === null ? tip : await (await bench.repository.engine()).resolve(errand.branch);
  const place = await placeOf(bench, workspace);
  if (branch === tip && place?.head === tip && place.branch === workspace.branch) return null;

  const made = [...new Set([branch, place?.head ?? null])].filter((oid): oid is Oid => oid !== null && oid !== tip);
  await keepOnly(
    bench,
    errand.id,
    made.map((commit) => ({ commit, subject: `commit that check ${check} left` })),
  );
  const what = `check ${check} moved ${branch === tip ? 'HEAD of its checkout' : `the branch ${shortRef(errand.branch)}`}`;
  const kept = made.length === 0 ? '' : `; what it committed is kept: ${made.join(', ')}`;
  await failpoint('run.before-moves-back');
  const stays = await putBack(bench, at, { branch, place }, check);
  await failpoint('run.after-moves-back');
  return `${what}${kept}${stays === null ? '' : `; it stays so: ${stays}`}`;
}

const shortRef = (ref: RefName | null): string => ref?.slice('refs/heads/'.length) ?? '';

const placeOf = async (bench: Workbench, { admin }: Workspace): Promise<Worktree | undefined> =>
  (await listWorktrees(bench.repository)).find((one) => one.admin === admin);

/** Null: all is back. Each step may be repeated, and what is uncommitted is kept before it goes. */
async function putBack(
  bench: Workbench,
  { errand, workspace, tip }: CheckedPlace,
  found: { readonly branch: Oid | null; readonly place: Worktree | undefined },
  check: string,
): Promise<string | null> {
  const ref = errand.branch;
  const engine = await bench.repository.engine();
  if (found.place === undefined) return 'its checkout is not registered any more';
  const operation = await operationInProgress(workspace.admin);
  if (operation !== null) return `its checkout is in the middle of ${article(operation.kind)}`;
  if (ref !== null && found.branch === null) {
    const branch = { ref, oid: tip, work: errand.goal?.id ?? errand.id };
    const again = await makeBranchAgain(bench, branch, `owl: check ${check} deleted the branch`);
    if (again === 'closed') {
      await keepOnly(bench, errand.id, [{ commit: tip, subject: `tip that check ${check} ran on` }]);
      return 'the branch is gone, and its work is closed';
    }
    if (again !== 'made') return 'the branch could not be made again';
  }
  const now = (await placeOf(bench, workspace)) ?? found.place;
  const onBranch = workspace.branch !== null && now.branch === workspace.branch;
  if (now.head !== null && (now.head !== tip || !onBranch)) {
    const wip = await snapshotWip(bench.repository, { ...workspace, head: now.head });
    if (wip.kind === 'taken')
      await keepOnly(bench, errand.id, [{ commit: wip.commit, subject: `tree that check ${check} changed` }]);
    const kept = wip.kind === 'taken' ? wip.commit : now.head;
    // On its branch the checkout follows the branch; elsewhere the files go first, and then HEAD.
    const commit = onBranch ? now.head : tip;
    if (kept !== commit) {
      const restored = await restoreTree(bench, workspace, { kept, commit });
      if (restored.kind !== 'restored') return `its files could not be taken back (${restored.kind})`;
    }
    if (!onBranch) await setHead(bench.repository, workspace.checkout, workspace.branch ?? tip);
  }
  if (ref === null) return null;
  const old = await engine.resolve(ref);
  if (old === null || old === tip) return null;
  const moved = await moveBranchWithCheckouts(bench, { ref, old, new: tip, reason: `owl: back from check ${check}` });
  return moved.kind === 'moved' ? null : moved.kind === 'waits' ? moved.message : 'the branch moves meanwhile';
}
