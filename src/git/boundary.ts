// Which commits of a branch are the Job's own: those after this commit (J11).

import type { Oid } from '../domain/git.js';
import type { Repository } from './repository.js';

export interface BoundaryRequest {
  /** The base commit that the last Run recorded. */
  readonly recorded: Oid;
  readonly tip: Oid;
  readonly newBase: Oid;
}

/**
 * The recorded base commit; or the merge base with the new base, where that descends from the recorded one (someone rebased or
 * merged by hand), or where the branch does not contain the recorded one any more. In doubt (a shallow clone): the recorded one.
 */
export async function boundaryFor(repository: Repository, request: BoundaryRequest): Promise<Oid> {
  const { recorded, tip, newBase } = request;
  if (recorded === newBase) return recorded;
  const engine = await repository.engine();
  const bases = await engine.mergeBases(tip, newBase);
  const contained = await engine.isAncestor(recorded, tip);
  if (!Array.isArray(bases) || contained === 'unknown') return recorded;
  const found = bases as readonly Oid[];
  if (contained === 'ancestor') {
    for (const base of found)
      if (base === recorded || (await engine.isAncestor(recorded, base)) === 'ancestor') return base;
    return recorded;
  }
  return found[0] ?? recorded;
}
