// Branches of Jobs of their own, here and on the remote, as names that may be retired (M10): exactly those that a record names.

import { branchName, type Oid, type RefName } from '../../domain/git.js';
import { ROUND_PREFIX, type WorkBranch } from '../../domain/names.js';
import type { StateSnapshot } from '../../state/snapshot.js';
import type { Ground } from '../collect/inventory.js';
import { namesBranch, ownBranches, type RefsListed } from '../collect/look-refs.js';
import { loadRecord } from '../collect/records.js';
import type { RemoteSeen } from './remote-look.js';

export interface Named {
  readonly remote: string | null;
  readonly ref: RefName;
  readonly oid: Oid;
  readonly name: WorkBranch;
}

const ofJob = (remote: string | null, { ref, oid, id }: { ref: RefName; oid: Oid; id: string }): Named => ({
  remote,
  ref,
  oid,
  name: { kind: 'job', job: id },
});

/** `told`: branches of which something was said already. */
export async function jobNamesHere(
  { policy }: Ground,
  snapshot: StateSnapshot,
  branches: RefsListed['branches'],
  told: ReadonlySet<string>,
): Promise<readonly Named[]> {
  const own = await ownBranches(snapshot, branches, policy);
  return own.filter(({ ref, exact }) => exact && !told.has(ref)).map((one) => ofJob(null, one));
}

/** The id that a branch of somebody's remote would be named for, were it a Job's; null: it has not that form. */
export function idIn(
  ref: RefName,
  prefixes: readonly string[],
): { readonly id: string; readonly ours: boolean } | null {
  const name = branchName(ref) ?? '';
  if (name.startsWith(ROUND_PREFIX)) return null;
  const prefix = prefixes.find((one) => name.startsWith(one));
  const parts = name.slice(prefix?.length ?? 0).split('/');
  if (prefix === undefined ? parts.length < 2 : parts.length !== 2) return null;
  return { id: parts.at(-2) ?? '', ours: prefix !== undefined };
}

/** What lies below a prefix there is not ours by that alone: it is somebody's, unless a record names it, here or in the state there. */
export async function jobNamesThere(
  { bench }: Ground,
  snapshot: StateSnapshot,
  remote: Extract<RemoteSeen, { kind: 'seen' }>,
): Promise<readonly Named[]> {
  const found: Named[] = [];
  for (const [ref, oid] of remote.refs) {
    const form = idIn(ref, remote.prefixes);
    if (form === null) continue;
    const { id, ours } = form;
    const here = await loadRecord(bench, snapshot, id);
    const known =
      here.kind === 'job'
        ? await namesBranch(snapshot, id, ref)
        : here.kind === 'unknown'
          ? remote.state?.kind === 'read' && (await namesBranch(remote.state.snapshot, id, ref))
          : here.kind !== 'goal' && ours;
    if (known) found.push(ofJob(remote.name, { ref, oid, id }));
  }
  return found;
}
