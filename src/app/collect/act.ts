// Acting on what was planned: each item is looked at again at the moment of acting, and one that fails never stops the others (M1).

import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Item, keepIt, type Limits } from '../../domain/collect.js';
import type { CollectReason } from '../../domain/collect-reasons.js';
import { isOwlError } from '../../domain/errors.js';
import type { Oid, RefName } from '../../domain/git.js';
import { expireMonths, type Folded, foldKept } from '../../state/archive.js';
import { ARCHIVE_PREFIX, chainOf, chainRef, LOCAL_PREFIX } from '../../state/layout.js';
import type { StoreEnv } from '../../state/store-env.js';
import { failpoint } from '../../system/failpoint.js';
import { jobRef } from '../jobs.js';
import { isSkillPlace } from '../skill/checkout.js';
import type { Workbench } from '../workbench.js';
import { isFresh } from '../workspace/fresh.js';
import { loadRegistration, type Registration } from '../workspace/registration.js';
import { mayExpire } from './contained.js';
import { branchItem, keptItem } from './look-refs.js';
import { runNoteItem, scratchItem } from './look-scratch.js';
import { skillBranchOf } from './look-skill.js';
import { ownItem } from './look-worktrees.js';
import { loadRecord } from './records.js';
import { removePlace } from './remove-place.js';

/** `none`: nothing was to be done. `kept`: it was to be done, and something came in between. */
export type Result = 'none' | 'planned' | 'done' | 'kept';

export interface Collected extends Item {
  readonly result: Result;
  /** Of a name that was retired: what held when it went (M8). */
  readonly guarantee?: 'fenced' | 'unfenced' | 'local' | undefined;
}

export interface Acting {
  readonly bench: Workbench;
  readonly env: StoreEnv;
  readonly limits: Limits;
  /** `yyyy-mm` of now. */
  readonly month: string;
}

const NOTHING: ReadonlySet<string> = new Set();

export const untouched = (item: Item): Collected => ({ ...item, result: 'none' });
const kept = (item: Item, reason: CollectReason, detail: string): Collected => ({
  ...item,
  ...keepIt(reason, detail),
  result: 'kept',
});

/** Carries out the items in their order. */
export async function act(acting: Acting, items: readonly Item[]): Promise<readonly Collected[]> {
  const done: Collected[] = [];
  for (const item of items) {
    if (item.action === 'none' || item.action === 'report') done.push(untouched(item));
    // What was not reached stays planned: the next gc begins anew.
    else if (acting.bench.signal.aborted) done.push({ ...item, result: 'planned' });
    else if (item.action !== 'fold' && item.action !== 'expire')
      done.push(await guarded(item, () => actOn(acting, item)));
  }
  const folds = items.filter((item) => item.action === 'fold');
  const months = items.filter((item) => item.action === 'expire');
  if (acting.bench.signal.aborted) return done;
  return [...done, ...(await fold(acting, folds)), ...(await expire(acting, months))];
}

async function guarded(item: Item, attempt: () => Promise<Collected>): Promise<Collected> {
  try {
    return await attempt();
  } catch (error) {
    if (!isOwlError(error)) throw error;
    return kept(item, 'inspection-failed', error.message);
  }
}

async function actOn(acting: Acting, planned: Item): Promise<Collected> {
  const item = await again(acting, planned);
  if (item === null) return kept(planned, 'changed', 'it is gone already');
  if (item.action !== planned.action) return { ...item, result: 'kept' };
  await failpoint(`gc.before-${item.action}`);
  const why = await carryOut(acting, item);
  await failpoint(`gc.after-${item.action}`);
  return why === null || why.kind === 'done'
    ? { ...item, detail: item.detail + (why?.more ?? ''), result: 'done' }
    : kept(item, why.reason, why.detail);
}

/** The item as it is now; null: there is nothing any more. */
async function again({ bench, limits }: Acting, item: Item): Promise<Item | null> {
  const snapshot = await bench.store.snapshot();
  switch (item.action) {
    case 'remove-worktree': {
      const id = basename(item.subject);
      const note = await loadRegistration(bench.notes, id);
      return note === null ? null : ownItem(bench, snapshot, limits, { id, note: note.value, landed: false });
    }
    case 'delete-branch': {
      const oid = await (await bench.repository.engine()).resolve(item.subject as RefName);
      if (oid === null || item.owner === null) return null;
      return branchItem(bench, snapshot, {
        ref: item.subject as RefName,
        oid,
        id: item.owner,
        base: null,
        going: NOTHING,
      });
    }
    case 'remove-scratch':
      return scratchItem(bench, snapshot, basename(item.subject));
    case 'remove-note':
      return runNoteItem(bench, snapshot, item.subject.slice(LOCAL_PREFIX.length));
    default:
      return item;
  }
}

type Outcome =
  | { readonly kind: 'done'; readonly more: string }
  | { readonly kind: 'kept'; readonly reason: CollectReason; readonly detail: string };

async function carryOut(acting: Acting, item: Item): Promise<Outcome | null> {
  const { bench } = acting;
  switch (item.action) {
    case 'remove-worktree':
      return removeWorktree(acting, basename(item.subject));
    case 'delete-branch':
      return deleteBranch(acting, item);
    case 'remove-scratch':
      await rm(item.subject, { recursive: true, force: true });
      return null;
    case 'remove-note': {
      const name = item.subject.slice(LOCAL_PREFIX.length);
      const note = await bench.notes.read(name);
      if (note !== null && !(await bench.notes.remove(name, note.oid)))
        return { kind: 'kept', reason: 'changed', detail: 'it moved meanwhile' };
      return null;
    }
    default:
      return { kind: 'kept', reason: 'changed', detail: `nothing is known of how to ${item.action} it` };
  }
}

async function removeWorktree({ bench }: Acting, id: string): Promise<Outcome> {
  const note = await loadRegistration(bench.notes, id);
  if (note === null) return { kind: 'done', more: '' };
  const gone = await removePlace(bench, id, note, await branchOf(bench, id, note.value));
  if (gone.kind === 'stays') return { kind: 'kept', reason: 'changed', detail: gone.why };
  return {
    kind: 'done',
    more: gone.ignored.length === 0 ? '' : `; git-ignored files went with it: ${gone.ignored.slice(0, 5).join(', ')}`,
  };
}

/** The branch that its checkout is on; null: none, or none is known. */
async function branchOf(bench: Workbench, id: string, note: Registration): Promise<RefName | null> {
  if (isFresh(id)) return null;
  const snapshot = await bench.store.snapshot();
  if (isSkillPlace(id)) return skillBranchOf(bench, snapshot, id, note);
  const record = await loadRecord(bench, snapshot, id);
  return record.kind === 'job' ? jobRef(record.job) : null;
}

/** At exactly the tip that was just judged. */
async function deleteBranch({ bench }: Acting, item: Item): Promise<Outcome | null> {
  const engine = await bench.repository.engine();
  const ref = item.subject as RefName;
  const old = await engine.resolve(ref);
  if (old === null) return null;
  // Judged once more with this very value: what is compared is what was proven.
  const proven = await branchItem(bench, await bench.store.snapshot(), {
    ref,
    oid: old,
    id: item.owner ?? '',
    base: null,
    going: NOTHING,
  });
  if (proven.action !== 'delete-branch') return { kind: 'kept', reason: proven.reason, detail: proven.detail };
  const swap = await engine.swap({ ref, old, new: 'absent' }, `owl: gc, ${item.reason}`);
  if (swap.kind === 'moved' || (swap.kind === 'lost' && swap.found === 'absent'))
    return { kind: 'done', more: ` (it was at ${old})` };
  return { kind: 'kept', reason: 'changed', detail: swap.kind === 'lost' ? 'it moved meanwhile' : swap.message };
}

/** All at once: one archive commit for each chain, then the names go, each by compare-and-swap. */
async function fold({ bench, env, month }: Acting, items: readonly Item[]): Promise<readonly Collected[]> {
  const results: Collected[] = [];
  const ready: Item[] = [];
  const snapshot = await bench.store.snapshot();
  for (const item of items) {
    const result = await guarded(item, async () => {
      const now = await keptItem(bench, snapshot, item.subject as RefName, month, NOTHING);
      if (now.action === 'fold') ready.push(item);
      return { ...now, result: 'kept' };
    });
    if (!ready.includes(item)) results.push(result);
  }
  if (ready.length === 0) return results;
  await failpoint('gc.before-fold');
  let why = 'it could not be folded';
  const folded = await foldKept(
    env,
    ready.map(({ subject }) => chainOf(subject as RefName) ?? ''),
    month,
  ).catch((error: unknown) => {
    if (!isOwlError(error)) throw error;
    why = error.message;
    return [];
  });
  await failpoint('gc.after-fold');
  const byRef = new Map<string, Folded['outcome']>(folded.map((one) => [chainRef(one.job), one.outcome]));
  return [
    ...results,
    ...ready.map((item): Collected => {
      const outcome = byRef.get(item.subject);
      if (outcome === 'folded' || outcome === 'nothing-kept') return { ...item, result: 'done' };
      return kept(
        item,
        outcome === undefined ? 'inspection-failed' : 'changed',
        outcome === undefined ? why : 'it moved, or its work was opened again',
      );
    }),
  ];
}

/** Months are judged again entry by entry, with the state as it is then (M12). */
async function expire({ bench, env, limits }: Acting, items: readonly Item[]): Promise<readonly Collected[]> {
  if (items.length === 0) return [];
  await failpoint('gc.before-expire');
  const mayGo = (id: string, tips: readonly Oid[]): Promise<boolean> => mayExpire(bench, env, id, tips);
  let why = '';
  const months = await expireMonths(env, limits.gc.keep.ms, { mayGo }).catch((error: unknown) => {
    if (!isOwlError(error)) throw error;
    why = error.message;
    return [];
  });
  await failpoint('gc.after-expire');
  return items.map((item): Collected => {
    const month = months.find((one) => `${ARCHIVE_PREFIX}${one.month}` === item.subject);
    if (month?.outcome === 'expired') return { ...item, result: 'done' };
    return why === '' ? kept(item, 'changed', 'it moved meanwhile') : kept(item, 'inspection-failed', why);
  });
}
