// What closed work has on the remote under names of its own, Candidates and shared tips, is folded into the archive of the month there,
// and the names go in the same push, never before (05, S1; M12). Judged by the state that this clone and the remote both have.

import type { Oid, RefName } from '../../domain/git.js';
import { fetchObjects } from '../../git/fetch.js';
import { type PushUpdate, pushedAll, pushRefs } from '../../git/push.js';
import { closedSince, foldShared } from '../../state/archive.js';
import { addEntries, sharedLink } from '../../state/archive-entries.js';
import {
  ARCHIVE_PREFIX,
  CANDIDATES_PREFIX,
  chainName,
  isWorkId,
  SHARED_PREFIX,
  sharedName,
} from '../../state/layout.js';
import type { StoreEnv } from '../../state/store-env.js';
import { formatTimestamp } from '../../system/clock.js';
import { failpoint } from '../../system/failpoint.js';
import type { Workbench } from '../workbench.js';

interface Named {
  readonly ref: RefName;
  readonly tip: Oid;
  readonly id: string;
  readonly kind: 'shared' | 'candidates';
}

/** Returns the names that went from the remote. One that could not go stays for the next sync, and that is said. */
export async function foldClosed(
  bench: Workbench,
  remote: string,
  there: ReadonlyMap<RefName, Oid>,
): Promise<readonly RefName[]> {
  const env = await bench.store.env();
  const month = formatTimestamp(bench.clock.now()).slice(0, 7);
  const gone = await foldThere(bench, env, { remote, there, month });
  const here = await env.engine.list(SHARED_PREFIX);
  const ids = here.map(({ ref }) => ref.slice(SHARED_PREFIX.length)).filter(isWorkId);
  if (ids.length > 0) await foldShared(env, ids, month);
  return gone;
}

interface Place {
  readonly remote: string;
  readonly there: ReadonlyMap<RefName, Oid>;
  readonly month: string;
}

async function foldThere(bench: Workbench, env: StoreEnv, place: Place): Promise<readonly RefName[]> {
  const { remote, there, month } = place;
  const closed = await closedNames(bench, there);
  if (closed.length === 0) return [];
  const archive = `${ARCHIVE_PREFIX}${month}` as RefName;
  const old = there.get(archive) ?? null;
  const refs = [...closed.map(({ ref }) => ref), ...(old === null ? [] : [archive])];
  const why = await fetchObjects(bench.repository, { remote, refs });
  if (why !== null) return stays(bench, remote, why);
  const entries = new Map<string, readonly Oid[]>();
  for (const { id, tip, kind } of closed)
    if (kind === 'candidates') entries.set(chainName(id, 'candidates'), [tip]);
    else entries.set(sharedName(id), [await sharedLink(env, tip)]);
  const { tip } = await addEntries(env, old, entries);
  const fold: readonly PushUpdate[] =
    tip === null || tip === old ? [] : [{ ref: archive, old: old ?? 'absent', new: tip }];
  const names = closed.map(({ ref, tip: at }): PushUpdate => ({ ref, old: at, new: 'absent' }));
  return push(bench, remote, fold, names);
}

/**
 * One push for both. Where the archive is not there yet it goes first: an atomic push is not all or nothing where the server hides a
 * ref (11), and only one that shows it can be known not to. So it is, too, with a server that takes no atomic push.
 */
async function push(
  bench: Workbench,
  remote: string,
  fold: readonly PushUpdate[],
  names: readonly PushUpdate[],
): Promise<readonly RefName[]> {
  const refs = names.map(({ ref }) => ref);
  await failpoint('sync.before-fold');
  if (fold[0] !== undefined && fold[0].old !== 'absent') {
    const whole = await pushRefs(bench.repository, { remote, updates: [...fold, ...names], atomic: true });
    await failpoint('sync.after-fold');
    if (pushedAll(whole)) return refs;
    if (whole.refs.some(({ status }) => status === 'moved' || status === 'unknown'))
      return stays(bench, remote, whole.why ?? 'it changes all the time');
  }
  const archived = fold.length === 0 ? null : await pushRefs(bench.repository, { remote, updates: fold });
  await failpoint('sync.between-fold');
  if (archived !== null && !pushedAll(archived)) return stays(bench, remote, archived.why ?? 'it did not answer');
  const deleted = await pushRefs(bench.repository, { remote, updates: names });
  if (deleted.why !== null) stays(bench, remote, deleted.why);
  return deleted.refs.filter(({ status }) => status === 'done' || status === 'there').map(({ ref }) => ref);
}

function stays(bench: Workbench, remote: string, why: string): readonly [] {
  bench.say(`what closed work shares on ${remote} is not folded yet: ${why}`);
  return [];
}

async function closedNames(bench: Workbench, there: ReadonlyMap<RefName, Oid>): Promise<readonly Named[]> {
  const snapshot = await bench.store.snapshot();
  const found: Named[] = [];
  for (const [ref, tip] of there) {
    const kind = ref.startsWith(SHARED_PREFIX) ? 'shared' : ref.startsWith(CANDIDATES_PREFIX) ? 'candidates' : null;
    const id = ref.split('/').at(-1) ?? '';
    if (kind === null || ref.split('/').length !== 4 || !isWorkId(id)) continue;
    if ((await closedSince(snapshot, id)) !== null) found.push({ ref, tip, id, kind });
  }
  return found;
}
