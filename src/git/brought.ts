// Did this commit bring a Candidate: by having its commits, or by a tree equal to what merging it gives, the Handoff aside (G54)?
// What a pull request leaves: a merge commit, a squash, or the commits made again.

import type { Oid } from '../domain/git.js';
import { countCommits, mergeTrees } from './merge.js';
import { differBeyondHandoff } from './own-handoff.js';
import { createPool } from './pool.js';
import type { Repository } from './repository.js';

export interface BroughtRequest {
  readonly commit: Oid;
  readonly candidate: { readonly base: Oid; readonly tip: Oid };
  readonly handoffPath: string;
}

export type Brought =
  | {
      readonly kind: 'brought';
      readonly how: 'ancestry' | 'tree';
      /** The commit that the target was at before. */
      readonly before: Oid;
      /** The commit is, but for the Handoff, what the Candidate is. */
      readonly same: boolean;
    }
  | { readonly kind: 'no'; readonly why: string };

/** Commits made again one by one that are looked at. */
const SERIES = 200;

/** Throws OwlError `unreadable-object`, `git-failed`, `storage`. */
export async function lookBrought(repository: Repository, request: BroughtRequest): Promise<Brought> {
  const { commit, candidate, handoffPath } = request;
  const pool = await createPool(repository);
  const { engine } = pool;
  const within = async (one: Oid, other: Oid): Promise<boolean> =>
    one === other || (await engine.isAncestor(one, other)) === 'ancestor';
  const differ = (one: Oid, other: Oid): Promise<boolean> => differBeyondHandoff(pool, one, other, handoffPath);
  const parents = async (oid: Oid): Promise<readonly Oid[]> => (await pool.commit(oid)).parents;
  const brought = async (how: 'ancestry' | 'tree', before: Oid): Promise<Brought> => ({
    kind: 'brought',
    how,
    before,
    same: before === candidate.base && !(await differ(commit, candidate.tip)),
  });

  if (await within(candidate.tip, commit)) {
    const [first] = await parents(commit);
    // A fast-forward: the target is the Candidate itself.
    if (commit === candidate.tip) return brought('ancestry', candidate.base);
    if (first === undefined || (await within(candidate.tip, first)))
      return { kind: 'no', why: 'another commit below it brought the Candidate' };
    if (!(await differ(first, commit)))
      return { kind: 'no', why: 'it has the commits of the Candidate and nothing of what they do' };
    return brought('ancestry', first);
  }
  return lookAtTrees(repository, request, { within, differ, parents, brought });
}

interface Looks {
  within(one: Oid, other: Oid): Promise<boolean>;
  differ(one: Oid, other: Oid): Promise<boolean>;
  parents(oid: Oid): Promise<readonly Oid[]>;
  brought(how: 'tree', before: Oid): Promise<Brought>;
}

/**
 * Is this commit what merging the Candidate into one of those before it gives? Of several the first is meant: where its commits were
 * made again one by one, it stands before all of them.
 */
async function lookAtTrees(repository: Repository, request: BroughtRequest, looks: Looks): Promise<Brought> {
  const { commit, candidate, handoffPath: handoff } = request;
  const steps = Math.min(SERIES, await countCommits(repository, candidate.base, candidate.tip));
  let before: Oid | undefined = (await looks.parents(commit))[0];
  let found: Oid | null = null;
  for (let step = 0; step < steps && before !== undefined; step += 1) {
    if (!(await looks.within(candidate.base, before))) break;
    const merged = await mergeTrees(repository, { base: candidate.base, ours: before, theirs: candidate.tip, handoff });
    const equal = merged.kind === 'clean' && !(await looks.differ(merged.tree, commit));
    if (equal && (await looks.differ(before, commit))) found = before;
    before = (await looks.parents(before))[0];
  }
  return found === null
    ? { kind: 'no', why: 'it has neither the commits of the Candidate nor the tree that they make' }
    : looks.brought('tree', found);
}
