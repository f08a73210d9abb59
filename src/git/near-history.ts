// Short looks along parents, from objects: most questions of a Run are about a few commits, and a process for each costs more than
// all of them. Only a "yes" is an answer here; null says nothing: ask Git.

import type { Oid } from '../domain/git.js';
import type { GitObject } from './engine.js';
import { parseCommit } from './objects.js';

export type ReadObject = (oid: Oid) => Promise<GitObject | null>;

/** Commits that are looked at before Git is asked. */
const NEAR = 24;

/** True: `ancestor` is reached from `descendant`, or is it. */
export async function isNearAncestor(read: ReadObject, ancestor: Oid, descendant: Oid): Promise<true | null> {
  const seen = new Set<Oid>([descendant]);
  for (const oid of seen) {
    const parents = seen.size > NEAR ? null : await parentsOf(read, oid);
    if (parents === null) return null;
    if (oid === ancestor) return true;
    for (const parent of parents) seen.add(parent);
  }
  return null;
}

/** The one merge base of two tips where both have a line of single parents down to it. */
export async function nearMergeBase(read: ReadObject, one: Oid, two: Oid): Promise<Oid | null> {
  const lines: { at: Oid; readonly seen: Set<Oid> }[] = [one, two].map((at) => ({ at, seen: new Set([at]) }));
  // Step by step on both sides: the near one of a long history is found soon.
  for (let step = 0; step < NEAR; step += 1) {
    for (const [side, line] of lines.entries()) {
      if (lines[1 - side]?.seen.has(line.at)) return (await parentsOf(read, line.at)) === null ? null : line.at;
      const parents = await parentsOf(read, line.at);
      if (parents === null || parents.length > 1) return null;
      line.at = parents[0] ?? line.at;
      line.seen.add(line.at);
    }
  }
  return null;
}

/** The commits after `from` up to `to`, newest first, where each has a single parent. */
export async function nearRange(read: ReadObject, from: Oid, to: Oid): Promise<readonly Oid[] | null> {
  const range: Oid[] = [];
  for (let at = to; at !== from; ) {
    const parents = range.length === NEAR ? null : await parentsOf(read, at);
    const [parent] = parents ?? [];
    if (parent === undefined || parents?.length !== 1) return null;
    range.push(at);
    at = parent;
  }
  return range;
}

/** Null where it is no commit that can be read: whatever that means is Git's to say. */
async function parentsOf(read: ReadObject, oid: Oid): Promise<readonly Oid[] | null> {
  const object = await read(oid).catch(() => null);
  return object?.type === 'commit' ? parseCommit(oid, object.data).parents : null;
}
