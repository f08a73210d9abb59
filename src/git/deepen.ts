// More history of one ref in a shallow clone: as much as is asked for, and of no other ref (05, S6).

import type { Oid, RefName } from '../domain/git.js';
import { shallowEdge } from './ancestry.js';
import { fetchRef } from './fetch.js';
import type { Repository } from './repository.js';

/** Git's own word for all of it. */
const WHOLE = 2_147_483_647;
/** Commits below the edge, one try after the other. */
const STEPS = [100, 1_000, 10_000] as const;

export interface DeepenRequest {
  readonly remote: string;
  readonly from: RefName;
  readonly to: RefName;
  /** Milliseconds for each fetch. */
  readonly timeout?: number | undefined;
}

/** Deepens until the history of `to` has the commit, at last to its end. Null: it has it; else one line for people. */
export async function deepenUntil(repository: Repository, request: DeepenRequest, commit: Oid): Promise<string | null> {
  if (!repository.shallow) return null;
  const engine = await repository.engine();
  const isThere = async (): Promise<boolean> => {
    const tip = await engine.resolve(request.to);
    return tip !== null && (await engine.isAncestor(commit, tip)) === 'ancestor';
  };
  for (const step of [...STEPS.map((count) => `--deepen=${count}`), `--depth=${WHOLE}`]) {
    if (await isThere()) return null;
    const fetched = await fetchRef(repository, { ...request, depth: step });
    if (fetched.status === 'failed') return fetched.reason;
  }
  return (await isThere()) ? null : `${request.from} on ${request.remote} does not have ${commit}`;
}

/** The whole history of `to`, where an edge of the shallow clone cuts it off. Null: it is whole; else one line for people. */
export async function unshallow(repository: Repository, request: DeepenRequest): Promise<string | null> {
  if (!repository.shallow) return null;
  const roots = await repository.git.text(['rev-list', '--max-parents=0', '--end-of-options', request.to]);
  const edge = await shallowEdge(repository.commonDir);
  if (!roots.split('\n').some((root) => edge.has(root))) return null;
  const fetched = await fetchRef(repository, { ...request, whole: true, depth: `--depth=${WHOLE}` });
  return fetched.status === 'failed' ? fetched.reason : null;
}
