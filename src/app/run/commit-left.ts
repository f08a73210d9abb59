// What was left uncommitted in the worktree before a Run (J10).

import type { Oid } from '../../domain/git.js';
import { HANDOFF_PATH } from '../../domain/handoff.js';
import type { Reason } from '../../domain/job.js';
import { reason } from '../../domain/reasons.js';
import { jobBranch } from '../jobs.js';
import type { Workbench } from '../workbench.js';
import { cleanliness } from '../workspace/cleanliness.js';
import { commitAll } from '../workspace/commit-all.js';
import { copyFiles } from '../workspace/copy-files.js';
import { snapshotWip } from '../workspace/snapshot.js';
import type { Workspace } from '../workspace/types.js';
import type { BranchInput } from './prepare-branch.js';
import { keepOnly } from './settle.js';

type Left =
  | { readonly kind: 'tip'; readonly tip: Oid; readonly notes: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: Reason };

/** Uncommitted work is kept and committed as its own commit, without the Handoff (J10). */
export async function commitLeft(bench: Workbench, input: BranchInput, workspace: Workspace, tip: Oid): Promise<Left> {
  const { job, run, current } = input;
  const state = await cleanliness(bench.repository, workspace);
  if (state.clean) return { kind: 'tip', tip, notes: [] };
  // Names the copied files that are there, so that none of them is committed.
  const { copied } = await copyFiles(bench.repository, workspace, {
    base: input.base.oid,
    patterns: current.loaded.policy.copy,
  });
  const wip = await snapshotWip(bench.repository, workspace, { base: input.base.oid, copied });
  if (wip.kind === 'taken')
    await keepOnly(bench, job.id, [{ commit: wip.commit, subject: `wip before run ${run.number}` }]);
  const committed = await commitAll(bench, workspace, {
    message: `Uncommitted work found before run ${run.number}`,
    exclude: [HANDOFF_PATH],
    signing: current.loaded.policy.signing,
    base: input.base.oid,
    copied,
  });
  switch (committed.kind) {
    case 'nothing':
      return { kind: 'tip', tip, notes: [] };
    case 'committed':
      return {
        kind: 'tip',
        tip: committed.tip,
        notes: ['uncommitted work was found and committed', ...committed.notes],
      };
    case 'too-much':
      return {
        kind: 'refused',
        reason: reason(
          'too-much-uncommitted',
          `the worktree has ${committed.files} uncommitted files of ${committed.bytes} bytes, too much to commit unseen`,
          { paths: committed.paths },
        ),
      };
    case 'locked':
      return { kind: 'refused', reason: reason('could-not-start', `the worktree is locked: ${committed.by}`) };
    case 'lost':
      return { kind: 'refused', reason: reason('could-not-start', `the branch ${jobBranch(job)} moved meanwhile`) };
  }
}
