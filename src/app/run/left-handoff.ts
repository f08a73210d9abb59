// The Handoff that a Run which did not succeed left uncommitted: its bytes are kept, and the committed one stands again (J10).

import type { Oid } from '../../domain/git.js';
import { HANDOFF_PATH } from '../../domain/handoff.js';
import { commitFile } from '../../git/commit-file.js';
import { gitFailed } from '../../git/exec.js';
import { removeBeneath } from '../../system/beneath.js';
import { handoffAt } from '../handoff.js';
import type { Workbench } from '../workbench.js';
import { readWorkFile } from '../workspace/read-file.js';
import type { Workspace } from '../workspace/types.js';
import { keepOnly } from './settle.js';

/**
 * Brings the file in the worktree to what `tip` has, also where Git ignores it: a plan that nobody answered for must not become
 * the next Run's. A link or folder in its place is left: what needs the place says so. Throws OwlError `git-failed`.
 */
export async function restoreHandoff(
  bench: Workbench,
  request: { readonly job: string; readonly number: number; readonly workspace: Workspace; readonly tip: Oid },
): Promise<readonly string[]> {
  const { repository } = bench;
  const { workspace, tip } = request;
  const committed = await handoffAt(repository, tip);
  const file = await readWorkFile(workspace, HANDOFF_PATH);
  if (committed.kind === 'unusable' || file.kind === 'not-a-file') return [];
  const wanted = committed.kind === 'ok' ? committed.text : null;
  const there = file.kind === 'file' ? unixLines(file.data.toString('utf8')) : null;
  if (there === (wanted === null ? null : unixLines(wanted))) return [];
  if (file.kind === 'file') {
    const kept = await commitFile(repository, {
      parent: tip,
      path: HANDOFF_PATH,
      text: file.data,
      message: `Handoff found uncommitted before run ${request.number}\n`,
      signing: 'never',
    });
    await keepOnly(bench, request.job, [
      { commit: kept, subject: `Handoff found uncommitted before run ${request.number}` },
    ]);
  }
  if (wanted === null) await removeBeneath(workspace.path, Buffer.from(HANDOFF_PATH));
  else {
    const { checkout, path: cwd } = workspace;
    // Left out of a sparse checkout; in any other this changes nothing.
    await repository.git.run(['update-index', '--no-skip-worktree', '--', HANDOFF_PATH], {
      reading: false,
      checkout,
      cwd,
    });
    const args = ['checkout-index', '--force', '--index', '--', HANDOFF_PATH];
    const result = await repository.git.run(args, { checkout, cwd });
    if (result.code !== 0) throw gitFailed(args, result);
  }
  return ['the Handoff had uncommitted changes; they are kept, and the committed one stands'];
}

/** As Git may have written them out. */
const unixLines = (text: string): string => text.replaceAll('\r\n', '\n');
