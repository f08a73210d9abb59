// The base commit of a Run: one ref and one commit, resolved once and used for everything (J7).

import { missingBase } from '../domain/base.js';
import { branchRef, type Oid, type RefName, remoteRef } from '../domain/git.js';
import type { Merged } from '../domain/job.js';
import { currentBranch } from '../git/remote.js';
import type { Repository } from '../git/repository.js';
import type { ResolvedBase } from './base.js';

export interface BaseCommitRequest {
  /** Did the fetch of this Run succeed (J6)? Left out: nothing was fetched, the remote-tracking ref counts as it is. */
  readonly fetched?: boolean | undefined;
  /** The target of a Goal is on one side alone: the other lends no commit (03, "The target"). */
  readonly side?: 'remote' | 'local' | undefined;
  /** Merges of ours; asked for only where the local base is ahead. */
  readonly merges: () => Promise<readonly Merged[]>;
}

export interface BaseCommit {
  /** The full ref that the commit was read from. */
  readonly ref: RefName;
  readonly oid: Oid;
  /** Merges of ours on the local base that the remote's does not have, newest first. */
  readonly unpublished: readonly Oid[];
}

/**
 * The remote's commit after a fetch, the local one without; the local one, too, where it is ahead by merges of ours and nothing
 * else. Throws OwlError `missing-base`.
 */
export async function resolveBaseCommit(
  repository: Repository,
  base: ResolvedBase,
  request: BaseCommitRequest,
): Promise<BaseCommit> {
  const engine = await repository.engine();
  const at = async (ref: RefName): Promise<BaseCommit | null> => {
    const oid = await engine.resolve(ref);
    return oid === null ? null : { ref, oid, unpublished: [] };
  };
  const local = await at(branchRef(base.name));
  const remote = base.remote === null ? null : await at(remoteRef(base.remote, base.name));
  if (request.side !== undefined) {
    const only = request.side === 'remote' ? remote : local;
    if (only === null) throw missingBase([{ name: base.name, source: base.source }], await currentBranch(repository));
    return only;
  }
  const chosen = request.fetched === false ? (local ?? remote) : (remote ?? local);
  if (chosen === null) throw missingBase([{ name: base.name, source: base.source }], await currentBranch(repository));
  if (local === null || remote === null || local.oid === remote.oid) return chosen;

  const ahead = await commitsAhead(repository, local.oid, remote.oid);
  if (ahead.size === 0) return chosen;
  const merges = (await request.merges()).filter((merged) => merged.ref === local.ref);
  const ours = new Set(merges.map((merged) => merged.after));
  const unpublished = [...ahead.keys()].filter((oid) => ours.has(oid));
  // Along first parents from the local base: merges of ours and nothing else, down to the remote's commit.
  let reached: Oid | undefined = local.oid;
  while (reached !== undefined && ours.has(reached)) reached = ahead.get(reached);
  return { ...(reached === remote.oid ? local : chosen), unpublished };
}

/** The first-parent path of the local base that the remote's does not have, newest first: commit -> first parent. */
async function commitsAhead(
  repository: Repository,
  local: Oid,
  remote: Oid,
): Promise<ReadonlyMap<Oid, Oid | undefined>> {
  // Usually it is behind.
  if ((await (await repository.engine()).isAncestor(local, remote)) === 'ancestor') return new Map();
  const args = [
    'rev-list',
    '--first-parent',
    '--parents',
    '--max-count=10000',
    '--end-of-options',
    local,
    `^${remote}`,
  ];
  const answer = await repository.git.run(args);
  if (answer.code !== 0) return new Map();
  const rows = answer.stdout
    .toString('latin1')
    .split('\n')
    .filter((row) => row !== '');
  return new Map(
    rows.map((row) => {
      const [oid, parent] = row.split(' ');
      return [oid as Oid, parent as Oid | undefined];
    }),
  );
}
