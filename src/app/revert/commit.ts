// The commits that take merges back on a target, made from objects, one on top of the other (G52). No ref moves here.

import type { Oid, RefName } from '../../domain/git.js';
import { byHand } from '../../domain/undo.js';
import { revertCommit } from '../../git/revert.js';
import { isReverted } from '../../git/reverts.js';
import type { Workbench } from '../workbench.js';
import type { Taken, TakenMerge, Undone } from './facts.js';
import { conflict, notThere, sayUnit, unseen } from './refusals.js';

export interface Made {
  /** The newest of them; null: nothing of any merge is there any more. */
  readonly commit: Oid | null;
  /** What the target has, the newest merge first. */
  readonly undone: readonly Omit<Undone, 'evidence'>[];
}

interface At {
  readonly ref: RefName;
  readonly onto: Oid;
  readonly token: number | null;
}

/** All of them or none. Throws OwlError `refused` where none is on the target, or that cannot be seen; `conflict`. */
export async function makeRevert(bench: Workbench, taken: Taken, at: At): Promise<Made> {
  const undone: Omit<Undone, 'evidence'>[] = [];
  let tip = at.onto;
  for (const one of taken.merges) {
    const seen = await look(bench, one, at.onto);
    if (seen === 'unknown') throw unseen(taken, one.merge, at.ref);
    if (seen === 'absent') continue;
    const commit = seen === 'reverted' ? null : await revertOne(bench, taken, one, { ...at, onto: tip });
    undone.push({ merge: one.merge, commit });
    tip = commit ?? tip;
  }
  const [newest] = taken.merges;
  if (undone.length === 0 && newest !== undefined) throw notThere(taken, newest.merge, at.ref);
  return { commit: tip === at.onto ? null : tip, undone };
}

async function look(
  bench: Workbench,
  { merge }: TakenMerge,
  onto: Oid,
): Promise<'there' | 'absent' | 'reverted' | 'unknown'> {
  const there = merge === onto ? 'ancestor' : await (await bench.repository.engine()).isAncestor(merge, onto);
  if (there === 'not-ancestor' || there === 'missing') return 'absent';
  const reverted = there === 'ancestor' ? await isReverted(bench.repository, merge, onto) : null;
  if (reverted === null) return 'unknown';
  return reverted ? 'reverted' : 'there';
}

/** Null: nothing of it is there. */
async function revertOne(bench: Workbench, taken: Taken, one: TakenMerge, at: At): Promise<Oid | null> {
  const made = await revertCommit(bench.repository, {
    commit: one.merge,
    before: one.before,
    onto: at.onto,
    message: revertMessage(taken, one, at.token),
    identity: await bench.repository.identity(),
    signing: taken.signing,
  });
  if (made.kind === 'made') return made.commit;
  if (made.kind === 'nothing') return null;
  const command = byHand(taken.merges.map(({ merge }) => merge));
  throw conflict(taken, one.merge, at.ref, { paths: made.paths, command });
}

function revertMessage({ unit, title }: Taken, { merge, trailers }: TakenMerge, token: number | null): string {
  const subject = `Revert "Merge ${sayUnit(unit)}: ${title.replace(/[\x00-\x1f\x7f]+/g, ' ')}"`;
  const lease = token === null ? [] : [`Owl-Lease-Token: ${token}`];
  return `${subject}\n\nThis reverts commit ${merge}.\n\n${[...trailers, ...lease].join('\n')}\n`;
}
