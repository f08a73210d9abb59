// What would become of branches that are merged, from objects alone: nothing moves, and no checkout is looked at (06, conflicts).

import { type Change, clashAt, type Driver, type FileChange, type Hunk, pairsThatMeet } from '../domain/collision.js';
import type { Oid } from '../domain/git.js';
import { gitFailed } from './exec.js';
import { type Isolation, isolate } from './isolated.js';
import { agreeOnHandoff } from './own-handoff.js';
import { parseZeroContextPatch } from './parse/zero-context-patch.js';
import { loadContents } from './partial.js';
import { shownName } from './path-bytes.js';
import { createPool, type Pool } from './pool.js';
import type { Repository } from './repository.js';
import { type MergeRoom, mergeThree } from './three-way.js';
import { byName, changedPaths } from './tree-diff.js';
import { type AtPath, entryAt } from './tree-path.js';

export interface PredictRequest {
  /** The target's commit; its attributes count. */
  readonly target: Oid;
  readonly tips: readonly Oid[];
  /** Never a conflict (J25). */
  readonly handoff: string;
}

/** `with`: the place of another tip; null: the target. `paths`: as UTF-8. */
export interface Collision {
  readonly tip: number;
  readonly with: number | null;
  readonly paths: readonly string[];
}

/**
 * Each tip with the target, then, of those that merge, each with each other as if it had been merged first.
 * Throws OwlError `git-failed`, `unreadable-object`, `timeout`, `storage`.
 */
export async function predictCollisions(
  repository: Repository,
  request: PredictRequest,
): Promise<readonly Collision[]> {
  const pool = await createPool(repository);
  const isolation = isolate(repository, request.target, { keep: false });
  const room: MergeRoom = { repository, pool, isolation };
  try {
    const found: Collision[] = [];
    const landed: { readonly tip: number; readonly tree: Oid }[] = [];
    for (const [tip, oid] of request.tips.entries()) {
      const merged = await landOn(room, request, oid);
      if (merged.kind === 'clean') landed.push({ tip, tree: merged.tree });
      else found.push({ tip, with: null, paths: merged.paths });
    }
    const target = await pool.treeOf(request.target);
    const changes = await changesOf(
      room,
      target,
      landed.map(({ tree }) => tree),
      request.handoff,
    );
    const sides = landed.map((side, at): Side => {
      const files = new Map(changes[at]?.files.map((file) => [file.path, file]));
      return { ...side, files };
    });
    const pairs = pairsThatMeet(changes);
    const drivers = await driversOf(isolation, new Set(pairs.flatMap(({ paths }) => paths)));
    for (const { one, two, paths: meeting } of pairs) {
      const [mine, yours] = [sides[one] as Side, sides[two] as Side];
      const paths = await clashOf(room, { target, paths: meeting, one: mine, two: yours, drivers });
      if (paths.length > 0) found.push({ tip: mine.tip, with: yours.tip, paths });
    }
    return found;
  } finally {
    await isolation.close();
  }
}

async function landOn(room: MergeRoom, { target, handoff }: PredictRequest, tip: Oid) {
  const { pool } = room;
  const bases = await pool.engine.mergeBases(target, tip);
  // With several, or none that is known: Git merges from the first, or from nothing.
  const base = typeof bases === 'string' ? undefined : bases[0];
  const trees = {
    base: base === undefined ? pool.emptyTree : await pool.treeOf(base),
    ours: await pool.treeOf(target),
    theirs: await pool.treeOf(tip),
  };
  const agreed = await agreeOnHandoff(pool, trees, handoff, await entryAt(pool, trees.ours, handoff));
  const merged = await mergeThree(room, agreed);
  // The tree that Git made lies inside: it goes with the room, and is read from the pool until then.
  for (const object of await room.isolation.made()) if (object.type === 'tree') pool.add(object);
  return merged;
}

const entry = (at: AtPath): string | null => (at === null ? null : `${at.mode} ${at.oid}`);

async function changesOf(
  room: MergeRoom,
  target: Oid,
  trees: readonly Oid[],
  handoff: string,
): Promise<readonly Change[]> {
  const { pool } = room;
  const all = await Promise.all(trees.map((tree) => changedPaths(pool, target, tree)));
  const hunks = await hunksOf(room, target, trees);
  const changes: Change[] = [];
  for (const [at, paths] of all.entries()) {
    const files: FileChange[] = [];
    for (const change of paths) {
      if (change.path === handoff) continue;
      const [old, now] = [entry(change.old), entry(change.new)];
      const key = `${change.old?.oid ?? ''} ${change.new?.oid ?? ''}`;
      files.push({ path: change.path, old, new: now, hunks: hunks.get(key) ?? null });
    }
    for (const path of await foldersGone(pool, target, trees[at] as Oid, ''))
      files.push({ path, old: 'folder', new: null, hunks: null });
    changes.push({ files });
  }
  return changes;
}

/** Folders that the target has and this tree has not, the topmost ones: what others put in there may follow a rename. */
async function foldersGone(pool: Pool, from: Oid, to: Oid, prefix: string): Promise<readonly string[]> {
  if (from === to) return [];
  const after = byName(await pool.tree(to));
  const gone: string[] = [];
  for (const { mode, name, oid } of await pool.tree(from)) {
    if (mode !== '040000') continue;
    const there = after.get(name);
    if (there?.mode !== '040000') gone.push(`${prefix}${name}`);
    else gone.push(...(await foldersGone(pool, oid, there.oid, `${prefix}${name}/`)));
  }
  return gone;
}

/** The changed lines of every text file that was changed, by the ids of its two contents. One process for all trees. */
async function hunksOf(
  { repository, pool, isolation }: MergeRoom,
  target: Oid,
  trees: readonly Oid[],
): Promise<ReadonlyMap<string, readonly Hunk[]>> {
  if (trees.length < 2) return new Map();
  await loadContents(repository, target, trees);
  // Inside, only the target's own attributes say what is text.
  const inside = await isolation.enter();
  await inside.lend(pool.pendingTrees());
  const args = [
    'diff-tree',
    '--stdin',
    '-r',
    '-p',
    '-U0',
    // As the merge itself compares.
    '--histogram',
    '--full-index',
    '--diff-filter=M',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
    '--ignore-submodules=all',
    '--inter-hunk-context=0',
  ];
  const input = trees.map((tree) => `${target} ${tree}\n`).join('');
  const result = await inside.run(args, { input, reading: true });
  if (result.code !== 0) throw gitFailed(args, result);
  return parseZeroContextPatch(result.stdout);
}

/** How the paths are merged, by the target's attributes. Those that are not named are text. */
async function driversOf(isolation: Isolation, paths: ReadonlySet<string>): Promise<ReadonlyMap<string, Driver>> {
  const drivers = new Map<string, Driver>();
  if (paths.size === 0) return drivers;
  const inside = await isolation.enter();
  const args = ['check-attr', '--stdin', '-z', 'merge'];
  const input = Buffer.from([...paths].map((path) => `${path}\0`).join(''), 'latin1');
  const result = await inside.run(args, { input, reading: true });
  if (result.code !== 0) throw gitFailed(args, result);
  const words = result.stdout.toString('latin1').split('\0');
  for (let at = 0; at + 2 < words.length; at += 3) {
    const value = words[at + 2];
    // `-merge` is `unset`; a driver that only a configuration knows is not run here, and Git merges as text then.
    if (value === 'unset' || value === 'binary') drivers.set(words[at] as string, 'binary');
    if (value === 'union') drivers.set(words[at] as string, 'union');
  }
  return drivers;
}

interface Side {
  readonly tip: number;
  readonly tree: Oid;
  readonly files: ReadonlyMap<string, FileChange>;
}

interface Meeting {
  readonly target: Oid;
  readonly paths: readonly string[];
  readonly one: Side;
  readonly two: Side;
  readonly drivers: ReadonlyMap<string, Driver>;
}

/** Paths in which the two collide, as UTF-8; empty: in none. */
async function clashOf(room: MergeRoom, { target, paths, one, two, drivers }: Meeting): Promise<readonly string[]> {
  const clashes: string[] = [];
  for (const path of paths) {
    const [mine, yours] = [one.files.get(path), two.files.get(path)];
    const clash = mine === undefined || yours === undefined ? 'ask' : clashAt(mine, yours, drivers.get(path) ?? 'text');
    if (clash === 'ask') {
      const merged = await mergeThree(room, { base: target, ours: one.tree, theirs: two.tree });
      return merged.kind === 'clean' ? [] : merged.paths;
    }
    if (clash === 'conflict') clashes.push(shownName(path));
  }
  return clashes;
}
