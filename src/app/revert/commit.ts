// The commit that takes a merge back on a target, made from objects (G52). No ref moves here.

import type { Oid, RefName } from '../../domain/git.js';
import { byHand } from '../../domain/undo.js';
import { revertCommit } from '../../git/revert.js';
import { isReverted } from '../../git/reverts.js';
import type { Workbench } from '../workbench.js';
import type { Taken } from './facts.js';
import { conflict, notThere, sayUnit, unseen } from './refusals.js';

export interface Made {
  readonly commit: Oid;
  readonly onto: Oid;
}

/** Null: nothing of the merge is there any more. Throws OwlError `refused` where it is not on the target, `conflict`. */
export async function makeRevert(
  bench: Workbench,
  taken: Taken,
  at: { readonly ref: RefName; readonly onto: Oid; readonly token: number | null },
): Promise<Made | null> {
  const { merge } = taken;
  const engine = await bench.repository.engine();
  const there = merge === at.onto ? 'ancestor' : await engine.isAncestor(merge, at.onto);
  if (there === 'not-ancestor' || there === 'missing') throw notThere(taken, at.ref);
  const reverted = there === 'ancestor' ? await isReverted(bench.repository, merge, at.onto) : null;
  if (reverted === null) throw unseen(taken, at.ref);
  if (reverted) return null;
  const made = await revertCommit(bench.repository, {
    commit: merge,
    before: taken.before,
    onto: at.onto,
    message: revertMessage(taken, at.token),
    identity: await bench.repository.identity(),
    signing: taken.signing,
  });
  if (made.kind === 'made') return { commit: made.commit, onto: at.onto };
  if (made.kind === 'nothing') return null;
  throw conflict(taken, at.ref, { paths: made.paths, command: byHand(merge) });
}

function revertMessage({ unit, title, merge, trailers }: Taken, token: number | null): string {
  const subject = `Revert "Merge ${sayUnit(unit)}: ${title.replace(/[\x00-\x1f\x7f]+/g, ' ')}"`;
  const lease = token === null ? [] : [`Owl-Lease-Token: ${token}`];
  return `${subject}\n\nThis reverts commit ${merge}.\n\n${[...trailers, ...lease].join('\n')}\n`;
}
