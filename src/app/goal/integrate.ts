// Integration: a two-parent merge of target and Candidate, built from objects, published exactly once and then recorded (G32 to G35).

import { newEvidence } from '../../domain/evidence.js';
import type { Oid, RefName } from '../../domain/git.js';
import type { Evidence, Goal } from '../../domain/goal.js';
import { goalReason } from '../../domain/goal-reasons.js';
import { HANDOFF_PATH } from '../../domain/handoff.js';
import { stands } from '../../domain/machine.js';
import { type LandingCommit, landingCommit } from '../../git/merge.js';
import { failpoint } from '../../system/failpoint.js';
import { cloneId } from '../clone.js';
import { moveBranchWithCheckouts } from '../follow.js';
import { foundGoal } from '../goals.js';
import { integrationMessage } from '../land/message.js';
import type { Lease } from '../lease/hold.js';
import { readPublication } from '../publish/note.js';
import type { Target } from '../publish/publish.js';
import type { Workbench } from '../workbench.js';
import { type Held, releaseGoal } from './claim.js';
import type { CurrentTarget } from './current-target.js';
import { refuseMergedRound } from './decide/merged-round.js';
import { failStep } from './fail.js';
import { publishMerge } from './publish-merge.js';
import { type GoalMergeDetail, settleEvidence, settleGoalMerge, type Unsettled } from './settle-merge.js';
import type { StepResult } from './step.js';

/** Publishes what both gates passed. Throws what Git and the store throw; a note lets the next command find out what arrived. */
export async function integrate(
  bench: Workbench,
  held: Held,
  now: CurrentTarget,
  lease: Lease | null,
): Promise<StepResult> {
  const { goal } = held;
  const { candidate, target } = goal;
  if (candidate === null || target === null) throw new Error(`goal ${goal.id} has no candidate`);
  // Sent before, and it may still arrive: the same once more, so that there is one merge whichever is first.
  const again = await sentBefore(bench, goal, now.at.oid);
  const begun = again ?? (await begin(bench, held, now, lease, await makeMerge(bench, held, now, lease)));
  if (begun === null) return { kind: 'superseded', goal };
  const detail: GoalMergeDetail = { goal: goal.id, evidence: begun.id, occurrence: goal.occurrence };
  const unsent: Unsettled = again === null ? 'void' : 'unknown';
  // Another runner has the Goal by now (05, S7).
  if (bench.fence !== undefined && !(await bench.fence.holds())) {
    await settleEvidence(bench, detail, unsent);
    return { kind: 'superseded', goal };
  }
  const unconfirmed = (await lease?.confirm()) ?? null;
  if (unconfirmed !== null) {
    await settleEvidence(bench, detail, unsent);
    const code = unconfirmed.kind === 'lost' ? 'lease-held' : 'remote-unreachable';
    return { kind: 'waits', goal: await releaseGoal(bench, held, { reason: goalReason(code, unconfirmed.why) }) };
  }
  if (target.publish && target.remote !== null)
    return publish(bench, held, { remote: target.remote, branch: target.name }, { begun, detail, unsent });
  return moveLocal(bench, held, now, begun, detail);
}

async function makeMerge(
  bench: Workbench,
  { goal }: Held,
  now: CurrentTarget,
  lease: Lease | null,
): Promise<LandingCommit> {
  const { candidate } = goal;
  if (candidate === null) throw new Error(`goal ${goal.id} has no candidate`);
  return landingCommit(bench.repository, {
    base: now.at.oid,
    tip: candidate.tip,
    message: integrationMessage(goal, candidate, lease?.token ?? null),
    identity: await bench.repository.identity(),
    signing: now.current.loaded.policy.signing,
    handoffPath: HANDOFF_PATH,
  });
}

/** What a merge of exactly this Candidate onto exactly this target began with, which was sent and did not arrive so far. */
async function sentBefore(bench: Workbench, goal: Goal, target: Oid): Promise<Evidence | null> {
  const note = await readPublication<GoalMergeDetail>(bench, goal);
  if (note === null || note.value.act !== 'merge') return null;
  const sent = note.value.sent.find(({ expected }) => expected === target);
  const begun = (await (await bench.store.snapshot()).evidence(goal.id)).find(({ id }) => id === sent?.detail.evidence);
  if (begun === undefined || begun.status === 'done' || begun.commits.merge !== sent?.commit) return null;
  const { base, tip } = begun.candidate ?? {};
  return tip === goal.candidate?.tip && base === goal.candidate?.base ? begun : null;
}

/** The evidence as begun, with the merge's id, before anything is sent; cancelled meanwhile: nothing happens (G35). */
async function begin(
  bench: Workbench,
  held: Held,
  now: CurrentTarget,
  lease: Lease | null,
  made: LandingCommit,
): Promise<Evidence | null> {
  const { goal } = held;
  const { candidate } = goal;
  const clone = await cloneId(bench);
  await failpoint('integrate.before-begin');
  const updated = await bench.store.update<Evidence | null>({ step: 'goal-integrate' }, async (tx) => {
    const found = foundGoal(goal.id, await tx.goal(goal.id));
    if (!stands(found, goal.occurrence)) return null;
    await refuseMergedRound(tx, found);
    const evidence = newEvidence({
      id: bench.ids.run(),
      goal: goal.id,
      round: goal.round,
      type: 'integration',
      status: 'begun',
      candidate: candidate === null ? null : { base: candidate.base, tip: candidate.tip },
      config: now.current.loaded.commit,
      commits: { target_before: now.at.oid, target_after: made.commit, merge: made.commit },
      target: { ref: now.at.ref, remote: now.current.base.remote, token: lease?.token ?? null },
      clone,
      at: tx.now,
    });
    tx.keep({ job: goal.id, commit: made.commit, subject: `merge of round ${goal.round}` });
    tx.putEvidence(evidence);
    tx.putGoal({ ...found, integration: evidence.id, revision: found.revision + 1, updated: tx.now });
    tx.event({
      event: 'goal.integrating',
      subject: `goal ${goal.id}: merging into ${now.at.ref} as ${made.commit}`,
      goal: goal.id,
      round: goal.round,
    });
    return evidence;
  });
  await failpoint('integrate.after-begin');
  return updated.result;
}

interface Begun {
  readonly begun: Evidence;
  readonly detail: GoalMergeDetail;
  /** What it is where this time nothing was sent. */
  readonly unsent: Unsettled;
}

async function publish(
  bench: Workbench,
  held: Held,
  target: Target,
  { begun, detail, unsent }: Begun,
): Promise<StepResult> {
  const { goal } = held;
  const expected = begun.commits.target_before as Oid;
  const send = { commit: begun.commits.merge as Oid, expected };
  const published = await publishMerge(bench, { goal, target, begun, send, detail });
  switch (published.kind) {
    case 'superseded':
      await settleEvidence(bench, detail, unsent);
      return { kind: 'superseded', goal };
    case 'published': {
      const note = { unit: { kind: 'goal' as const, id: goal.id }, ...target };
      // What an earlier try had sent was there already, and this merge was not sent.
      const earlier = published.sent.detail.evidence !== begun.id;
      if (earlier) await settleEvidence(bench, detail, 'void');
      const settled = await settleGoalMerge(bench, note, published.sent, earlier ? 'recovered' : 'merged');
      for (const line of settled.left) bench.say(line);
      return settled.goal === null ? { kind: 'superseded', goal } : { kind: 'on', goal: settled.goal };
    }
    case 'moved': {
      await settleEvidence(bench, detail, 'void');
      const why = goalReason('target-moved', `${target.branch} of ${target.remote} moved before the merge arrived`);
      return failStep(bench, held, { why, commits: { target_before: expected } });
    }
    case 'declined': {
      await settleEvidence(bench, detail, unsent);
      const text = `${target.remote} does not take it on ${target.branch}: ${published.why}`;
      return failStep(bench, held, { why: goalReason('declined-by-server', text) });
    }
    case 'unanswered':
    case 'unknown':
      await settleEvidence(bench, detail, 'unknown');
      return {
        kind: 'waits',
        goal: await releaseGoal(bench, held, { reason: goalReason('publication-unknown', published.why) }),
      };
    case 'held':
      await settleEvidence(bench, detail, unsent);
      return {
        kind: 'waits',
        goal: await releaseGoal(bench, held, { reason: goalReason(published.code, published.why) }),
      };
  }
}

/** Without a remote: the target by compare-and-swap, with the checkouts that have it open; busy is said before (G32, G33). */
async function moveLocal(
  bench: Workbench,
  held: Held,
  now: CurrentTarget,
  begun: Evidence,
  detail: GoalMergeDetail,
): Promise<StepResult> {
  const { goal } = held;
  const commit = begun.commits.merge as Oid;
  const ref: RefName = now.at.ref;
  await failpoint('integrate.before-target');
  const moved = await moveBranchWithCheckouts(bench, {
    ref,
    old: now.at.oid,
    new: commit,
    reason: `owl: merge goal ${goal.id}`,
  });
  await failpoint('integrate.after-target');
  switch (moved.kind) {
    case 'moved': {
      const sent = { commit, expected: now.at.oid, state: null, detail };
      const settled = await settleGoalMerge(bench, null, sent, 'merged');
      return settled.goal === null ? { kind: 'superseded', goal } : { kind: 'on', goal: settled.goal };
    }
    case 'lost':
      await settleEvidence(bench, detail, 'void');
      return failStep(bench, held, {
        why: goalReason('target-moved', `${ref} moved before it could be merged into`),
        commits: { target_before: now.at.oid },
      });
    case 'waits':
      await settleEvidence(bench, detail, 'void');
      return {
        kind: 'waits',
        goal: await releaseGoal(bench, held, {
          reason: goalReason('checkout-busy', moved.message, { paths: moved.paths }),
        }),
      };
  }
}
