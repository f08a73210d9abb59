// Bringing files and index of one checkout from one commit to another, with what the user changed left alone (G33).
// `planFollow` looks, `applyFollow` writes; locks and refs are the caller's (app/follow.ts).

import type { Oid } from '../domain/git.js';
import { type Change, type Content, loadContents, type Side } from './follow-contents.js';
import type { GitResult } from './git.js';
import { shownName } from './path-bytes.js';
import { createPool } from './pool.js';
import type { Repository } from './repository.js';
import {
  cover,
  type Hidden,
  type IndexEntry,
  loadEntries,
  type ScratchIndex,
  setEntries,
  uncover,
} from './scratch-index.js';
import { changedPaths } from './tree-diff.js';

export interface FollowPlan {
  readonly from: Oid;
  readonly to: Oid;
  /** All that the move changes, as binary names. */
  readonly paths: readonly string[];
  /** Paths that the user changed and the move changes, or that are in the move's way; readable names. */
  readonly collisions: readonly string[];
  /** The same paths as binary names, with the entry that `to` has for them. */
  readonly collided: ReadonlyMap<string, Side | null>;
  /** What the index copy must say before `read-tree`: entries for the version that the file already has. */
  readonly entries: ReadonlyMap<string, Side | null>;
  /** Clean files under a hiding bit: it is taken off for the move and put back after it. */
  readonly hidden: Hidden;
}

/**
 * Looks whether the checkout of this index copy can go from `from` to `to`. Every path that the move changes is compared
 * by content with both versions: one that already has the new content counts as clean (so an interrupted follow can be
 * taken up, in either direction), any other difference is a collision; so is whatever lies where the move adds a path,
 * ignored or not. Writes nothing but blobs' ids in memory.
 */
export async function planFollow(repository: Repository, index: ScratchIndex, from: Oid, to: Oid): Promise<FollowPlan> {
  const changes = await loadChanges(repository, from, to);
  const byName = entriesByName(await loadEntries(index), new Set(changes.map(({ name }) => name)));
  const found = await loadContents(repository, index, changes);
  const collided = new Map<string, Side | null>();
  const entries = new Map<string, Side | null>();
  const hidden = { assumed: [] as string[], skipped: [] as string[] };
  for (const change of changes) {
    const staged = byName.get(change.name) ?? null;
    const content = found.get(change.name) ?? null;
    const verdict = judge(change, staged, content);
    if (staged !== null && staged.tag !== staged.tag.toUpperCase()) hidden.assumed.push(change.name);
    if (staged?.tag.toUpperCase() === 'S' && content !== null) hidden.skipped.push(change.name);
    if (verdict === 'collision') collided.set(change.name, change.new);
    else if (verdict !== 'as-is') entries.set(change.name, verdict === 'old' ? change.old : change.new);
  }
  const collisions = [...collided.keys()].map(shownName).sort();
  return { from, to, paths: changes.map(({ name }) => name), collisions, collided, entries, hidden };
}

/**
 * A plan that leaves the files of its collisions as they are and moves only their entries, so that they show as changed.
 * For taking up an interrupted follow alone: there the user may have changed a file in between, and somebody must finish.
 */
export const besideCollisions = (plan: FollowPlan): FollowPlan => ({
  ...plan,
  collisions: [],
  collided: new Map(),
  entries: new Map([...plan.entries, ...plan.collided]),
});

/**
 * Carries a plan without collisions out: files and the index copy. Returns the paths in the way when something appeared
 * since the plan was made; then Git changed nothing.
 */
export async function applyFollow(index: ScratchIndex, plan: FollowPlan): Promise<readonly string[] | 'done'> {
  await uncover(index, plan.hidden);
  await setEntries(index, plan.entries);
  const move = () => index.run(['read-tree', '-m', '-u', '--no-recurse-submodules', plan.from, plan.to]);
  // Git refuses, and changes nothing, where stat data alone look different: then they are made right first.
  const result = plan.entries.size === 0 ? await move() : null;
  const moved = result?.code === 0 || (await refreshed(index, move)).code === 0;
  if (moved) {
    await cover(index, plan.hidden);
    return 'done';
  }
  // Which path it was only the message says, and messages decide nothing: all that the move changes is named.
  return plan.paths.map(shownName);
}

async function refreshed(index: ScratchIndex, move: () => Promise<GitResult>): Promise<GitResult> {
  await index.run(['update-index', '-q', '--ignore-submodules', '--refresh']);
  return move();
}

async function loadChanges(repository: Repository, from: Oid, to: Oid): Promise<readonly Change[]> {
  const changes = await changedPaths(await createPool(repository), from, to);
  return changes.map(({ path, ...sides }) => ({ name: path, ...sides }));
}

/** An unmerged path has several entries: the last, of a stage above 0, speaks for it and is a collision. */
function entriesByName(entries: readonly IndexEntry[], names: ReadonlySet<string>): ReadonlyMap<string, IndexEntry> {
  return new Map(entries.filter(({ name }) => names.has(name)).map((entry) => [entry.name, entry]));
}

const same = (one: Side | null, two: Side | null): boolean =>
  one === null || two === null ? one === two : one.oid === two.oid && (one.mode === two.mode || one.mode === '160000');

const sameFile = (content: Side | null, side: Side | null): boolean =>
  // A file system without executable bits shows every file as 100644.
  content === null || side === null
    ? content === side
    : content.oid === side.oid && (content.mode === '120000') === (side.mode === '120000');

/** `old`, `new`: the version that index copy and file have in common from now on; `as-is`: the entry is right already. */
function judge(
  change: Change,
  staged: IndexEntry | null,
  content: Content | null,
): 'collision' | 'as-is' | 'old' | 'new' {
  if (staged !== null && staged.stage !== 0) return 'collision';
  const isOld = same(staged, change.old);
  const isNew = same(staged, change.new);
  if (!isOld && !isNew) return 'collision';
  const skipped = staged !== null && staged.tag.toUpperCase() === 'S';
  // Outside a sparse checkout: the entry moves, no file does.
  if (content === null && skipped) return isOld ? 'as-is' : 'new';
  if (content === 'other') return 'collision';
  if (change.old?.mode === '160000' || change.new?.mode === '160000') return judgeLink(change, content, isOld);
  if (sameFile(content, change.new)) return isNew ? 'as-is' : 'new';
  if (sameFile(content, change.old)) return isOld ? 'as-is' : 'old';
  return 'collision';
}

/** A submodule's folder is never entered: only its entry moves. A file in its place, or it in a file's place, collides. */
function judgeLink(change: Change, content: Side | null, isOld: boolean): 'collision' | 'as-is' | 'new' {
  const folder = content === null || content.mode === '160000';
  const becomesFile = change.new !== null && change.new.mode !== '160000';
  const wasFile = change.old !== null && change.old.mode !== '160000';
  if ((becomesFile || change.old === null) && content !== null) return 'collision';
  if (wasFile) return !folder && sameFile(content, change.old) && isOld ? 'as-is' : 'collision';
  if (!folder) return 'collision';
  return isOld ? 'as-is' : 'new';
}
