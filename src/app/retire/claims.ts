// Claims of closed work go from the remote that the state is shared with, each at exactly the value that was judged (05, S7).

import type { RecordFacts } from '../../domain/collect.js';
import { keepIt } from '../../domain/collect.js';
import { type ClaimFacts, decideClaim } from '../../domain/collect-claims.js';
import type { SharedRecord } from '../../domain/collect-names.js';
import { isOwlError } from '../../domain/errors.js';
import type { Oid, RefName } from '../../domain/git.js';
import { type LeaseRead, parseLease } from '../../domain/lease.js';
import { fetchObjects } from '../../git/fetch.js';
import { lookAtRefs, pushRefs } from '../../git/push.js';
import { isWorkId, STATE_REF } from '../../state/layout.js';
import { loadState, loadStateAt } from '../../state/load-state.js';
import { failpoint } from '../../system/failpoint.js';
import { CLAIMS } from '../claims/refs.js';
import type { Collected } from '../collect/act.js';
import type { Ground } from '../collect/inventory.js';
import { loadRecord } from '../collect/records.js';
import { holderHere, knownSight, noteSight } from '../lease/notes.js';
import { leasePlace } from '../lease/place.js';
import { sharedRemote } from '../sync/shared.js';
import { fetchMissing, fetchTimeout } from './remote-look.js';

interface Looked {
  readonly oid: Oid;
  readonly facts: ClaimFacts;
}

/** All that the remote has, with what became of them. One that cannot be asked has none to tell: names say so. */
export async function retireClaims(ground: Ground): Promise<readonly Collected[]> {
  const { bench } = ground;
  const remote = await sharedRemote(bench);
  if (remote === null || bench.signal.aborted) return [];
  const look = await lookAtRefs(bench.repository, {
    remote,
    refs: [STATE_REF, `${CLAIMS}*`],
    timeout: fetchTimeout(ground),
  });
  if (look.kind === 'failed') return [];
  const claims = [...look.refs].filter(([ref]) => ref.startsWith(CLAIMS) && isWorkId(ref.slice(CLAIMS.length)));
  if (claims.length === 0) return [];
  const all = await lookAtAll(ground, remote, { claims, state: look.refs.get(STATE_REF) });
  const items = all.map((one) => ({ one, item: decideClaim(one.facts) }));
  const going = items.filter(({ item }) => item.action === 'remove-claim');
  const outcome = bench.dryRun
    ? new Map<RefName, string>()
    : await remove(
        ground,
        remote,
        going.map(({ one }) => one),
      );
  return items.map(({ one, item }): Collected => {
    if (item.action !== 'remove-claim') return { ...item, result: 'none' };
    if (bench.dryRun) return { ...item, result: 'planned' };
    const why = outcome.get(one.facts.ref);
    if (why === undefined) return { ...item, result: 'done' };
    return { ...item, ...keepIt(why === 'moved' ? 'changed' : 'declined', `${remote}: ${why}`), result: 'kept' };
  });
}

async function lookAtAll(
  ground: Ground,
  remote: string,
  there: { readonly claims: readonly (readonly [RefName, Oid])[]; readonly state: Oid | undefined },
): Promise<readonly Looked[]> {
  const { bench } = ground;
  const own = await loadState(ground.env);
  const shared = await sharedReader(ground, remote, there.state);
  const looked: Looked[] = [];
  const first = await Promise.all(
    there.claims.map(async ([ref, oid]) => {
      const id = ref.slice(CLAIMS.length);
      const facts = { remote, ref, id, own: await loadRecord(bench, own, id), shared: await shared(id) };
      return { oid, facts: { ...facts, claim: 'free' } satisfies ClaimFacts };
    }),
  );
  // Those of open work are not even read.
  const wanted = first
    .filter(({ facts }) => decideClaim(facts).action === 'remove-claim')
    .map(({ facts }) => facts.ref);
  if (wanted.length > 0) await fetchObjects(bench.repository, { remote, refs: wanted, timeout: fetchTimeout(ground) });
  for (const { oid, facts } of first)
    looked.push({
      oid,
      facts: wanted.includes(facts.ref) ? { ...facts, claim: await stateOf(ground, facts, oid) } : facts,
    });
  return looked;
}

async function sharedReader(
  ground: Ground,
  remote: string,
  state: Oid | undefined,
): Promise<(id: string) => Promise<SharedRecord>> {
  if (state === undefined) return async () => ({ kind: 'none' });
  const why = await fetchMissing(ground, remote, new Map([[STATE_REF, state]]));
  if (why !== null) return async () => ({ kind: 'unseen', why });
  try {
    const snapshot = await loadStateAt(ground.env, state);
    return (id): Promise<RecordFacts> => loadRecord(ground.bench, snapshot, id);
  } catch (error) {
    if (!isOwlError(error)) throw error;
    return async () => ({ kind: 'unseen', why: error.message });
  }
}

async function stateOf(ground: Ground, { remote, ref, id }: ClaimFacts, oid: Oid): Promise<ClaimFacts['claim']> {
  const { bench } = ground;
  const object = await (await bench.repository.engine()).read(oid);
  const value = object?.type === 'blob' ? parseLease(object.data.toString('utf8')) : 'none';
  if (typeof value === 'string') return 'unknown';
  if (value.holder === null) return 'free';
  const read: LeaseRead = { kind: 'value', oid, value };
  const { name } = leasePlace(bench, { target: id, remote, ref });
  const holder = await holderHere(bench, name, value);
  if (holder !== null) return holder === 'dead' ? 'expired' : 'held';
  const sight = bench.dryRun ? await knownSight(bench, name, read) : await noteSight(bench, name, read);
  return sight.since + value.length <= bench.clock.now() ? 'expired' : 'held';
}

/** Why those stay that stay. */
async function remove(ground: Ground, remote: string, going: readonly Looked[]): Promise<ReadonlyMap<RefName, string>> {
  const { bench } = ground;
  const stays = new Map<RefName, string>();
  if (going.length === 0) return stays;
  const engine = await bench.repository.engine();
  await failpoint('gc.before-claims');
  const updates = going.map(({ oid, facts }) => ({ ref: facts.ref, old: oid, new: 'absent' as const }));
  const { refs, why } = await pushRefs(bench.repository, { remote, updates });
  await failpoint('gc.after-claims');
  for (const { ref, status } of refs) {
    if (status !== 'done' && status !== 'there') stays.set(ref, status === 'moved' ? 'moved' : (why ?? status));
    // The copy here is of nothing any more.
    const copy = stays.has(ref) ? null : await engine.resolve(ref);
    if (copy !== null) await engine.swap({ ref, old: copy, new: 'absent' }, 'owl: gc, its work is closed');
  }
  return stays;
}
