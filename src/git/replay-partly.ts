// A replay that leaves out what does not apply: for a Round that takes over the Candidate of another one (G44). No ref moves here, and
// the Handoff stays behind: it is the other Round's.

import type { Oid } from '../domain/git.js';
import { isolate } from './isolated.js';
import { shownName } from './path-bytes.js';
import { createPool, type Pool } from './pool.js';
import type { ReplayRequest } from './replay.js';
import { hasMerges, loadSteps, type Step } from './replay-steps.js';
import type { Repository } from './repository.js';
import { commitMaker } from './sign.js';
import { type MergeRoom, mergeThree } from './three-way.js';
import { changedPaths } from './tree-diff.js';
import { entryAt, putAt } from './tree-path.js';

export interface PartlyReplayed {
  /** The last new commit; `onto` itself when nothing was left. */
  readonly tip: Oid;
  readonly commits: number;
  /** Commits of which nothing was left, or nothing was new. */
  readonly dropped: number;
  /** Paths that did not apply, as UTF-8: they are as `onto` has them, in every commit. */
  readonly leftOut: readonly string[];
}

type CommitStep = Extract<Step, { kind: 'commit' }>;

/** Times that a commit is tried with more of its paths left out, before all of it is. */
const TRIES = 50;

/**
 * Replays all of `base..tip` onto `onto`, also what `onto` has among its ancestors and took back. Authors, dates and messages stay.
 * A delta with merge commits goes as one commit. Throws OwlError `unreadable-object`, `git-failed`, `timeout`, `storage`.
 */
export async function replayPartly(repository: Repository, request: ReplayRequest): Promise<PartlyReplayed> {
  const { base, tip, onto, identity, signing, signTimeout: timeout } = request;
  const pool = await createPool(repository);
  const isolation = isolate(repository, onto);
  try {
    const make = await commitMaker({ repository, pool, identity, signing, timeout });
    const room = { repository, pool, isolation };
    const leftOut = new Set<string>();
    let head = onto;
    let tree = await pool.treeOf(onto);
    let commits = 0;
    let dropped = 0;
    for (const step of await stepsOf(repository, pool, { base, tip })) {
      const next = await applyStep(room, step, { tree, leftOut, handoff: request.paths.handoff });
      if (next === tree) {
        dropped += 1;
        continue;
      }
      head = await make({ ...(await pool.commit(step.oid)), tree: next, parents: [head] });
      tree = next;
      commits += 1;
    }
    await pool.flush();
    return { tip: head, commits, dropped, leftOut: [...leftOut].sort() };
  } finally {
    await isolation.close();
  }
}

/** Where the target stands does not matter: what it has and took back is wanted again. */
async function stepsOf(
  repository: Repository,
  pool: Pool,
  { base, tip }: { readonly base: Oid; readonly tip: Oid },
): Promise<readonly CommitStep[]> {
  const steps = await loadSteps(repository, { base, tip, onto: base });
  return hasMerges(steps)
    ? [{ kind: 'commit', oid: tip, before: await pool.treeOf(base), flattens: 0 }]
    : steps.filter((step) => step.kind === 'commit');
}

/** The tree with what applies of this commit. A path that was left out once is left out from then on. */
async function applyStep(
  room: MergeRoom,
  step: CommitStep,
  at: { readonly tree: Oid; readonly leftOut: Set<string>; readonly handoff: string },
): Promise<Oid> {
  const { pool } = room;
  const { tree: ours, leftOut, handoff } = at;
  const base = step.before ?? pool.emptyTree;
  const whole = await pool.treeOf(step.oid);
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    let theirs = whole;
    for (const path of [handoff, ...leftOut]) theirs = await putAt(pool, theirs, path, await entryAt(pool, base, path));
    const merged = await mergeThree(room, { base, ours, theirs });
    if (merged.kind === 'clean') return merged.tree;
    const more = merged.paths.filter((path) => !leftOut.has(path));
    if (more.length === 0) break;
    for (const path of more) leftOut.add(path);
  }
  // A folder in the place of a file, say: no path of it alone is to blame.
  for (const { path } of await changedPaths(pool, base, whole))
    if (shownName(path) !== handoff) leftOut.add(shownName(path));
  return ours;
}
