// Replay onto a base commit and checks on the result, without an agent: what `verify` and landing share (J29, J34).

import { checksFailed } from '../domain/closure.js';
import type { Oid } from '../domain/git.js';
import { HANDOFF_PATH } from '../domain/handoff.js';
import type { Job, Reason, Verification } from '../domain/job.js';
import { reason } from '../domain/reasons.js';
import { changedFiles } from '../git/diff.js';
import { jobRef } from './jobs.js';
import { openWorktree } from './place.js';
import type { CurrentPolicy } from './policy.js';
import { copiedFile } from './run/aftermath.js';
import { rebaseBranch } from './run/branch.js';
import { runChecks } from './run/checks.js';
import { errandOf } from './run/errand.js';
import { removeScratch } from './run/scratch.js';
import { briefly } from './run/travelling-output.js';
import type { Workbench } from './workbench.js';
import { copyFiles } from './workspace/copy-files.js';

export interface ReverifyRequest {
  readonly job: Job;
  readonly tip: Oid;
  readonly base: { readonly ref: string; readonly oid: Oid };
  readonly current: CurrentPolicy;
  /** `verify`, `merge`. */
  readonly label: string;
  /** Names the scratch folder and marks the processes of the checks. */
  readonly marker: string;
}

export type Reverified =
  | {
      readonly kind: 'checked';
      readonly tip: Oid;
      readonly verification: Verification;
      /** Why it is not acceptable; null: it is. */
      readonly failed: Reason | null;
      /** Has the branch a change of its own beyond the Handoff? */
      readonly ownChange: boolean;
      readonly outputs: ReadonlyMap<string, Buffer>;
      readonly interrupted: boolean;
    }
  | { readonly kind: 'conflict'; readonly reason: Reason }
  | { readonly kind: 'stopped'; readonly reason: Reason }
  | { readonly kind: 'landed' };

/** Throws OwlError `workspace` when the worktree cannot be used. */
export async function reverify(bench: Workbench, request: ReverifyRequest): Promise<Reverified> {
  const { job, base, current } = request;
  const { policy } = current.loaded;
  await openWorktree(bench, job, policy, request.tip);
  const based = await rebaseBranch(bench, { job, label: request.label, base, policy }, request.tip);
  if (based.kind === 'landed') return { kind: 'landed' };
  if (based.kind === 'blocked')
    return { kind: based.reason.code === 'conflict' ? 'conflict' : 'stopped', reason: based.reason };
  const workspace = await openWorktree(bench, job, policy, based.tip);
  const { copied } = await copyFiles(bench.repository, workspace, { base: base.oid, patterns: policy.copy });
  const carried = await copiedFile(bench, { copied, base }, based.tip);
  if (carried !== null) return { kind: 'stopped', reason: carried };
  const checked = await runChecks(bench, {
    errand: errandOf(job, 'execute', base.oid),
    marker: request.marker,
    workspace,
    policy,
    tip: based.tip,
  });
  await removeScratch(bench, request.marker);
  const moved = (await (await bench.repository.engine()).resolve(jobRef(job))) !== based.tip;
  const failures = checked.results.filter((check) => check.status !== 'passed');
  const own = await changedFiles(bench.repository, base.oid, based.tip, { renames: false });
  const changed = own.some((file) => file.path !== HANDOFF_PATH);
  const failed =
    failures.length > 0
      ? checksFailed(failures)
      : moved
        ? reason('could-not-start', 'the branch moved while it was verified')
        : !changed && job.no_change === null
          ? reason('nothing-changed', 'nothing was changed beyond the Handoff')
          : null;
  return {
    kind: 'checked',
    tip: based.tip,
    verification: briefly(
      {
        tip: based.tip,
        base: base.oid,
        config: current.loaded.commit,
        passed: failures.length === 0 && !moved && !checked.interrupted,
        checks: checked.results,
        at: bench.clock.timestamp(),
      },
      'failed',
    ),
    failed,
    ownChange: changed,
    outputs: checked.outputs,
    interrupted: checked.interrupted,
  };
}
