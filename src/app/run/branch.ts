// The Job's branch at the start of a Run: cut in the first one, begun again after `retry --restart`, replayed in the others
// (J8, J11 to J14). Only the Job's own branch is ever moved.

import { type Oid, shortOid } from '../../domain/git.js';
import { HANDOFF_PATH, handoffSubject, markedHandoff, seededHandoff } from '../../domain/handoff.js';
import type { Job, Reason, Run } from '../../domain/job.js';
import type { Policy } from '../../domain/policy.js';
import { reason } from '../../domain/reasons.js';
import { boundaryFor } from '../../git/boundary.js';
import { branchConflicts } from '../../git/branch.js';
import { commitFile } from '../../git/commit-file.js';
import type { RefUpdate } from '../../git/engine.js';
import { replay } from '../../git/replay.js';
import type { Tx } from '../../state/types.js';
import { failpoint } from '../../system/failpoint.js';
import { moveBranchWithCheckouts } from '../follow.js';
import { ownHandoff } from '../handoff.js';
import { jobBranch, jobRef } from '../jobs.js';
import type { Workbench } from '../workbench.js';
import { type Asker, keepOnly } from './settle.js';
import { takeOver } from './take-over.js';

export interface Based {
  readonly kind: 'based';
  readonly tip: Oid;
  readonly replayed: Run['replayed'];
  readonly notes: readonly string[];
}

export interface Blocked {
  readonly kind: 'blocked';
  readonly reason: Reason;
  readonly conflicts: readonly string[];
  /** The branch was recorded and then not made: what bears its name is somebody else's. */
  readonly uncut?: true;
  /** Another decision came: nothing was made, and nothing is wrong with the Job. */
  readonly superseded?: true;
}

export type BranchResult =
  | Based
  | Blocked
  /** Everything but the Handoff is upstream already: the work has landed (J13). */
  | { readonly kind: 'landed'; readonly tip: Oid };

export interface BranchRequest {
  readonly job: Job;
  /** What replays, for the subject of what is kept: `run 3`, `verify`. */
  readonly label: string;
  readonly base: { readonly ref: string; readonly oid: Oid };
  readonly policy: Policy;
  readonly asker?: Asker | null | undefined;
}

const blocked = (why: Reason, conflicts: readonly string[] = []): Blocked => ({
  kind: 'blocked',
  reason: why,
  conflicts,
});

/** Can a branch of this name be made (J8)? Null: yes. */
async function nameProblem(bench: Workbench, job: Job): Promise<Reason | null> {
  const place = await branchConflicts(bench.repository, jobRef(job));
  switch (place.kind) {
    case 'free':
      return null;
    case 'taken':
      return reason('name-taken', `the branch ${jobBranch(job)} exists already and is not this job's`);
    case 'impossible':
      return reason('name-impossible', `the branch name ${jobBranch(job)} is impossible beside ${place.by.join(', ')}`);
  }
}

/** Writes where the branch begins, with its move under the intent of that write, and `more`. */
export type RecordCut = (
  change: Pick<Job, 'onto' | 'tip'>,
  move: RefUpdate,
  more: ((tx: Tx) => Promise<void>) | undefined,
) => Promise<'done' | 'refused' | 'superseded'>;

/**
 * The first Run, or a Skill before it: cut at the base commit, with the Handoff of a `--no-plan` Job on top (J24), or at the tip of
 * `--from` with its base recorded as their merge base (J8). The record is written first and the branch made under its intent, so that
 * a kill in between leaves a branch that is known to be ours.
 */
export async function cutBranch(bench: Workbench, request: BranchRequest, record: RecordCut): Promise<BranchResult> {
  const { job, base } = request;
  const engine = await bench.repository.engine();
  let start = base.oid;
  let boundary = base.oid;
  if (job.from !== null) {
    const from = await engine.resolve(job.from);
    if (from === null) return blocked(reason('unknown-here', `the branch to begin from, ${job.from}, is not there`));
    const bases = await engine.mergeBases(from, base.oid);
    const common = Array.isArray(bases) ? (bases as readonly Oid[])[0] : undefined;
    if (common === undefined)
      return blocked(reason('could-not-start', `${job.from} and ${base.ref} have no commit in common`));
    start = from;
    boundary = common;
  }
  const problem = await nameProblem(bench, job);
  if (problem !== null) return blocked(problem);
  const taken = await takeOver(bench, request);
  if (taken?.kind === 'blocked') return taken;
  const replays = start !== base.oid;
  start = taken?.tip ?? (replays || job.planned ? start : await seeded(bench, job, start, request.policy));
  await failpoint('run.before-branch');
  const onto = { ref: base.ref, oid: boundary };
  const move = { ref: jobRef(job), old: 'absent', new: start } as const;
  const made = await record({ onto, tip: start }, move, taken?.record);
  await failpoint('run.after-branch');
  if (made === 'superseded') {
    return { ...blocked(reason('interrupted', 'another decision came meanwhile')), superseded: true };
  }
  if (made === 'refused') {
    const why = reason('name-taken', `the branch ${jobBranch(job)} was made by somebody else meanwhile`);
    return { ...blocked(why), uncut: true };
  }
  if (taken !== null) return taken;
  if (!replays) return { kind: 'based', tip: start, replayed: null, notes: [] };
  return replayBranch(bench, { ...request, job: { ...job, onto } }, start, boundary);
}

/** A later Run: replays the Job's own commits onto the base commit of this Run (J11). */
export async function rebaseBranch(bench: Workbench, request: BranchRequest, tip: Oid): Promise<BranchResult> {
  const { job, base } = request;
  const boundary = await boundaryFor(bench.repository, { recorded: job.onto?.oid ?? base.oid, tip, newBase: base.oid });
  return replayBranch(bench, request, tip, boundary);
}

async function replayBranch(bench: Workbench, request: BranchRequest, tip: Oid, boundary: Oid): Promise<BranchResult> {
  const { job, label, base, policy } = request;
  const identity = await bench.repository.identity();
  const result = await replay(bench.repository, {
    base: boundary,
    tip,
    onto: base.oid,
    paths: { handoff: HANDOFF_PATH },
    identity,
    signing: policy.signing,
  });
  switch (result.kind) {
    case 'up-to-date':
      return { kind: 'based', tip, replayed: null, notes: [] };
    case 'conflict':
      return blocked(conflictReason(job, result.paths, base), result.paths);
    case 'replayed':
      break;
  }
  if (result.onlyHandoff && result.hadChange) return { kind: 'landed', tip };
  // The old tip first: whatever happens to the branch, its commits stay reachable.
  await keepOnly(bench, job.id, [{ commit: tip, subject: `tip before replay of ${label}` }]);
  await failpoint('run.before-move');
  const moved = await moveBranchWithCheckouts(bench, {
    ref: jobRef(job),
    old: tip,
    new: result.tip,
    reason: `owl: replay onto ${base.ref}`,
  });
  await failpoint('run.after-move');
  if (moved.kind === 'lost') return blocked(reason('could-not-start', `the branch ${jobBranch(job)} moved meanwhile`));
  if (moved.kind === 'waits')
    return blocked(
      reason('could-not-start', `the worktree cannot follow the replay: ${moved.message}`, { paths: moved.paths }),
    );
  const notes = result.flattened > 0 ? [`${result.flattened} merge commits were flattened by the replay`] : [];
  return {
    kind: 'based',
    tip: result.tip,
    replayed: { commits: result.commits, flattened: result.flattened, dropped: result.dropped },
    notes,
  };
}

/** Every conflicting path and what it was replayed onto; from the second conflict in a row smaller Jobs are the remedy (J12). */
export function conflictReason(
  job: Pick<Job, 'conflicts' | 'reason'>,
  paths: readonly string[],
  base: { readonly ref: string; readonly oid: Oid },
): Reason {
  const many = paths.length === 1 ? '1 path conflicts' : `${paths.length} paths conflict`;
  const again =
    job.conflicts > (isSameConflict(job, base.oid) ? 1 : 0)
      ? '; this is not the first conflict in a row: smaller jobs are the remedy'
      : '';
  return reason('conflict', `${many} with ${base.ref} at ${shortOid(base.oid)}${again}`, { paths, onto: base });
}

/** Is it stopped by a conflict with this very commit already? Looked at again by `verify`, it is no other one. */
export const isSameConflict = (job: Pick<Job, 'reason'>, base: Oid): boolean =>
  job.reason?.code === 'conflict' && job.reason.onto?.oid === base;

/** `retry --restart`: the branch is cut again at today's base commit, with the Handoff as its first commit (J12). */
export async function restartBranch(bench: Workbench, request: BranchRequest, tip: Oid): Promise<BranchResult> {
  const { job, label, base, policy } = request;
  const handoff = await ownHandoff(bench.repository, tip, job.onto?.oid ?? base.oid);
  const text = markedHandoff(job.id, handoff.kind === 'ok' ? handoff.text : seededHandoff(job));
  const first = await commitFile(bench.repository, {
    parent: base.oid,
    path: HANDOFF_PATH,
    text,
    message: `${handoffSubject(job.id, true)}\n`,
    signing: policy.signing,
  });
  await keepOnly(bench, job.id, [{ commit: tip, subject: `tip before ${label} began again` }]);
  await failpoint('run.before-move');
  const moved = await moveBranchWithCheckouts(bench, {
    ref: jobRef(job),
    old: tip,
    new: first,
    reason: `owl: begin ${job.id} again`,
  });
  await failpoint('run.after-move');
  if (moved.kind === 'lost') return blocked(reason('could-not-start', `the branch ${jobBranch(job)} moved meanwhile`));
  if (moved.kind === 'waits')
    return blocked(reason('could-not-start', `the worktree cannot follow: ${moved.message}`, { paths: moved.paths }));
  return { kind: 'based', tip: first, replayed: null, notes: [`begun again; what the branch held is kept at ${tip}`] };
}

/** The commit on top of this one with the Handoff that a `--no-plan` Job starts with (J24). */
const seeded = (bench: Workbench, job: Job, parent: Oid, policy: Policy): Promise<Oid> =>
  commitFile(bench.repository, {
    parent,
    path: HANDOFF_PATH,
    text: seededHandoff(job),
    message: `${handoffSubject(job.id, false)}\n`,
    signing: policy.signing,
  });

/** Gives one to a branch that has none. Returns the new tip. */
export async function seedHandoff(bench: Workbench, job: Job, tip: Oid, policy: Policy): Promise<Based | Blocked> {
  const first = await seeded(bench, job, tip, policy);
  const moved = await moveBranchWithCheckouts(bench, {
    ref: jobRef(job),
    old: tip,
    new: first,
    reason: `owl: Handoff of ${job.id}`,
  });
  if (moved.kind !== 'moved') {
    return {
      kind: 'blocked',
      reason: reason('could-not-start', moved.kind === 'waits' ? moved.message : 'the branch moved meanwhile'),
      conflicts: [],
    };
  }
  return { kind: 'based', tip: first, replayed: null, notes: [] };
}
