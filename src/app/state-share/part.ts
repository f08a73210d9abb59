// What a publication takes along of the state, where state is shared through the same remote: one commit on the fetched tip
// with this unit's records and nothing else (G32); and taking that in here, once it is there (05, S2).

import type { EventDraft } from '../../domain/events.js';
import { type Oid, type RefName, remoteRef } from '../../domain/git.js';
import { unshallow } from '../../git/deepen.js';
import { type FetchResult, fetchRef } from '../../git/fetch.js';
import { sayContested } from '../../state/contested.js';
import { STATE_REF } from '../../state/layout.js';
import { takeIn } from '../../state/merge-states.js';
import { commitOnto, contestedUnits, type UnitId } from '../../state/onto.js';
import { openEnv } from '../../state/store.js';
import type { StoreEnv } from '../../state/store-env.js';
import type { Tx } from '../../state/types.js';
import { failpoint } from '../../system/failpoint.js';
import type { PushPart } from '../publish/publish.js';
import { noteArrival } from '../sync/arrive.js';
import type { Workbench } from '../workbench.js';

/** Where the fetched state of a remote lies: whole, without filter (S6). */
export const trackedState = (remote: string): RefName => remoteRef(remote, 'refine/state');

/** Fetches the state of a remote; a failure is a value, `no-branch` where it has none. */
export async function fetchState(bench: Workbench, remote: string): Promise<FetchResult> {
  const timeout = Number(bench.environment.variables['OWL_FETCH_TIMEOUT']) || undefined;
  const request = { remote, from: STATE_REF, to: trackedState(remote), timeout };
  const fetched = await fetchRef(bench.repository, { ...request, whole: true, perhaps: true });
  // A clone of depth 1 brought its last commit alone: what it does not have of the history would look like another one.
  const why = fetched.status === 'fetched' ? await unshallow(bench.repository, request) : null;
  return why === null ? fetched : { status: 'failed', reason: why };
}

export interface SharedRequest {
  readonly remote: string;
  /** A Goal and the Jobs of its Rounds; or one Job. */
  readonly units: readonly UnitId[];
  readonly op: string;
  readonly event: EventDraft;
  /** Puts the records of these units as they will be, once it is published. */
  readonly change: (tx: Tx) => Promise<void>;
}

/** Fetches the state of the remote and builds the commit. State is shared where the remote has a state of our own history. */
export async function sharedState(bench: Workbench, request: SharedRequest): Promise<PushPart> {
  const { remote } = request;
  const fetched = await fetchState(bench, remote);
  if (fetched.status === 'failed') {
    if (fetched.reason === 'no-branch') return { kind: 'none' };
    return {
      kind: 'held',
      code: 'remote-unreachable',
      why: `the state on ${remote} could not be fetched: ${fetched.reason}`,
    };
  }
  const env = await openEnv(bench);
  const ours = await env.engine.resolve(STATE_REF);
  if (ours === null) return { kind: 'none' };
  const bases = ours === fetched.oid ? [ours] : await env.engine.mergeBases(ours, fetched.oid);
  if (typeof bases === 'string' || bases.length === 0) {
    bench.say(`${remote} has a state of another history; the records stay here`);
    return { kind: 'none' };
  }
  const contested = await contestedUnits(env, { ours, theirs: fetched.oid, bases }, request.units);
  if (contested.length > 0) return takeFirst(bench, env, { remote, theirs: fetched.oid, ids: contested });
  const { op, event, change } = request;
  const commit = await commitOnto(env, { tip: fetched.oid, op, event, change });
  return { kind: 'part', update: { ref: STATE_REF, old: fetched.oid, new: commit } };
}

/**
 * What others said about this unit comes here first (05, S2): then the command is to be given again, on what both say. What two
 * clones decided differently a person settles (S3).
 */
async function takeFirst(
  bench: Workbench,
  env: StoreEnv,
  found: { readonly remote: string; readonly theirs: Oid; readonly ids: readonly string[] },
): Promise<PushPart> {
  const { remote, theirs, ids } = found;
  const taken = await takeIn(env, theirs, { before: (ours, next) => noteArrival(bench, env, { ours, next }) });
  if (taken.kind === 'foreign' || taken.kind === 'busy') {
    const why = taken.kind === 'foreign' ? taken.why : 'the state here changes all the time';
    return { kind: 'held', code: 'state-busy', why: `the state of ${remote} was not taken in: ${why}` };
  }
  const contested = taken.contested.filter(({ id }) => ids.includes(id));
  if (contested.length > 0)
    return { kind: 'held', code: 'state-contested', why: contested.map(sayContested).join('; ') };
  const why = `${ids.join(', ')} was changed on ${remote} too; that is taken in now, and it is to be tried again`;
  return { kind: 'held', code: 'state-busy', why };
}

/**
 * The state here takes in what was published with these units, of which this clone has the last word. Returns one sentence where it
 * cannot; nothing is lost by that.
 */
export async function takeStateIn(
  bench: Workbench,
  published: { readonly state: Oid; readonly remote: string; readonly units: readonly string[] },
): Promise<readonly string[]> {
  const { remote } = published;
  await failpoint('share.before-take-in');
  const env = await openEnv(bench);
  const taken = await takeIn(env, published.state, {
    settled: new Set(published.units),
    before: (ours, next) => noteArrival(bench, env, { ours, next, own: new Set(published.units) }),
  });
  await failpoint('share.after-take-in');
  switch (taken.kind) {
    case 'foreign':
      return [`the state of ${remote} was not taken in: ${taken.why}`];
    case 'busy':
      return [`the state of ${remote} was not taken in: the state here changes all the time`];
    case 'taken':
    case 'same':
      return taken.contested.map(sayContested);
  }
}
