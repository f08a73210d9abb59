// Where what lands goes to: the local base, or the target of a remote as it is now (03, "The target"; J34).

import { type Oid, type RefName, remoteRef } from '../../domain/git.js';
import { fetchBranch } from '../../git/fetch.js';
import type { CurrentPolicy } from '../policy.js';
import type { Target } from '../publish/publish.js';
import type { Workbench } from '../workbench.js';

/** The target on the remote with `execution.publish`; null: the local base. */
export function publishTarget({ current }: { readonly current: CurrentPolicy }): Target | null {
  const { base, loaded } = current;
  return loaded.policy.execution.publish && base.remote !== null ? { remote: base.remote, branch: base.name } : null;
}

/** The target as just fetched; `why` for people where it cannot be. */
export async function fetchTarget(
  bench: Workbench,
  target: Target,
): Promise<{ readonly ref: RefName; readonly oid: Oid } | { readonly why: string }> {
  const timeout = Number(bench.environment.variables['OWL_FETCH_TIMEOUT']) || undefined;
  const fetched = await fetchBranch(bench.repository, { ...target, timeout });
  if (fetched.status === 'fetched') return { ref: remoteRef(target.remote, target.branch), oid: fetched.oid };
  const { reason: why } = fetched;
  return { why: why === 'no-branch' ? `${target.remote} has no branch ${target.branch}` : why };
}
