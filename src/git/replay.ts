// A rebase from objects: commit by commit a merge of trees. No ref moves here and no tree is ever mid-rebase (J11, J12, J13).

import type { Oid } from '../domain/git.js';
import type { Identity } from './git.js';
import { isolate } from './isolated.js';
import { agreeOnHandoff, differBeyondHandoff } from './own-handoff.js';
import { createPool } from './pool.js';
import type { RawCommit } from './raw-commit.js';
import { collapseMerges, hasMerges, loadSteps, loadUpstreamTwins, type Step } from './replay-steps.js';
import type { Repository } from './repository.js';
import { type CommitMaker, commitMaker, type Signing } from './sign.js';
import { type MergeRoom, mergeThree, type TreeMerge } from './three-way.js';
import { type AtPath, entryAt } from './tree-path.js';

export interface ReplayRequest {
  /** The Job's commits are those after this one: from `boundaryFor`. */
  readonly base: Oid;
  readonly tip: Oid;
  readonly onto: Oid;
  readonly paths: { readonly handoff: string };
  readonly identity: Identity;
  readonly signing: Signing;
  /** Milliseconds for one signature. */
  readonly signTimeout?: number | undefined;
}

export interface Replayed {
  readonly kind: 'replayed';
  /** The last new commit; `onto` itself when nothing was left. */
  readonly tip: Oid;
  /** New commits. */
  readonly commits: number;
  /** Merge commits that were left out or folded into one commit. */
  readonly flattened: number;
  /** Commits left out because `onto` has what they do. */
  readonly dropped: number;
  /** Between `onto` and the new tip nothing differs but the Handoff. */
  readonly onlyHandoff: boolean;
  /** The branch had a change of its own beyond the Handoff: with `onlyHandoff` this means that its work is upstream (J13). */
  readonly hadChange: boolean;
}

export interface ReplayConflict {
  readonly kind: 'conflict';
  /** The commit of the Job that could not be replayed. */
  readonly commit: Oid;
  readonly subject: string;
  /** Every conflicting path of that commit, exactly, as UTF-8. */
  readonly paths: readonly string[];
  readonly messages: readonly string[];
}

export type ReplayResult = Replayed | ReplayConflict | { readonly kind: 'up-to-date'; readonly tip: Oid };

/**
 * Replays `base..tip` onto `onto`. Authors, their dates, messages and encodings stay, byte for byte; a commit whose change `onto`
 * has is dropped, one that was empty stays. All new objects are in the repository, flushed, when it returns `replayed`.
 * Throws OwlError `unreadable-object`, `git-failed`, `timeout`, `storage`.
 */
export async function replay(repository: Repository, request: ReplayRequest): Promise<ReplayResult> {
  const { base, tip, onto } = request;
  if (base === onto) return { kind: 'up-to-date', tip };
  const pool = await createPool(repository);
  const isolation = isolate(repository, onto);
  try {
    const maker = await commitMaker({
      repository,
      pool,
      identity: request.identity,
      signing: request.signing,
      timeout: request.signTimeout,
    });
    const steps = await loadSteps(repository, { base, tip, onto });
    const room = { repository, pool, isolation };
    const first = await walk(room, maker, request, steps);
    if (first.kind === 'replayed' || !hasMerges(steps)) return first;
    // What a merge commit of the branch resolved is lost when it is flattened: then the part up to it goes as one commit.
    const collapsed = await collapseMerges(room, steps, request);
    if (collapsed === null) return first;
    const second = await walk(room, maker, request, collapsed);
    return second.kind === 'replayed' ? second : first;
  } finally {
    await isolation.close();
  }
}

async function walk(
  room: MergeRoom,
  make: CommitMaker,
  request: ReplayRequest,
  steps: readonly Step[],
): Promise<Replayed | ReplayConflict> {
  const { pool } = room;
  const { base, tip, onto } = request;
  const handoff = request.paths.handoff;
  const inherited = await entryAt(pool, await pool.treeOf(base), handoff);
  const counts = { commits: 0, flattened: 0, dropped: 0 };
  let head = onto;
  let tree = await pool.treeOf(onto);
  for (const step of steps) {
    counts.flattened += step.flattens;
    if (step.kind === 'merge') continue;
    const commit = await pool.commit(step.oid);
    const merged = await mergeStep(room, { step, commit, ours: tree, handoff, inherited });
    if (merged.kind === 'conflict') {
      if (!(await isUpstream(room.repository, request, step))) {
        return { ...merged, commit: step.oid, subject: subjectOf(commit) };
      }
      counts.dropped += 1;
    } else if (merged.tree === tree && commit.tree !== step.before) {
      counts.dropped += 1;
    } else {
      head = await make({ ...commit, tree: merged.tree, parents: [head] });
      tree = merged.tree;
      counts.commits += 1;
    }
  }
  await pool.flush();
  return {
    kind: 'replayed',
    tip: head,
    ...counts,
    onlyHandoff: !(await differBeyondHandoff(pool, onto, tree, handoff)),
    hadChange: await differBeyondHandoff(pool, base, tip, handoff),
  };
}

interface StepMerge {
  readonly step: Extract<Step, { kind: 'commit' }>;
  readonly commit: RawCommit;
  readonly ours: Oid;
  readonly handoff: string;
  readonly inherited: AtPath;
}

async function mergeStep(room: MergeRoom, { step, commit, ours, handoff, inherited }: StepMerge): Promise<TreeMerge> {
  const trees = { base: step.before ?? room.pool.emptyTree, ours, theirs: commit.tree };
  return mergeThree(room, await agreeOnHandoff(room.pool, trees, handoff, inherited));
}

/**
 * Did upstream take this very commit, and change the same lines later? `git rebase` leaves such commits out too; not so where
 * upstream reverted anything meanwhile.
 */
async function isUpstream(repository: Repository, request: ReplayRequest, step: Step): Promise<boolean> {
  const twins = await loadUpstreamTwins(repository, request);
  return twins.has(step.oid);
}

const subjectOf = (commit: RawCommit): string =>
  Buffer.from(commit.message.split('\n', 1)[0] ?? '', 'latin1').toString('utf8');
