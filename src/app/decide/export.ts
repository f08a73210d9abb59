// `export`: a branch of the user's own from the work of a Job or the Candidate of a Goal, without the Handoff, for a pull request.
// Nothing is pushed (J30, G34).

import { OwlError } from '../../domain/errors.js';
import type { EventDraft } from '../../domain/events.js';
import { isRefName, type Oid, type RefName } from '../../domain/git.js';
import type { CandidatePair, Goal } from '../../domain/goal.js';
import { HANDOFF_PATH } from '../../domain/handoff.js';
import type { Job } from '../../domain/job.js';
import { verifiedAt } from '../../domain/landing.js';
import { mayHappen, wrongState } from '../../domain/machine.js';
import { slugOf } from '../../domain/title.js';
import { branchConflicts } from '../../git/branch.js';
import { exportBranch } from '../../git/export.js';
import type { Tx } from '../../state/types.js';
import { needJobCommits } from '../claims/elsewhere.js';
import { workTip } from '../claims/standing.js';
import { findWork, foundGoal, type Work } from '../goals.js';
import { foundJob } from '../jobs.js';
import { type CurrentPolicy, currentPolicy, wishOf } from '../policy.js';
import { refuseRoundJob } from '../round-job.js';
import { answeredBefore, type JobRequest, requestOf } from '../try.js';
import type { Workbench } from '../workbench.js';
import { exportedGoal } from './export-goal.js';

export interface Exported {
  readonly work: Work;
  readonly branch: string;
  readonly ref: RefName;
  readonly tip: Oid;
  readonly commits: number;
  /** Where it would be pushed to; null: there is none. */
  readonly remote: string | null;
  /** Did it pass checks, at exactly this tip? */
  readonly verified: boolean;
  readonly repeated: boolean;
}

export interface ExportOptions {
  /** Name of the branch; undefined: from the title. */
  readonly branch: string | undefined;
  readonly squash: boolean;
  readonly force: boolean;
  readonly dryRun: boolean;
}

/** What is exported: the commits, whose they are, and how that is said. */
export interface Exportable {
  readonly work: Work;
  readonly pair: CandidatePair;
  readonly current: CurrentPolicy;
  readonly verified: boolean;
}

/** Throws OwlError `not-accepted` (unless `force`), `wrong-state`, `usage`, `reserved-name`, `refused` (the branch exists), `missing-branch`. */
export async function exportWork(bench: Workbench, id: string, options: ExportOptions): Promise<Exported> {
  const work = await findWork(await bench.store.snapshot(), id);
  const unit = work.kind === 'job' ? work.job : work.goal;
  const branch = options.branch ?? slugOf(unit.title);
  const request = requestOf(bench, 'export', unit, { branch, squash: options.squash });
  const before = await answeredBefore<Exported>(bench, request);
  if (before !== null) return { ...before, repeated: true };
  if (work.kind === 'job') checkJob(work.job);
  const ref = await checkName(bench, work, branch);
  const what =
    work.kind === 'job'
      ? await exportedJob(bench, work.job, options.force)
      : await exportedGoal(bench, work.goal, options.force);
  return makeExport(bench, what, { ...options, branch, ref, request });
}

function checkJob(job: Job): void {
  refuseRoundJob(job, 'export');
  if (!mayHappen(job.state, 'export')) throw wrongState(job, 'export');
}

/** The ref of a branch that may be made. Throws OwlError `usage`, `reserved-name`, `refused`. */
async function checkName(bench: Workbench, work: Work, branch: string): Promise<RefName> {
  const id = work.kind === 'job' ? work.job.id : work.goal.id;
  const preserved = ['nothing was changed'];
  const another = [`git owl export ${id} <another name>`];
  const ref = `refs/heads/${branch}`;
  if (!isRefName(ref)) throw new OwlError('usage', `'${branch}' cannot be the name of a branch`);
  const prefix = work.kind === 'job' ? work.job.prefix : 'owl/';
  if (branch.startsWith('refine/') || branch.startsWith(prefix) || branch === 'refine' || branch === 'owl') {
    const why = `'${branch}' lies where git owl keeps its own branches`;
    throw new OwlError('reserved-name', why, { preserved, next: another });
  }
  const place = await branchConflicts(bench.repository, ref);
  if (place.kind === 'taken')
    throw new OwlError('refused', `the branch '${branch}' exists already`, {
      preserved,
      next: [`git log -3 ${ref}`, ...another],
    });
  if (place.kind === 'impossible')
    throw new OwlError('refused', `the branch name '${branch}' is impossible beside ${place.by.join(', ')}`, {
      preserved,
      next: ['git branch --list', ...another],
    });
  return ref;
}

async function exportedJob(bench: Workbench, job: Job, force: boolean): Promise<Exportable> {
  await needJobCommits(bench, job);
  const tip = (await workTip(bench, job)) ?? (job.state === 'done' ? job.tip : null);
  if (tip === null || job.onto === null)
    throw new OwlError('missing-branch', `job ${job.id} has no branch to export`, {
      preserved: ['nothing was changed'],
      next: [`git owl show ${job.id}`],
    });
  const current = await currentPolicy(bench, wishOf(job));
  if (!force) checkVerified(job, tip, current);
  const verified = job.verification?.passed === true && job.verification.checks.length > 0;
  return { work: { kind: 'job', job }, pair: { base: job.onto.oid, tip }, current, verified };
}

async function makeExport(
  bench: Workbench,
  { work, pair, current, verified }: Exportable,
  options: ExportOptions & {
    readonly branch: string;
    readonly ref: RefName;
    readonly request: JobRequest | undefined;
  },
): Promise<Exported> {
  const { branch, ref, request } = options;
  const unit = work.kind === 'job' ? work.job : work.goal;
  const made = await exportBranch(bench.repository, {
    ...pair,
    handoffPath: HANDOFF_PATH,
    identity: await bench.repository.identity(),
    signing: current.loaded.policy.signing,
    squash: options.squash ? `${unit.title}\n` : undefined,
  });
  if (made.commits === 0)
    throw new OwlError('refused', `${work.kind} ${unit.id} has nothing to export beyond the Handoff`, {
      preserved: ['nothing was changed'],
      next: [`git owl show ${unit.id}`],
    });
  const { remote } = current.base;
  const of = (now: Work): Exported => ({ work: now, branch, ref, ...made, remote, verified, repeated: false });
  if (options.dryRun) return of(work);
  const updated = await bench.store.update<Exported>({ step: 'export', request }, async (tx) => {
    const now = await putExported(tx, work);
    tx.move({ ref, old: 'absent', new: made.tip }, `owl: export ${unit.id}`);
    tx.event(exportedEvent(work, `exported to ${branch} as ${made.tip}`));
    return of(now);
  });
  const [refused] = updated.refused;
  if (refused !== undefined)
    throw new OwlError('refused', `the branch '${branch}' was not made: ${refused.message}`, {
      preserved: [`the commits are at ${made.tip}`],
      next: [`git log -3 ${made.tip}`],
    });
  return { ...updated.result, repeated: updated.repeated };
}

/** A write, so that the answer of this request is remembered with it. */
async function putExported(tx: Tx, work: Work): Promise<Work> {
  if (work.kind === 'goal') {
    const now = foundGoal(work.goal.id, await tx.goal(work.goal.id));
    const goal: Goal = { ...now, revision: now.revision + 1, updated: tx.now };
    tx.putGoal(goal);
    return { kind: 'goal', goal };
  }
  const now = foundJob(work.job.id, await tx.job(work.job.id));
  const job: Job = { ...now, revision: now.revision + 1, updated: tx.now };
  tx.putJob(job);
  return { kind: 'job', job };
}

const exportedEvent = (work: Work, said: string): EventDraft =>
  work.kind === 'job'
    ? { event: 'job.exported', subject: `job ${work.job.id}: ${said}`, job: work.job.id }
    : { event: 'goal.exported', subject: `goal ${work.goal.id}: ${said}`, goal: work.goal.id, round: work.goal.round };

/** Where checks are configured, what is exported has passed them, at exactly this tip; where none are, nothing can be verified. */
function checkVerified(job: Job, tip: Oid, { loaded }: CurrentPolicy): void {
  if (verifiedAt(job, tip) || job.merged !== null) return;
  if (job.verification === null && loaded.policy.checks.length === 0) return;
  const why =
    job.verification?.passed === true ? 'its branch moved since it was verified' : 'it did not pass its checks';
  throw new OwlError('not-accepted', `job ${job.id} is not exported: ${why}; --force exports it as it is`, {
    preserved: ['nothing was changed'],
    next: [`git owl show ${job.id}`, `git owl verify ${job.id}`],
  });
}
