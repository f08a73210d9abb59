// The claims on open work that the remote has, in one look for all: what others have is passed over without a push, or a question for
// each (05, S5, S7). What is said here may be old a moment later: what decides is the push of the claim.

import type { RefName } from '../../domain/git.js';
import { decideLease, type LeaseRead } from '../../domain/lease.js';
import { fetchSame } from '../../git/fetch.js';
import { lookAtRefs } from '../../git/push.js';
import { holderHere, noteSight } from '../lease/notes.js';
import { leasePlace, readLease } from '../lease/place.js';
import type { Waiting } from '../run/choose.js';
import type { Workbench } from '../workbench.js';
import { CLAIMS, claimRef } from './refs.js';
import { HELD, notTaken } from './unit.js';

export interface ClaimsLook {
  /** What the remote had at the claim of this work. */
  readonly read: (id: string) => LeaseRead;
  /** Work that is not to be had now, by id, and why. */
  readonly held: ReadonlyMap<string, Waiting>;
}

/** Null: the remote did not say; then each claim is asked for by itself. */
export async function lookAtClaims(bench: Workbench, remote: string): Promise<ClaimsLook | null> {
  const look = await lookAtRefs(bench.repository, { remote, refs: [`${CLAIMS}*`] });
  if (look.kind === 'failed') return null;
  const snapshot = await bench.store.snapshot();
  const open = [...(await snapshot.openGoals()), ...(await snapshot.openJobs())];
  const claimed = open.filter(({ id }) => look.refs.has(claimRef(id)));
  const engine = await bench.repository.engine();
  const unknown: RefName[] = [];
  for (const { id } of claimed)
    if ((await engine.resolve(claimRef(id))) !== look.refs.get(claimRef(id))) unknown.push(claimRef(id));
  if (unknown.length > 0 && (await fetchSame(bench.repository, { remote, refs: unknown })) !== null) return null;
  const reads = new Map<string, LeaseRead>();
  const held = new Map<string, Waiting>();
  for (const record of claimed) {
    const { kind, id, occurrence } = record;
    const oid = await engine.resolve(claimRef(id));
    if (oid === null) continue;
    const read = await readLease(bench.repository, oid, id);
    reads.set(id, read);
    if (read.kind === 'failed') continue;
    const { name } = leasePlace(bench, { target: id, remote, ref: claimRef(id) });
    const decision = decideLease({
      read,
      sight: await noteSight(bench, name, read),
      now: bench.clock.now(),
      unit: { kind, id, occurrence },
      holder: read.kind === 'value' ? await holderHere(bench, name, read.value) : null,
    });
    if (decision.kind !== 'held' && decision.kind !== 'damaged') continue;
    const why = decision.kind === 'held' ? HELD : `its claim on ${remote} is damaged: ${decision.why}`;
    held.set(id, { kind, id, why: notTaken({ kind, id }, why).message });
  }
  return { read: (id) => reads.get(id) ?? { kind: 'absent' }, held };
}
