// Reading and editing the Handoff of a Job: a commit on its branch from objects, refused while a Run lives (J26).

import { OwlError } from '../../domain/errors.js';
import type { Oid } from '../../domain/git.js';
import { HANDOFF_PATH, judgeHandoff, markedHandoff } from '../../domain/handoff.js';
import type { Job } from '../../domain/job.js';
import { mayHappen, wrongState } from '../../domain/machine.js';
import { commitFile } from '../../git/commit-file.js';
import { needJobBranch } from '../claims/follow-record.js';
import { workTip } from '../claims/standing.js';
import { moveBranchWithCheckouts } from '../follow.js';
import { handoffAt } from '../handoff.js';
import { findJob, jobRef, ownTip } from '../jobs.js';
import { currentPolicy, wishOf } from '../policy.js';
import { refuseRoundJob } from '../round-job.js';
import type { Workbench } from '../workbench.js';

/** The committed Handoff; after a merge that of the merged tip. Throws OwlError `nothing-kept`, `refused`. */
export async function loadHandoff(
  bench: Workbench,
  job: Job,
): Promise<{ readonly text: string; readonly commit: Oid }> {
  const engine = await bench.repository.engine();
  const commit = (await workTip(bench, job)) ?? job.tip;
  const none = (): OwlError =>
    new OwlError('nothing-kept', `job ${job.id} has no Handoff yet`, { next: [`git owl show ${job.id}`] });
  if (commit === null || !(await engine.exists([commit]))[0]) throw none();
  const found = await handoffAt(bench.repository, commit);
  if (found.kind === 'absent') throw none();
  if (found.kind === 'unusable') throw new OwlError('refused', found.why, { next: [`git owl show ${job.id}`] });
  return { text: found.text, commit };
}

/** Throws OwlError `is-live`, `wrong-state`, `missing-branch`, `usage`, `busy`. */
export async function editHandoff(
  bench: Workbench,
  job: Job,
  edit: (text: string) => Promise<string>,
): Promise<{ readonly job: Job; readonly changed: boolean }> {
  refuseRoundJob(job, 'handoff');
  if (job.state === 'active')
    throw new OwlError('is-live', `job ${job.id} has a live Run`, {
      preserved: ['nothing was changed'],
      next: [`git owl stop ${job.id}`],
    });
  if (!mayHappen(job.state, 'handoff')) throw wrongState(job, 'handoff');
  await needJobBranch(bench, job);
  const tip = await ownTip(bench, job);
  if (tip === null)
    throw new OwlError('missing-branch', `job ${job.id} has no branch yet: there is no Handoff to edit`, {
      preserved: ['nothing was changed'],
      next: [`git owl run ${job.id} --step`],
    });
  const before = await handoffAt(bench.repository, tip);
  if (before.kind === 'unusable')
    throw new OwlError('refused', before.why, {
      preserved: ['nothing was changed'],
      next: [`git owl worktree ${job.id}`],
    });
  const text = await edit(before.kind === 'ok' ? before.text : markedHandoff(job.id, ''));
  const bytes = Buffer.from(text, 'utf8');
  const verdict = judgeHandoff('blob', bytes.length, bytes.includes(0));
  if (verdict !== 'ok')
    throw new OwlError('usage', `the edited Handoff is ${verdict === 'too-large' ? 'too large' : 'not text'}`, {
      preserved: ['nothing was changed'],
    });
  if (text.trim() === '')
    throw new OwlError('usage', 'the edited Handoff is empty', { preserved: ['nothing was changed'] });
  const { policy } = (await currentPolicy(bench, wishOf(job))).loaded;
  const commit = await commitFile(bench.repository, {
    parent: tip,
    path: HANDOFF_PATH,
    text,
    message: `Edit the Handoff of job ${job.id}\n`,
    signing: policy.signing,
  });
  if (commit === tip || bench.dryRun) return { job, changed: commit !== tip };
  // The state first, so that no Run begins between the look and the move.
  const updated = await bench.store.update<Job>({ step: 'handoff' }, async (tx) => {
    const now = await findJob(tx, job.id);
    if (now.state === 'active')
      throw new OwlError('is-live', `job ${job.id} has a live Run`, {
        preserved: ['the Handoff is as it was'],
        next: [`git owl stop ${job.id}`],
      });
    const next: Job = { ...now, handoff: 'current', revision: now.revision + 1, updated: tx.now };
    tx.putJob(next);
    tx.event({ event: 'job.handoff', subject: `job ${job.id}: the Handoff was edited`, job: job.id });
    return next;
  });
  const moved = await moveBranchWithCheckouts(bench, {
    ref: jobRef(job),
    old: tip,
    new: commit,
    reason: `owl: edit the Handoff of ${job.id}`,
  });
  if (moved.kind !== 'moved') {
    throw new OwlError(
      'busy',
      `the Handoff was not committed: ${moved.kind === 'waits' ? moved.message : 'the branch moved meanwhile'}`,
      {
        preserved: [`the edited text is in commit ${commit}`],
        next: [`git owl handoff ${job.id} --edit`],
      },
    );
  }
  return { job: updated.result, changed: true };
}
