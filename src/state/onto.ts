// A change on top of another tip than that of this clone: the shared state as it was fetched, with one unit's records and
// nothing else, always a fast-forward (G32). No ref moves here.

import type { EventDraft } from '../domain/events.js';
import type { Oid } from '../domain/git.js';
import { formatTimestamp } from '../system/clock.js';
import { makeCommits } from './commit.js';
import { loadRoot } from './guard.js';
import { indexAnew } from './index-anew.js';
import { AREAS, type WorkKind, workPath } from './layout.js';
import { lookUp } from './objects.js';
import { createSnapshot, metaError } from './snapshot.js';
import type { StoreEnv } from './store-env.js';
import { beginTransaction } from './transaction.js';
import type { Tx } from './types.js';

export interface UnitId {
  readonly kind: WorkKind;
  readonly id: string;
}

export interface OntoRequest {
  /** The fetched tip. */
  readonly tip: Oid;
  readonly op: string;
  readonly event: EventDraft;
  /** Puts the unit's records; what it keeps or moves is the local change's affair and is left out. */
  readonly change: (tx: Tx) => Promise<void>;
  /** Files beside the records: path -> bytes. */
  readonly files?: ReadonlyMap<string, Buffer> | undefined;
}

/** The commit on top of `tip`, written. Throws OwlError `newer-state`, `damaged-state`, `foreign-state`, and what `change` throws. */
export async function commitOnto(env: StoreEnv, request: OntoRequest): Promise<Oid> {
  const { tip, op } = request;
  const now = env.clock.now();
  // The index of a state that came from elsewhere is not built upon.
  const { root } = await indexAnew(env, await loadRoot(env.objects, tip), now);
  const snapshot = createSnapshot(env.objects, tip, root, now);
  const meta = await snapshot.loadMeta();
  if (meta.kind === 'damaged' || meta.kind === 'newer') throw metaError(meta);
  const transaction = beginTransaction(snapshot, op, formatTimestamp(now));
  await request.change(transaction.tx);
  const built = await transaction.build(request.files ?? new Map());
  const commits = await makeCommits(env, {
    tree: built.root as Oid,
    parent: tip,
    event: request.event,
    open: built.open,
    op,
    request: null,
    meta: null,
  });
  await env.engine.write([...built.objects, ...commits]);
  return commits.at(-1)?.oid ?? tip;
}

/**
 * May this clone's records of these units go on top of `theirs`? Yes where the other side has them as a common ancestor had
 * them, or as they are here. Returns the ids that both sides changed.
 */
export async function contestedUnits(
  env: StoreEnv,
  tips: { readonly ours: Oid; readonly theirs: Oid; readonly bases: readonly Oid[] },
  units: readonly UnitId[],
): Promise<readonly string[]> {
  const roots = await Promise.all([tips.ours, tips.theirs, ...tips.bases].map((tip) => loadRoot(env.objects, tip)));
  const contested: string[] = [];
  for (const unit of units) {
    const [ours, theirs, ...bases] = await Promise.all(roots.map((root) => treeOf(env, root, unit)));
    if (theirs !== ours && !bases.includes(theirs ?? null)) contested.push(unit.id);
  }
  return contested;
}

async function treeOf(env: StoreEnv, root: Oid, unit: UnitId): Promise<Oid | null> {
  for (const area of AREAS) {
    const entry = await lookUp(env.objects, root, workPath(unit.kind, area, unit.id));
    if (entry !== null) return entry.oid;
  }
  return null;
}
