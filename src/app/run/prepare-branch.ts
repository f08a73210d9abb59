// The branch of a Run before its agent: cut, brought here, replayed or begun anew, in a worktree that is admitted (J7 to J13).

import type { Oid } from '../../domain/git.js';
import type { Job, Reason, Run } from '../../domain/job.js';
import { type ReasonCode, reason } from '../../domain/reasons.js';
import { followRecord } from '../claims/follow-record.js';
import { PUBLISHES } from '../claims/standing.js';
import { branchFromShared } from '../claims/tip.js';
import { takeWip } from '../claims/wip.js';
import { ownHandoff, unusableHandoff } from '../handoff.js';
import { jobBranch, jobRef } from '../jobs.js';
import type { CurrentPolicy } from '../policy.js';
import type { Workbench } from '../workbench.js';
import { ensureWorkspace } from '../workspace/create.js';
import { worktreePath } from '../workspace/path.js';
import { sayRefused, type Workspace } from '../workspace/types.js';
import { type Based, type Blocked, cutBranch, rebaseBranch, restartBranch, seedHandoff } from './branch.js';
import { commitLeft } from './commit-left.js';
import { restoreHandoff } from './left-handoff.js';
import { type Asker, recordMove } from './settle.js';
import { interrupted, jobFacts, later, noted, type Stopped, stopped } from './stopped-run.js';

type Branch =
  | { readonly kind: 'ready'; readonly workspace: Workspace; readonly tip: Oid; readonly run: Run }
  | { readonly kind: 'landed'; readonly run: Run }
  | Stopped;

export interface BranchInput {
  readonly job: Job;
  readonly run: Run;
  readonly current: CurrentPolicy;
  readonly base: { readonly ref: string; readonly oid: Oid };
  readonly asker: Asker | null;
}

export async function prepareBranch(bench: Workbench, input: BranchInput): Promise<Branch> {
  const { job, base, current, asker } = input;
  const { policy } = current.loaded;
  let run = input.run;
  const request = { job, base, policy, label: `run ${run.number}`, asker };
  let based: Based;
  if (job.onto === null) {
    const cut = await cutBranch(bench, request, (change, move, more) =>
      recordMove(bench, run, change, move, { asker, ...(more === undefined ? {} : { more }) }),
    );
    if (cut.kind !== 'based') return cut.kind === 'landed' ? { kind: 'landed', run } : blockedBy(run, job, cut);
    based = cut;
  } else {
    const brought = await followRecord(bench, job);
    if (brought.kind === 'elsewhere') return stopped(run, await goneBranch(bench, job));
    if (brought.kind === 'stays') return stopped(run, reason('could-not-start', brought.why));
    const shared = brought.tip ?? (await branchFromShared(bench, job));
    if (shared === null) return stopped(run, await goneBranch(bench, job));
    const tip = await takeWip(bench, job, shared, policy);
    run = { ...run, tip_before: tip };
    const place = await openPlace(bench, input, tip);
    if (place.kind === 'refused') return stopped(run, place.reason);
    const committed = await commitLeft(bench, input, place.workspace, tip);
    if (committed.kind === 'refused') return stopped(run, committed.reason);
    const { id } = job;
    const { workspace } = place;
    const restored = await restoreHandoff(bench, { job: id, number: run.number, workspace, tip: committed.tip });
    run = { ...noted(bench, job, run, [...committed.notes, ...restored]), tip_before: committed.tip };
    const next = job.restart
      ? await restartBranch(bench, request, committed.tip)
      : await rebaseBranch(bench, request, committed.tip);
    if (next.kind !== 'based') return next.kind === 'landed' ? { kind: 'landed', run } : blockedBy(run, job, next);
    based = next;
  }
  run = { ...noted(bench, job, run, based.notes), replayed: based.replayed };
  if (!job.planned) {
    const handoff = await ownHandoff(bench.repository, based.tip, base.oid);
    if (handoff.kind === 'absent') {
      const seeded = await seedHandoff(bench, job, based.tip, policy);
      if (seeded.kind === 'blocked') return blockedBy(run, job, seeded);
      based = { ...based, tip: seeded.tip };
    }
  }
  const unusable = unusableHandoff(await ownHandoff(bench.repository, based.tip, base.oid));
  if (unusable !== null) return stopped(run, unusable, jobFacts(base, based.tip));
  const place = await openPlace(bench, input, based.tip);
  if (place.kind === 'refused') return stopped(run, place.reason, jobFacts(base, based.tip));
  return {
    kind: 'ready',
    workspace: place.workspace,
    tip: based.tip,
    run: { ...run, tip_before: run.tip_before ?? based.tip },
  };
}

const blockedBy = (run: Run, job: Job, result: Blocked): Stopped => {
  if (result.superseded === true) return later(run, interrupted);
  return stopped(
    { ...run, conflicts: result.conflicts },
    result.reason,
    result.reason.code === 'conflict'
      ? { conflicts: job.conflicts + 1 }
      : result.uncut === true
        ? { onto: null, tip: null }
        : {},
  );
};

/** Where its commits are here, somebody took the branch away: nobody but a person brings it back (J8). */
async function goneBranch(bench: Workbench, job: Job): Promise<Reason> {
  const [branch, { tip }] = [jobBranch(job), job];
  const here = tip !== null && (await (await bench.repository.engine()).exists([tip]))[0] === true;
  const way = here ? `git branch ${branch} ${tip} makes it again` : PUBLISHES;
  const last = tip === null ? '' : `; its last known tip is ${tip}: ${way}`;
  return reason('unknown-here', `the work on the branch ${branch} is not here${last}`);
}

type Place =
  | { readonly kind: 'open'; readonly workspace: Workspace }
  | { readonly kind: 'refused'; readonly reason: Reason };

/** The admitted worktree, made again when it is missing (J9, G8, G9). */
async function openPlace(bench: Workbench, input: BranchInput, tip: Oid): Promise<Place> {
  const { job, current } = input;
  const path = await worktreePath({
    environment: bench.environment,
    policy: current.loaded.policy,
    repository: bench.repository,
    id: job.id,
  });
  const found = await ensureWorkspace(bench, { id: job.id, path, branch: jobRef(job), commit: tip });
  if (found.kind === 'admitted') return { kind: 'open', workspace: found.workspace };
  const code: ReasonCode =
    found.code === 'operation' ? 'operation-in-progress' : found.code === 'wrong-branch' ? 'wrong-branch' : 'workspace';
  return { kind: 'refused', reason: reason(code, sayRefused(found, job.goal ?? job.id)) };
}
