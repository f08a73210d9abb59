// A Job that was claimed, carried as far as it can go now: plan, execute, checks, merge, each Run a fresh process (J4, J20, J32).

import { EXIT } from '../../domain/errors.js';
import type { Job, Run } from '../../domain/job.js';
import { autoMergeOf, decideAutoMerge } from '../../domain/landing.js';
import { changesToSay } from '../../domain/observation.js';
import { exitOfJob } from '../../domain/reasons.js';
import { ownTip } from '../jobs.js';
import { landJob } from '../land/land.js';
import { type Landed, recordUnmerged } from '../land/outcome.js';
import { currentPolicy, fetchedPolicy, wishOf } from '../policy.js';
import { runJobSkills } from '../skill/job-skills.js';
import { loadForeign } from '../sync/foreign.js';
import type { Workbench } from '../workbench.js';
import { type Claimed, claimJob } from './claim.js';
import { carryOut } from './one-run.js';

export interface JobUnit {
  readonly kind: 'job';
  readonly job: Job;
  /** Runs that this command made, in order. */
  readonly runs: readonly Run[];
  readonly merged: boolean;
  /** Resolved and not merged: why. */
  readonly unmerged: string | null;
  readonly exit: number;
  readonly notes: readonly string[];
}

export interface CarryOptions {
  /** One Run only. */
  readonly step: boolean;
  /** `--no-merge`. */
  readonly merge: boolean;
  /** Called once a claim is made, at each Run. */
  readonly onClaim?: ((claimed: Claimed) => void) | undefined;
}

/** Throws what the store throws, and defects, after the Run was settled. */
export async function carryJob(
  bench: Workbench,
  first: Claimed,
  options: CarryOptions,
  maxParallel: number,
): Promise<JobUnit> {
  const runs: Run[] = [];
  let claimed = first;
  options.onClaim?.(first);
  for (;;) {
    await runJobSkills(bench);
    const settled = await carryOut(bench, claimed);
    runs.push(settled.run);
    bench.say(sayRun(settled.job, settled.run));
    for (const note of changesToSay(settled.run.notes)) bench.say(`job ${settled.job.id}: ${note}`);
    const goOn =
      !options.step &&
      !bench.signal.aborted &&
      !settled.superseded &&
      settled.job.state === 'pending' &&
      settled.run.outcome === 'succeeded' &&
      settled.run.phase === 'plan';
    if (!goOn) return finishUnit(bench, settled.job, runs, settled.superseded, options);
    const next = await claimJob(bench, { id: settled.job.id, maxParallel });
    // Somebody else took the place meanwhile: what is left of this Job waits for the next `run`.
    if (next.kind !== 'claimed') return finishUnit(bench, settled.job, runs, false, options);
    claimed = next;
    options.onClaim?.(claimed);
  }
}

async function finishUnit(
  bench: Workbench,
  job: Job,
  runs: readonly Run[],
  superseded: boolean,
  options: CarryOptions,
): Promise<JobUnit> {
  const done = (now: Job, more: Partial<JobUnit> = {}): JobUnit => ({
    kind: 'job',
    job: now,
    runs,
    merged: false,
    unmerged: null,
    exit: superseded ? 4 : exitOfJob(now),
    notes: superseded ? ['another decision came while it ran: the result is kept and moved nothing'] : [],
    ...more,
  });
  // A Run ends so only where everything of its branch is upstream already (J13).
  if (!superseded && job.state === 'done')
    return done(job, { notes: ['its work is on the base already: it has landed, and no agent was started'] });
  if (superseded || job.state !== 'review' || bench.signal.aborted) return done(job);
  if (!options.merge) return leaveUnmerged(bench, job, '--no-merge was given', done);
  return mergeUnit(bench, job, done);
}

/** Resolved and not merged: in the log, and in the output with the words that the base has not moved (J36). */
async function leaveUnmerged(
  bench: Workbench,
  job: Job,
  why: string,
  done: (job: Job, more?: Partial<JobUnit>) => JobUnit,
): Promise<JobUnit> {
  await recordUnmerged(bench, job, why);
  return done(job, { unmerged: why, notes: [`it waits for your merge, the base has not moved: ${why}`] });
}

/** Auto-merge, a step of its own after the Run is settled (J32, J34). */
async function mergeUnit(
  bench: Workbench,
  job: Job,
  done: (job: Job, more?: Partial<JobUnit>) => JobUnit,
): Promise<JobUnit> {
  const known = await currentPolicy(bench, wishOf(job));
  const foreign = await loadForeign(bench);
  const tip = await ownTip(bench, job);
  const decision =
    tip === null
      ? { kind: 'leave' as const, why: 'its branch is gone' }
      : decideAutoMerge(foreign.stripped(job, known.loaded.policy), known.loaded.policy, tip);
  if (decision.kind === 'leave') return leaveUnmerged(bench, job, decision.why, done);
  const current = await fetchedPolicy(bench, wishOf(job));
  // The newest base decides: an opt-in that was taken back there counts.
  if (!autoMergeOf(foreign.stripped(job, current.loaded.policy), current.loaded.policy).on)
    return leaveUnmerged(bench, job, 'auto_merge is off on the base', done);
  const landed = await landJob(bench, { job, current, allowGuarded: false, byItself: true });
  return unitOfLanding(bench, job, landed, done);
}

async function unitOfLanding(
  bench: Workbench,
  job: Job,
  landed: Landed,
  done: (job: Job, more?: Partial<JobUnit>) => JobUnit,
): Promise<JobUnit> {
  switch (landed.kind) {
    case 'merged':
      return done(landed.job, { merged: true, notes: landed.left });
    case 'escalated':
    case 'blocked':
      return done(landed.job);
    case 'superseded':
      return done(landed.job, { exit: 4, notes: ['another decision came before the merge'] });
    case 'landed':
      return done(landed.job, { notes: ['its work is on the base already'] });
    case 'reverted':
      return leaveUnmerged(bench, job, `its work was reverted on ${landed.ref}`, done);
    case 'guarded':
      return leaveUnmerged(bench, job, `it touches guarded paths: ${landed.said.join(', ')}`, done);
    case 'unverified':
      return leaveUnmerged(bench, landed.job, 'the base as it is now configures no checks', done);
    case 'held':
      return leaveUnmerged(bench, job, `it could not be published: ${landed.held.why}`, done);
    case 'in-the-way':
    case 'busy':
      return leaveUnmerged(bench, job, landed.why, done);
    case 'unpublished': {
      if (landed.known) return leaveUnmerged(bench, job, `it could not be published: ${landed.why}`, done);
      const why = `it was sent to the remote, and whether it arrived is not known: ${landed.why}`;
      return done(job, { exit: EXIT.environment, unmerged: why, notes: [why] });
    }
    case 'gone':
      return done(job, { unmerged: 'its branch is gone' });
  }
}

function sayRun(job: Job, run: Run): string {
  const why = job.reason === null || job.state === 'review' ? '' : `: ${job.reason.text}`;
  return `job ${job.id}: run ${run.number} (${run.phase}) ${run.outcome}; the job is ${job.state}${why}`;
}
