// Uncommitted work kept as a commit that no branch knows ("wip"; J10, J19).

import type { Oid } from '../../domain/git.js';
import { captureTree } from '../../git/capture.js';
import type { Repository } from '../../git/repository.js';
import { openScratchIndex } from '../../git/scratch-index.js';
import type { Workspace } from './types.js';
import { captureRules, type LeftOut, leftOut, makeCommit, type WorkRequest } from './work.js';

export type Snapshot =
  /** A commit on top of HEAD that no ref names yet; what was staged otherwise is its second parent. */
  | ({ readonly kind: 'taken'; readonly commit: Oid; readonly tree: Oid } & LeftOut)
  | ({ readonly kind: 'nothing' } & LeftOut);

/**
 * A commit of everything uncommitted ("wip"), the Handoff included, without touching branch, index or files. The caller
 * pins it. Nested repositories cannot be in it: they are named in `left`.
 */
export async function snapshotWip(
  repository: Repository,
  workspace: Workspace,
  request: WorkRequest & { readonly message?: string | undefined } = {},
): Promise<Snapshot> {
  const message = request.message ?? 'uncommitted work';
  const index = await openScratchIndex(repository, workspace.checkout);
  try {
    const captured = await captureTree(index, {
      ...(await captureRules(repository, request)),
      exclude: new Set(),
      limits: null,
    });
    if (captured.kind === 'too-much') throw new TypeError('a snapshot has no bound');
    const { tree, staged } = captured;
    const left = leftOut(captured);
    if (!captured.changed && staged === null) return { kind: 'nothing', ...left };
    const { head } = workspace;
    const make = (of: Oid, parents: readonly Oid[], text: string): Promise<Oid> =>
      makeCommit(repository, of, parents, text, 'never');
    const parents = staged === null ? [head] : [head, await make(staged, [head], `staged: ${message}`)];
    return { kind: 'taken', commit: await make(tree, parents, message), tree, ...left };
  } finally {
    await index.dispose();
  }
}
