// The Candidate is brought onto the target as it is now, where that moved: at implement → quality, and under the lease (G20 to G23).

import { newEvidence } from '../../domain/evidence.js';
import type { Candidate, Evidence, Goal } from '../../domain/goal.js';
import { moveGoal } from '../../domain/goal-machine.js';
import type { Reason } from '../../domain/job.js';
import { stands } from '../../domain/machine.js';
import { reason } from '../../domain/reasons.js';
import { cloneId } from '../clone.js';
import { foundGoal } from '../goals.js';
import { foundJob, jobRef } from '../jobs.js';
import type { Workbench } from '../workbench.js';
import { worktreePath } from '../workspace/path.js';
import type { Held } from './claim.js';
import { type CurrentTarget, pinOf } from './current-target.js';
import { isContained } from './integration.js';
import { refreshCandidate } from './refresh.js';
import { currentRoundJob } from './round-jobs.js';

export type RefreshStep =
  | { readonly kind: 'current'; readonly held: Held }
  /** Base and Candidate are others now, and no gate has spoken about them. */
  | { readonly kind: 'refreshed'; readonly held: Held }
  | { readonly kind: 'failed'; readonly why: Reason; readonly commits: Evidence['commits'] }
  | { readonly kind: 'superseded' };

/** One look where the target has not moved. Success is one write: base and Candidate repinned, gates cleared, the old kept (G22). */
export async function refreshStep(bench: Workbench, held: Held, now: CurrentTarget): Promise<RefreshStep> {
  const { goal } = held;
  const { candidate } = goal;
  if (candidate === null) throw new Error(`goal ${goal.id} has no candidate`);
  const snapshot = await bench.store.snapshot();
  const job = await currentRoundJob(snapshot, goal);
  if (job === null) {
    const why = reason('unknown-here', `the job of round ${goal.round} is not here`);
    return { kind: 'failed', why, commits: {} };
  }
  const { policy } = now.current.loaded;
  const path = await worktreePath({
    environment: bench.environment,
    policy,
    repository: bench.repository,
    id: job.id,
  });
  const clone = await cloneId(bench);
  const branch = jobRef(job);
  let recorded: Goal | null = null;
  const result = await refreshCandidate(bench, {
    goal: goal.id,
    branch,
    worktree: { id: job.id, path },
    candidate: { base: candidate.base, tip: candidate.tip },
    target: now.at,
    contained: await isContained(bench, goal, now.at.oid),
    signing: policy.signing,
    record: async (made) => {
      const updated = await bench.store.update<Goal | null>({ step: 'goal-refresh' }, async (tx) => {
        const found = foundGoal(goal.id, await tx.goal(goal.id));
        if (!stands(found, goal.occurrence)) return null;
        const record: Candidate = {
          schema: 1,
          kind: 'candidate',
          id: bench.ids.run(),
          goal: goal.id,
          round: goal.round,
          ...made.candidate,
          made_by: 'refresh',
          replaces: candidate.id,
          made: tx.now,
        };
        tx.putCandidate(record);
        tx.putEvidence(
          newEvidence({
            id: bench.ids.run(),
            goal: goal.id,
            round: goal.round,
            type: 'refresh',
            status: 'done',
            candidate: made.candidate,
            config: now.current.loaded.commit,
            commits: { target_before: now.at.oid, old: made.old, new: made.candidate },
            target: { ref: now.at.ref, remote: now.current.base.remote, token: null },
            clone,
            at: tx.now,
          }),
        );
        const next = moveGoal(
          found,
          { event: 'record', to: found.status, op: tx.op, at: tx.now },
          {
            base: now.at,
            target: pinOf(now),
            candidate: { id: record.id, ...made.candidate },
            gates: { quality: null, governance: null },
          },
        );
        tx.putGoal(next);
        const latest = foundJob(job.id, await tx.job(job.id));
        tx.putJob({
          ...latest,
          onto: now.at,
          tip: made.candidate.tip,
          revision: latest.revision + 1,
          updated: tx.now,
        });
        tx.move({ ref: branch, old: made.old.tip, new: made.candidate.tip }, `owl: refresh ${goal.id}`);
        tx.event({
          event: 'goal.refreshed',
          subject: `goal ${goal.id}: replayed onto ${now.at.ref}; the candidate is ${made.candidate.tip}`,
          goal: goal.id,
          job: job.id,
          round: goal.round,
        });
        return next;
      });
      recorded = updated.result;
      return updated.result !== null && updated.refused.length === 0;
    },
  });
  switch (result.kind) {
    case 'current':
      return { kind: 'current', held };
    case 'failed': {
      const old = { base: candidate.base, tip: candidate.tip };
      return { kind: 'failed', why: result.reason, commits: { target_before: now.at.oid, old } };
    }
    case 'refreshed':
      return recorded === null ? { kind: 'superseded' } : { kind: 'refreshed', held: { ...held, goal: recorded } };
  }
}
