// A Candidate whose target moved is replayed onto it (G20 to G23). The attempt looks at one pinned commit, keeps everything, moves the
// Round's branch with its worktree or neither, and never tries again by itself.

import type { Oid, RefName } from '../../domain/git.js';
import { branchName, shortOid } from '../../domain/git.js';
import type { CandidatePair } from '../../domain/goal.js';
import { goalReason } from '../../domain/goal-reasons.js';
import { HANDOFF_PATH } from '../../domain/handoff.js';
import type { Reason } from '../../domain/job.js';
import type { Policy } from '../../domain/policy.js';
import { reason } from '../../domain/reasons.js';
import {
  flawOfRefreshed,
  type PinnedTarget,
  type RoundPlace,
  whyCurrent,
  whyNotRefreshed,
} from '../../domain/refresh.js';
import { type Replayed, replay } from '../../git/replay.js';
import { revertedIds } from '../../git/reverts.js';
import { failpoint } from '../../system/failpoint.js';
import { moveBranchWithCheckouts } from '../follow.js';
import { keepOnly } from '../run/settle.js';
import type { Workbench } from '../workbench.js';
import { cleanliness } from '../workspace/cleanliness.js';
import { ensureWorkspace } from '../workspace/create.js';

export interface RefreshRequest {
  readonly goal: string;
  /** The Round's branch, and where its worktree is registered. */
  readonly branch: RefName;
  readonly worktree: { readonly id: string; readonly path: string };
  readonly candidate: CandidatePair;
  /** As just fetched where it is published; this commit is used throughout. */
  readonly target: PinnedTarget;
  /** Is the Round's integration in it already (`lookContained`)? */
  readonly contained: boolean;
  readonly signing: Policy['signing'];
  /**
   * Records success in one write, with the branch's move under its intent (G22); called while the worktree's index is locked. True:
   * the branch moved. Default: the branch alone is moved.
   */
  readonly record?: ((made: Refreshed) => Promise<boolean>) | undefined;
}

export interface Refreshed {
  readonly kind: 'refreshed';
  readonly old: CandidatePair;
  readonly candidate: CandidatePair;
  readonly commits: number;
  /** Commits whose change the target has already. */
  readonly dropped: number;
}

export type RefreshResult =
  | { readonly kind: 'current'; readonly why: 'not-moved' | 'contained' }
  | Refreshed
  /** Candidate, branch, worktree and Handoff are as they were (G23). */
  | {
      readonly kind: 'failed';
      readonly reason: Reason;
      /** Of a conflict: the commit that could not be replayed. */
      readonly conflict: {
        readonly commit: Oid;
        readonly subject: string;
        readonly messages: readonly string[];
      } | null;
    };

const failed = (why: Reason): RefreshResult => ({ kind: 'failed', reason: why, conflict: null });

/**
 * One attempt. Throws OwlError `unreadable-object`, `git-failed`, `storage`, `timeout` (a signer that hangs); nothing moved then.
 */
export async function refreshCandidate(bench: Workbench, request: RefreshRequest): Promise<RefreshResult> {
  const { candidate, target, goal } = request;
  const current = whyCurrent(candidate, target, request.contained);
  if (current !== null) return { kind: 'current', why: current };
  const refusal = await whyNot(bench, request);
  if (refusal !== null) return failed(refusal);
  const result = await replay(bench.repository, {
    base: candidate.base,
    tip: candidate.tip,
    onto: target.oid,
    paths: { handoff: HANDOFF_PATH },
    identity: await bench.repository.identity(),
    signing: request.signing,
  });
  if (result.kind === 'conflict') {
    const { paths, commit, subject, messages } = result;
    const many = paths.length === 1 ? '1 path conflicts' : `${paths.length} paths conflict`;
    const why = goalReason('refresh-conflict', `${many} with ${target.ref} at ${shortOid(target.oid)}`, {
      paths,
      onto: target,
    });
    return { kind: 'failed', reason: why, conflict: { commit, subject, messages } };
  }
  // The target is not the base: that was asked first.
  if (result.kind === 'up-to-date') return { kind: 'current', why: 'not-moved' };
  const flaw = await flawOf(bench, request, result);
  if (flaw !== null) return failed(flaw);
  const made: Refreshed = {
    kind: 'refreshed',
    old: candidate,
    candidate: { base: target.oid, tip: result.tip },
    commits: result.commits,
    dropped: result.dropped,
  };
  await keepOnly(bench, goal, [{ commit: candidate.tip, subject: 'Candidate before its refresh' }]);
  await failpoint('refresh.before-move');
  const { record } = request;
  const moved = await moveBranchWithCheckouts(bench, {
    ref: request.branch,
    old: candidate.tip,
    new: result.tip,
    reason: `owl: refresh ${goal} onto ${target.ref}`,
    ...(record === undefined ? {} : { move: () => record(made) }),
  });
  await failpoint('refresh.after-move');
  switch (moved.kind) {
    case 'moved':
      return made;
    case 'lost':
      return failed(goalReason('stale-candidate', `${branchOf(request)} moved while the Candidate was refreshed`));
    case 'waits':
      return failed(
        reason('workspace', `the worktree of the Round cannot follow the refresh: ${moved.message}`, {
          paths: moved.paths,
        }),
      );
  }
}

const branchOf = (request: RefreshRequest): string => `the branch ${branchName(request.branch) ?? request.branch}`;

/** All conditions of G20, looked at once. */
async function whyNot(bench: Workbench, request: RefreshRequest): Promise<Reason | null> {
  const { candidate, target, branch } = request;
  const engine = await bench.repository.engine();
  const [at, [baseExists = false]] = await Promise.all([engine.resolve(branch), engine.exists([candidate.base])]);
  const facts = {
    candidate,
    target,
    branch: branchName(branch) ?? branch,
    at,
    baseExists,
  };
  // What comes later cannot be looked at without these; nothing is touched for a Candidate that is not there.
  const unseen = { place: { kind: 'clean' }, baseInTip: 'ancestor', baseInTarget: 'ancestor', merges: [] } as const;
  const early = whyNotRefreshed({ ...facts, ...unseen, shared: [candidate.base], undone: false });
  if (early !== null) return early;
  const [place, baseInTip, baseInTarget, merges, shared] = await Promise.all([
    lookAtPlace(bench, request),
    engine.isAncestor(candidate.base, candidate.tip),
    engine.isAncestor(candidate.base, target.oid),
    mergesIn(bench, candidate),
    engine.mergeBases(candidate.tip, target.oid),
  ]);
  const undone = shared[0] !== candidate.base && (await isUndone(bench, request));
  return whyNotRefreshed({ ...facts, place, baseInTip, baseInTarget, merges, shared, undone });
}

/** What the target has of the Candidate already is not replayed: where it was taken back there, it would be lost. */
async function isUndone({ repository }: Workbench, { candidate, target }: RefreshRequest): Promise<boolean> {
  const reverted = await revertedIds(repository, { from: candidate.base, to: target.oid });
  return reverted === null || reverted.size > 0;
}

/** The Round's own worktree on its branch, made again when it is missing (G9); the branch is open nowhere else (G8). */
async function lookAtPlace(bench: Workbench, request: RefreshRequest): Promise<RoundPlace> {
  const { worktree, branch, candidate } = request;
  const found = await ensureWorkspace(bench, { ...worktree, branch, commit: candidate.tip });
  if (found.kind === 'refused') return found;
  const state = await cleanliness(bench.repository, found.workspace);
  const paths = [...state.modified, ...state.untracked, ...state.nested, ...state.submodules.map((one) => one.path)];
  return state.clean ? { kind: 'clean' } : { kind: 'dirty', paths };
}

async function mergesIn(bench: Workbench, { base, tip }: CandidatePair): Promise<readonly Oid[]> {
  const listed = await bench.repository.git.text(['rev-list', '--min-parents=2', '--max-count=100', tip, `^${base}`]);
  return listed.split('\n').filter((line) => line !== '') as Oid[];
}

/** Ancestry and linearity, proven again on what was made (G21). */
async function flawOf(bench: Workbench, request: RefreshRequest, made: Replayed): Promise<Reason | null> {
  const { target } = request;
  const range = { base: target.oid, tip: made.tip };
  const engine = await bench.repository.engine();
  const [targetInTip, merges, count] = await Promise.all([
    engine.isAncestor(target.oid, made.tip),
    mergesIn(bench, range),
    bench.repository.git.text(['rev-list', '--count', made.tip, `^${target.oid}`]),
  ]);
  return flawOfRefreshed({
    target,
    tip: made.tip,
    targetInTip,
    merges,
    commits: Number(count.trim()),
    made: made.commits,
    onlyHandoff: made.onlyHandoff,
  });
}
