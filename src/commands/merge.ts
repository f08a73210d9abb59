// `merge`: lands a reviewed Job on its base (J32 to J37).

import { needJobBranch } from '../app/claims/follow-record.js';
import { workTip } from '../app/claims/standing.js';
import { findLandedJob, landByHand, lookForJob, sayLanded } from '../app/collect/landed.js';
import { guardedIn } from '../app/guarded.js';
import { findJob } from '../app/jobs.js';
import { landJob } from '../app/land/land.js';
import type { Landed } from '../app/land/outcome.js';
import { settleArrived } from '../app/land/publish-job.js';
import { settleLeftovers } from '../app/leftovers.js';
import { clearWorktree } from '../app/place.js';
import { type CurrentPolicy, currentPolicy, fetchedPolicy, unpublishedNote, wishOf } from '../app/policy.js';
import { heldError } from '../app/publish/held.js';
import { refuseUnknown } from '../app/publish/note.js';
import { loadForeign } from '../app/sync/foreign.js';
import { askTrust } from '../app/trusted.js';
import { answeredBefore, requestOf } from '../app/try.js';
import { openWorkbench, type Workbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import { sayGuarded } from '../config/guard.js';
import type { Context } from '../context.js';
import { OwlError } from '../domain/errors.js';
import { branchRef, shortOid, shortRef } from '../domain/git.js';
import type { Job } from '../domain/job.js';
import { checkMergeByHand, needsVerifying, sayMerged } from '../domain/landing.js';
import { exitOfJob } from '../domain/reasons.js';
import type { Report } from '../output/report.js';
import { decided } from './decided.js';
import { ignoredNote } from './ignored.js';
import { stoppedJob } from './stopped.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  if (!bench.dryRun) await settleLeftovers(bench);
  const job = await findJob(await bench.store.snapshot(), request.args['id'] ?? '');
  const allowGuarded = request.flag('allow-guarded');
  const key = requestOf(bench, 'merge', job, { allowGuarded });
  const before = await answeredBefore<Job>(bench, key);
  if (before !== null) return reportAnswer(bench, before);
  // What is asked for has come about: nothing to do (06, exit statuses).
  if (job.state === 'done' && job.merged !== null && !job.reverted)
    return decided(bench, { result: job, repeated: false }, `is merged already, into ${job.merged.ref}`);
  await refuseUnknown(bench, { kind: 'job', id: job.id }, { continuing: 'merge' });
  checkMergeByHand(job);
  if (bench.dryRun) return planned(bench, job, request);
  const current = await fetchedPolicy(bench, wishOf(job));
  // One of ours that arrived late is not somebody's (G32).
  const arrived = await settleArrived(bench, job);
  if (arrived !== null) return reportLanding(bench, job, arrived, current.base.name);
  const byHand = await findLandedJob(bench, job);
  const now = byHand === null ? null : await landByHand(bench, byHand, key);
  if (byHand !== null && now !== null) {
    return decided(bench, { result: now, repeated: false }, `is done: ${sayLanded(byHand)}`);
  }
  await needJobBranch(bench, job);
  await askTrust(bench, current.loaded);
  // Before anything is replayed and checked; what lands is looked at again.
  const guarded = allowGuarded ? [] : await guardedNow(bench, job, current);
  if (guarded.length > 0) throw guardedError(job, guarded, sayGuarded(current.loaded.policy, guarded));
  const { ignored } = await clearWorktree(bench, job, current.loaded.policy, request.flag('force'), 'merge');
  const landed = await landJob(bench, { job, current, allowGuarded, byItself: false, request: key });
  const report = await reportLanding(bench, job, landed, current.base.name);
  if (landed.kind !== 'merged') return report;
  const unpushed = unpublishedNote(await currentPolicy(bench, wishOf(job)));
  return { ...report, notes: [...(report.notes ?? []), ...ignoredNote(ignored), ...unpushed] };
}

/** Guarded paths among the Job's own changes. */
async function guardedNow(bench: Workbench, job: Job, { loaded, at }: CurrentPolicy): Promise<readonly string[]> {
  const tip = await workTip(bench, job);
  return tip === null ? [] : guardedIn(bench, loaded, job.onto?.oid ?? at.oid, tip);
}

/** `--dry-run`: what is known here decides, nothing is fetched. */
async function planned(bench: Workbench, job: Job, request: Request): Promise<Report> {
  const current = await currentPolicy(bench, wishOf(job));
  const { ignored } = await clearWorktree(bench, job, current.loaded.policy, request.flag('force'), 'merge');
  await needJobBranch(bench, job);
  const tip = await workTip(bench, job);
  if (tip === null) throw noBranch(job, current.base.name);
  const looked = await lookForJob(bench, job);
  if (looked.kind === 'found')
    return decided(bench, { result: job, repeated: false }, `would be done: ${sayLanded(looked.found)}`);
  const onBase = (await (await bench.repository.engine()).isAncestor(tip, current.at.oid)) === 'ancestor';
  if (looked.kind === 'reverted' && onBase) throw revertedError(job, looked.ref);
  const base = current.at.oid;
  const guarded = await guardedNow(bench, job, current);
  if (guarded.length > 0 && !request.flag('allow-guarded'))
    throw guardedError(job, guarded, sayGuarded(current.loaded.policy, guarded));
  // A proof of another clone counts for nothing here (05, S10).
  const own = (await loadForeign(bench)).stripped(job, current.loaded.policy);
  const again = needsVerifying(own, { tip, base }, current.loaded.policy) ? ' after another verification' : '';
  const said = `would be merged into ${current.base.name}${again}`;
  const report = await decided(bench, { result: job, repeated: false }, said, [], { ignored });
  return { ...report, notes: [...(report.notes ?? []), ...ignoredNote(ignored)] };
}

/** The first result of this request, again. */
async function reportAnswer(bench: Workbench, job: Job): Promise<Report> {
  const answered = { result: job, repeated: true };
  if (job.merged !== null) return decided(bench, answered, `is merged into ${job.merged.ref}`);
  return { ...(await decided(bench, answered, `is ${job.state}`)), ...stoppedJob(job, exitOfJob(job)) };
}

const noBranch = (job: Job, base: string): OwlError =>
  new OwlError('missing-branch', `job ${job.id} has no branch to merge`, {
    preserved: [`${base} has not moved`],
    next: [`git owl show ${job.id}`],
  });

const revertedError = (job: Job, ref: string): OwlError =>
  new OwlError(
    'refused',
    `job ${job.id} was merged into ${ref} and reverted there: a merge would bring nothing, since ${ref} has its commits`,
    {
      preserved: ['nothing was changed'],
      next: [job.state === 'done' ? `git owl reopen ${job.id}` : `git owl retry ${job.id} --restart`],
    },
  );

const guardedError = (job: Job, paths: readonly string[], said: readonly string[]): OwlError =>
  new OwlError('guarded', `job ${job.id} touches guarded paths: ${said.join(', ')}`, {
    preserved: ['the base has not moved'],
    next: [`git owl review ${job.id}`, `git owl merge ${job.id} --allow-guarded`],
    data: { paths },
  });

async function reportLanding(bench: Workbench, job: Job, landed: Landed, base: string): Promise<Report> {
  switch (landed.kind) {
    case 'merged': {
      const { merged } = landed;
      const unverified = landed.job.verification === null || landed.job.verification.checks.length === 0;
      const report = await decided(
        bench,
        { result: landed.job, repeated: false },
        `is merged into ${shortRef(merged.ref)} as ${shortOid(merged.after ?? landed.job.tip ?? ('' as never))}: ${sayMerged(merged)}${unverified ? ' (not verified: no checks are configured)' : ''}`,
        [],
        { merged },
      );
      return { ...report, notes: landed.left };
    }
    case 'escalated':
    case 'blocked': {
      const report = await decided(
        bench,
        { result: landed.job, repeated: false },
        `is ${landed.job.state}; ${branchRef(base)} has not moved`,
      );
      return { ...report, ...stoppedJob(landed.job, exitOfJob(landed.job)) };
    }
    case 'landed':
      return decided(bench, { result: landed.job, repeated: false }, `is done: its work is on ${base} already`);
    case 'reverted':
      throw revertedError(job, landed.ref);
    case 'guarded':
      throw guardedError(job, landed.paths, landed.said);
    case 'unverified':
      throw new OwlError('refused', `job ${job.id} is not verified`, { next: [`git owl verify ${job.id}`] });
    case 'busy':
      throw new OwlError('busy', `job ${job.id} was not merged: ${landed.why}`, {
        preserved: [`${base} has not moved`],
        next: [`git owl merge ${job.id}`],
      });
    case 'in-the-way':
      throw new OwlError(
        'uncommitted',
        `job ${job.id} was not merged: ${landed.why} (${landed.paths.join(', ')}); commit, stash or move them`,
        {
          preserved: [`${base}, its checkout and job ${job.id} are as they were`],
          next: ['git status', `git owl merge ${job.id}`],
          data: { paths: landed.paths },
        },
      );
    case 'unpublished':
      throw new OwlError(
        'remote',
        landed.known
          ? `job ${job.id} could not be published: ${landed.why}`
          : `job ${job.id} was sent to the remote, and whether it arrived is not known: ${landed.why}`,
        {
          preserved: [landed.known ? `${base} has not moved` : `${base} here has not moved`],
          next: [`git owl merge ${job.id}`],
        },
      );
    case 'held':
      throw heldError(landed.held, {
        what: `job ${job.id} was not published`,
        kept: `${base} has not moved`,
        again: `git owl merge ${job.id}`,
      });
    case 'superseded':
      throw new OwlError('superseded', `job ${job.id} was decided otherwise meanwhile; it is ${landed.job.state}`, {
        preserved: [`${base} has not moved`],
        next: [`git owl show ${job.id}`],
      });
    case 'gone':
      throw noBranch(job, base);
  }
}
