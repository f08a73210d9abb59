// Pure parser of `git worktree list --porcelain -z`.

import { isOid, isRefName, type Oid, type RefName } from '../../domain/git.js';

export interface ListedWorktree {
  readonly path: string;
  /** null when unborn or bare. */
  readonly head: Oid | null;
  /** null when detached (also in the middle of a rebase) or bare. */
  readonly branch: RefName | null;
  readonly bare: boolean;
  /** The reason of a lock, `''` when none was given; null when it is not locked. */
  readonly locked: string | null;
  /** Why Git would prune the registration; null when it would not. */
  readonly prunable: string | null;
}

/** Unknown attributes of newer Gits are passed over. */
export function parseWorktrees(output: string): readonly ListedWorktree[] {
  return output
    .split('\0\0')
    .filter((record) => record !== '')
    .map((record) => {
      const fields = new Map<string, string>();
      for (const line of record.split('\0')) {
        const blank = line.indexOf(' ');
        fields.set(blank < 0 ? line : line.slice(0, blank), blank < 0 ? '' : line.slice(blank + 1));
      }
      const head = fields.get('HEAD') ?? '';
      const branch = fields.get('branch') ?? '';
      return {
        path: fields.get('worktree') ?? '',
        head: isOid(head) && !/^0+$/.test(head) ? head : null,
        branch: isRefName(branch) ? branch : null,
        bare: fields.has('bare'),
        locked: fields.get('locked') ?? null,
        prunable: fields.get('prunable') ?? null,
      };
    });
}
