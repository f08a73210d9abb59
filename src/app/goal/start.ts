// Out of the queue: target and base pinned in the record, the Round's Job made with it; branch and worktree only then (G4 to G6).

import { OwlError } from '../../domain/errors.js';
import { newEvidence } from '../../domain/evidence.js';
import { branchRef } from '../../domain/git.js';
import type { Goal, Round } from '../../domain/goal.js';
import { FRESH_ROUND, moveGoal } from '../../domain/goal-machine.js';
import type { Job } from '../../domain/job.js';
import { stands } from '../../domain/machine.js';
import { ROUND_PREFIX, roundSlug } from '../../domain/names.js';
import { newJob } from '../../domain/new-job.js';
import { promptOf } from '../../domain/round-prompt.js';
import type { Tx } from '../../state/types.js';
import { failpoint } from '../../system/failpoint.js';
import { cloneId } from '../clone.js';
import { moveBranchWithCheckouts } from '../follow.js';
import { freshId } from '../fresh-id.js';
import { currentRound, foundGoal } from '../goals.js';
import { lastPosition } from '../queue-places.js';
import { loadTaken } from '../run/capacity.js';
import { tokenOf, type Workbench } from '../workbench.js';
import type { GoalClaim } from './claim.js';
import { type CurrentTarget, pinOf } from './current-target.js';
import { mergedRound } from './decide/merged-round.js';
import { AS_IT_IS, currentRoundJob, requeueJob } from './round-jobs.js';
import { loadSchedule } from './schedule.js';

/** What became of the local branch of the target beside its remote's (G6). */
export type Forwarded = 'unavailable' | 'current' | 'forwarded' | 'raced' | 'diverged';

/**
 * Takes a Goal from todo into plan, and carries it. Its place, what is pinned, and the Job of its Round, are one compare-and-swap
 * that names status, Round and revision: something changed meanwhile, or no place is free, and it is still in todo and nothing was
 * made. `now`: its target as just fetched. Throws what the store throws.
 */
export async function startGoal(
  bench: Workbench,
  goal: Goal,
  now: CurrentTarget,
  maxParallel: number,
): Promise<GoalClaim> {
  const forwarded = await forwardLocal(bench, now);
  const clone = await cloneId(bench);
  const identity = await bench.environment.process();
  const marker = bench.ids.run();
  await failpoint('goal.before-start');
  const updated = await bench.store.update<GoalClaim>({ step: 'goal-start' }, async (tx) => {
    const found = foundGoal(goal.id, await tx.goal(goal.id));
    const error = await notNow(bench, tx, goal, found);
    if (error !== null) return { kind: 'not-now', error };
    const live = await loadTaken(bench, tx, goal.id);
    if (live >= maxParallel) return { kind: 'full', live };
    const round = await currentRound(tx, found);
    if (round === null) return { kind: 'not-now', error: nothingAsked(found) };
    const before = await currentRoundJob(tx, found);
    const { ttl } = now.current.loaded.policy;
    const job = before ?? newRoundJob(await freshId(bench, tx), found, round, now, await lastPosition(tx), tx);
    // It begins again, with the Runs that a new one gets where none are left.
    if (before === null) tx.putJob(job);
    else requeueJob(tx, found, before, { ...AS_IT_IS, ttl: before.ttl < 1 ? ttl : undefined, base: baseOf(now) });
    tx.putPrompt(job.id, promptOf(found, round, await tx.rounds(goal.id), await tx.evidence(goal.id)));
    tx.putRound({ ...round, job: job.id });
    tx.putEvidence(
      newEvidence({
        id: bench.ids.run(),
        goal: goal.id,
        round: round.number,
        type: 'forward',
        status: 'done',
        config: now.current.loaded.commit,
        reason: { code: forwarded, text: sayForwarded(forwarded, now) },
        commits: { target_before: now.at.oid },
        target: { ref: now.at.ref, remote: now.current.base.remote, token: null },
        clone,
        at: tx.now,
      }),
    );
    const moved = moveGoal(
      found,
      { event: 'start', to: 'plan', op: tx.op, at: tx.now },
      {
        ...FRESH_ROUND,
        target: pinOf(now),
        base: now.at,
        claim: { run: marker, ...identity, since: tx.now },
        ...tokenOf(bench),
      },
    );
    tx.putGoal(moved);
    tx.event({
      event: 'goal.started',
      subject: `goal ${goal.id}: round ${round.number} begins on ${now.at.ref} at ${now.at.oid}`,
      goal: goal.id,
      job: job.id,
      round: round.number,
    });
    return { kind: 'held', held: { goal: moved, status: 'plan', marker } };
  });
  await failpoint('goal.after-start');
  return updated.result;
}

/** Why it does not leave the queue, as this very state has it: it was decided about, asks for nothing, or waits (G2 to G4). */
async function notNow(bench: Workbench, tx: Tx, goal: Goal, found: Goal): Promise<OwlError | null> {
  const next = [`git owl show ${goal.id}`];
  if (!stands(found, goal.occurrence) || found.revision !== goal.revision) {
    const text = `goal ${goal.id} was decided about since it was looked at`;
    return new OwlError('superseded', text, { preserved: ['nothing was created'], next });
  }
  if (((await currentRound(tx, found))?.request ?? '').trim() === '') return nothingAsked(found);
  // Merged where nobody here knew of it, and put back by whoever settled that.
  const merged = await mergedRound(tx, found);
  if (merged !== null) return merged;
  const wait = (await loadSchedule(bench, tx)).find(({ id }) => id === goal.id)?.wait;
  return wait?.kind === 'waits'
    ? new OwlError('refused', `goal ${goal.id} waits: ${wait.why}`, { preserved: ['nothing was changed'], next })
    : null;
}

const nothingAsked = ({ id }: Pick<Goal, 'id'>): OwlError =>
  new OwlError('wrong-state', `goal ${id} has no round: there is nothing it is asked for`, {
    preserved: ['nothing was created'],
    next: [`git owl goal round ${id} "<what to do>"`],
  });

/** A clean local branch of the target follows its remote's: advisory, never fatal (G6). */
async function forwardLocal(bench: Workbench, { current, publish, at }: CurrentTarget): Promise<Forwarded> {
  if (!publish) return 'unavailable';
  const engine = await bench.repository.engine();
  const ref = branchRef(current.base.name);
  const local = await engine.resolve(ref);
  if (local === null) return 'unavailable';
  if (local === at.oid) return 'current';
  if ((await engine.isAncestor(local, at.oid)) !== 'ancestor') return 'diverged';
  const moved = await moveBranchWithCheckouts(bench, {
    ref,
    old: local,
    new: at.oid,
    reason: 'owl: follow the remote',
  });
  return moved.kind === 'moved' ? 'forwarded' : 'raced';
}

function sayForwarded(how: Forwarded, { current, at, publish }: CurrentTarget): string {
  const { name } = current.base;
  if (!publish) return `${name} is published nowhere: the branch here is the target`;
  switch (how) {
    case 'unavailable':
      return `there is no local ${name} to bring up to date`;
    case 'current':
      return `the local ${name} is at ${at.oid} already`;
    case 'forwarded':
      return `the local ${name} was brought to ${at.oid}`;
    case 'raced':
      return `the local ${name} could not follow now; it stays where it is`;
    case 'diverged':
      return `the local ${name} has commits that the remote does not; it lends none of them`;
  }
}

/** The target as a Round's Job names its base; it may be another one than when the Round began (`goal edit --target`). */
const baseOf = ({ current }: Pick<CurrentTarget, 'current'>): Job['base'] => ({
  name: current.base.name,
  remote: current.base.remote,
});

export function newRoundJob(
  id: string,
  goal: Goal,
  round: Round,
  { current }: CurrentTarget,
  position: string,
  made: Pick<Tx, 'op' | 'now'>,
): Job {
  const { policy } = current.loaded;
  return newJob(
    {
      id,
      planned: policy.plan,
      title: goal.title,
      prefix: ROUND_PREFIX,
      slug: roundSlug(round.number),
      position,
      ttl: policy.ttl,
      base: baseOf({ current }),
      // A Round's Job is never merged by itself (J32).
      auto_merge: false,
      owner: goal.owner,
      goal: goal.id,
      round: round.number,
    },
    made,
  );
}
