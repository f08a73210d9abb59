// What became of a commit that was sent: the remote is looked at, and what is not there is shut out where that can be done (G32).

import { type Oid, remoteRef } from '../../domain/git.js';
import { mayArrive } from '../../domain/publication.js';
import { fetchBranch } from '../../git/fetch.js';
import { failpoint } from '../../system/failpoint.js';
import type { Workbench } from '../workbench.js';
import { shutOut } from './fence.js';
import type { PublishNote, Sent } from './note.js';

export type FoundSent<D> =
  | { readonly kind: 'there'; readonly sent: Sent<D> }
  /** `target`: what it has instead. */
  | { readonly kind: 'not-there'; readonly target: Oid | 'absent' }
  | { readonly kind: 'unknown'; readonly why: string };

/** Looks on the remote for what was sent. Its remote-tracking ref moves, as by any fetch. */
export async function findSent<D>(bench: Workbench, note: PublishNote<D>): Promise<FoundSent<D>> {
  const { remote, branch } = note;
  const timeout = Number(bench.environment.variables['OWL_FETCH_TIMEOUT']) || undefined;
  const fetched = await fetchBranch(bench.repository, { remote, branch, timeout });
  if (fetched.status === 'fetched') return findBelow(bench, note, fetched.oid);
  return fetched.reason === 'no-branch'
    ? { kind: 'not-there', target: 'absent' }
    : { kind: 'unknown', why: fetched.reason };
}

/** The same below a commit of the target that was fetched just now. */
export async function findBelow<D>(bench: Workbench, note: PublishNote<D>, target: Oid): Promise<FoundSent<D>> {
  const engine = await bench.repository.engine();
  let unsure = false;
  for (const one of note.sent) {
    const answer = one.commit === target ? 'ancestor' : await engine.isAncestor(one.commit, target);
    if (answer === 'ancestor') return { kind: 'there', sent: one };
    // A commit that is not here is not below one that is: fetched history is whole, but for shallow clones.
    unsure ||= answer === 'unknown';
  }
  if (!unsure) return { kind: 'not-there', target };
  return { kind: 'unknown', why: `the history of ${remoteRef(note.remote, note.branch)} cannot be read` };
}

export type Whereabouts<D> =
  | Exclude<FoundSent<D>, { kind: 'not-there' }>
  /** It did not arrive, and cannot any more. */
  | { readonly kind: 'gone' }
  /** It is not there, and may still arrive. */
  | { readonly kind: 'late' };

/** Looks, and shuts out what is not there. Its owner is dead, or has given up. */
export async function whereabouts<D>(bench: Workbench, note: PublishNote<D>): Promise<Whereabouts<D>> {
  const found = await findSent(bench, note);
  await failpoint('publish.after-look');
  if (found.kind !== 'not-there') return found;
  const open = note.sent.filter((one) => mayArrive(one, found.target));
  for (const one of open) if (!(await shutOut(bench, note, one))) return { kind: 'late' };
  if (open.length === 0) return { kind: 'gone' };
  await failpoint('publish.after-fence');
  // What it was shut out by may have been its own arrival.
  const again = await findSent(bench, note);
  return again.kind === 'not-there' ? { kind: 'gone' } : again;
}
