// A Run before its agent: base, configuration, branch, worktree, replay, setup, in the order of J5 to J15.

import type { Preset } from '../../agent/types.js';
import { gatesDigest } from '../../config/policy.js';
import type { Settlement } from '../../domain/closure.js';
import { isOwlError } from '../../domain/errors.js';
import type { Oid } from '../../domain/git.js';
import type { Goal } from '../../domain/goal.js';
import { HANDOFF_PATH } from '../../domain/handoff.js';
import type { Job, Reason, Run } from '../../domain/job.js';
import type { AgentDefinition } from '../../domain/policy.js';
import { type ReasonCode, reason } from '../../domain/reasons.js';
import { failpoint } from '../../system/failpoint.js';
import { followRecord } from '../claims/follow-record.js';
import { PUBLISHES } from '../claims/standing.js';
import { branchFromShared } from '../claims/tip.js';
import { takeWip } from '../claims/wip.js';
import { ownHandoff, unusableHandoff } from '../handoff.js';
import { jobBranch, jobRef } from '../jobs.js';
import { type BaseWish, baseRef, type CurrentPolicy, fetchedPolicy, wishOf } from '../policy.js';
import { isTrusted } from '../trusted.js';
import type { Workbench } from '../workbench.js';
import { cleanliness } from '../workspace/cleanliness.js';
import { commitAll } from '../workspace/commit-all.js';
import { copyFiles } from '../workspace/copy-files.js';
import { ensureWorkspace } from '../workspace/create.js';
import { worktreePath } from '../workspace/path.js';
import { snapshotWip } from '../workspace/snapshot.js';
import { sayRefused, type Workspace } from '../workspace/types.js';
import { agentFor } from './agent-choice.js';
import { type Based, type Blocked, cutBranch, rebaseBranch, restartBranch, seedHandoff } from './branch.js';
import { errandOf } from './errand.js';
import { furnish } from './furnish.js';
import { restoreHandoff } from './left-handoff.js';
import { type Asker, keepOnly, recordMove } from './settle.js';

export interface Ready {
  readonly kind: 'ready';
  readonly current: CurrentPolicy;
  readonly workspace: Workspace;
  readonly definition: AgentDefinition;
  readonly preset: Preset;
  readonly agent: string;
  readonly tip: Oid;
  readonly base: { readonly ref: string; readonly oid: Oid };
  readonly run: Run;
  readonly job: Job;
  /** Blobs of files that were copied into the worktree: never committed by us (J15). */
  readonly copied: readonly { readonly path: string; readonly oid: Oid }[];
}

export interface Stopped {
  readonly kind: 'stopped';
  readonly settlement: Settlement;
  readonly run: Run;
  readonly job: Partial<Job>;
  readonly landed: boolean;
  /** Outputs to keep: name -> bytes. */
  readonly outputs: ReadonlyMap<string, Buffer>;
  /** Digest of the gates of this Run's configuration; missing where there was none to be had. */
  readonly gates?: string | undefined;
}

export type Prepared = Ready | Stopped;

/** Back in the queue, at no cost: nothing was wrong with the Job. */
const later = (run: Run, why: Reason): Stopped => ({
  kind: 'stopped',
  settlement: { state: 'pending', outcome: 'interrupted', closure: null, reason: why, counted: false, notBefore: null },
  run,
  job: {},
  landed: false,
  outputs: new Map(),
});

export const interrupted = reason('interrupted', 'stopped before the agent was started');

/** Blocked before any agent was started, at no cost (J3). */
const stopped = (
  run: Run,
  why: Reason,
  job: Partial<Job> = {},
  outputs: ReadonlyMap<string, Buffer> = new Map(),
): Stopped => ({
  kind: 'stopped',
  settlement: { state: 'blocked', outcome: 'failed', closure: null, reason: why, counted: false, notBefore: null },
  run,
  job,
  landed: false,
  outputs,
});

/** Prepares everything that the agent of this Run needs. What stops it is a value. */
export async function prepareRun(
  bench: Workbench,
  claimed: { readonly job: Job; readonly run: Run; readonly asker: Asker | null },
): Promise<Prepared> {
  const { job, run, asker } = claimed;
  const goal = await goalOf(bench, job);
  const current = await policyOf(bench, wishFor(job, goal));
  if (!('loaded' in current)) return later(run, current);
  const base = (await candidateBase(bench, job, goal, current)) ?? baseRef(current);
  const prepared = await prepareOn(bench, { job, run, current, base, asker });
  return prepared.kind === 'ready' ? prepared : { ...prepared, gates: gatesDigest(current.loaded.policy) };
}

async function prepareOn(
  bench: Workbench,
  { job, run: claimed, current, base, asker }: BranchInput,
): Promise<Prepared> {
  const { policy } = current.loaded;
  let run: Run = {
    ...claimed,
    fetch: current.fetch,
    onto: base,
    config: { commit: current.loaded.commit, blob: current.loaded.blob, path: current.loaded.path },
  };
  if (!(await isTrusted(bench, current.loaded))) {
    return later(
      run,
      reason(
        'untrusted',
        'the configuration on the base names commands that are not trusted here; look at them with git owl trust',
      ),
    );
  }
  const chosen = agentFor(bench, job, policy);
  if (chosen.kind === 'missing') return later(run, reason('missing-agent', chosen.why));

  const branch = await prepareBranch(bench, { job, run, current, base, asker });
  if (branch.kind === 'stopped') return branch;
  if (branch.kind === 'landed') {
    return {
      kind: 'stopped',
      settlement: { state: 'done', outcome: 'succeeded', closure: null, reason: null, counted: false, notBefore: null },
      run: branch.run,
      job: {},
      landed: true,
      outputs: new Map(),
    };
  }
  run = {
    ...branch.run,
    agent: { name: chosen.name, preset: chosen.definition.preset, account: chosen.definition.account },
  };
  bench.progress.step(`preparing the worktree of ${job.id}`);
  const furnished = await furnish(bench, {
    errand: errandOf(job, run.phase, base.oid),
    marker: run.id,
    workspace: branch.workspace,
    current,
    base,
  });
  // Whatever a stopped setup command says of itself: somebody wanted it to end (J18).
  if (bench.signal.aborted) return { ...later(run, interrupted), job: jobFacts(base, branch.tip) };
  if (furnished.kind === 'failed') return stopped(run, furnished.reason, jobFacts(base, branch.tip), furnished.outputs);
  run = noted(bench, job, run, furnished.notes);
  await failpoint('run.after-setup');
  return {
    kind: 'ready',
    current,
    workspace: branch.workspace,
    definition: chosen.definition,
    preset: chosen.preset,
    agent: chosen.name,
    tip: branch.tip,
    base,
    run,
    job: {
      ...job,
      agent: chosen.name,
      account: chosen.definition.account,
      restarted_from: job.restart ? run.tip_before : job.restarted_from,
    },
    copied: furnished.copied,
  };
}

const jobFacts = (base: { readonly ref: string; readonly oid: Oid }, tip: Oid): Partial<Job> => ({
  onto: base,
  tip,
  conflicts: 0,
  restart: false,
});

/** The policy after the fetch; what makes it unusable is a Reason: the Job waits, the queue goes on. */
async function policyOf(bench: Workbench, wish: BaseWish): Promise<CurrentPolicy | Reason> {
  try {
    return await fetchedPolicy(bench, wish);
  } catch (error) {
    const codes: Partial<Record<string, ReasonCode>> = {
      configuration: 'configuration',
      'missing-base': 'no-base',
      'missing-remote': 'no-base',
      'reserved-name': 'no-base',
    };
    const code = isOwlError(error) ? codes[error.code] : undefined;
    if (code === undefined || !isOwlError(error)) throw error;
    return reason(code, error.message);
  }
}

/** The Goal whose Round this Job does; null: it is nobody's, or its record cannot be read. */
async function goalOf(bench: Workbench, job: Job): Promise<Goal | null> {
  if (job.goal === null) return null;
  const loaded = await (await bench.store.snapshot()).goal(job.goal);
  return loaded.kind === 'found' ? loaded.record : null;
}

/**
 * Once its Round has a Candidate only a refresh moves the base of it (G11); a branch that somebody put onto a newer commit of the target
 * meanwhile, such as a handler that resolved a conflict, stands on that one already (G62).
 */
async function candidateBase(
  bench: Workbench,
  job: Job,
  goal: Goal | null,
  { at }: CurrentPolicy,
): Promise<Job['onto']> {
  if (goal?.candidate == null || job.onto === null) return null;
  const engine = await bench.repository.engine();
  const tip = await engine.resolve(jobRef(job));
  const bases = tip === null ? 'missing' : await engine.mergeBases(tip, at.oid);
  const [shared, ...others] = Array.isArray(bases) ? (bases as readonly Oid[]) : [];
  if (shared === undefined || others.length > 0 || shared === job.onto.oid) return job.onto;
  const newer = (await engine.isAncestor(job.onto.oid, shared)) === 'ancestor';
  return newer ? { ref: at.ref, oid: shared } : job.onto;
}

/** The Round's Job stands on the Goal's target, on the side that is pinned (03, "The target"). */
const wishFor = (job: Job, goal: Goal | null): BaseWish =>
  goal?.target == null ? wishOf(job) : { ...wishOf(job), side: goal.target.publish ? 'remote' : 'local' };

type Branch =
  | { readonly kind: 'ready'; readonly workspace: Workspace; readonly tip: Oid; readonly run: Run }
  | { readonly kind: 'landed'; readonly run: Run }
  | Stopped;

interface BranchInput {
  readonly job: Job;
  readonly run: Run;
  readonly current: CurrentPolicy;
  readonly base: { readonly ref: string; readonly oid: Oid };
  readonly asker: Asker | null;
}

async function prepareBranch(bench: Workbench, input: BranchInput): Promise<Branch> {
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

/** In its record, and said at once: what was left out of a branch, flattened or committed is the agent's ground already. */
function noted(bench: Workbench, job: Job, run: Run, notes: readonly string[]): Run {
  for (const note of notes) bench.say(`job ${job.id}: ${note}`);
  return { ...run, notes: [...run.notes, ...notes] };
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

type Left =
  | { readonly kind: 'tip'; readonly tip: Oid; readonly notes: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: Reason };

/** Uncommitted work is kept and committed as its own commit, without the Handoff (J10). */
async function commitLeft(bench: Workbench, input: BranchInput, workspace: Workspace, tip: Oid): Promise<Left> {
  const { job, run, current } = input;
  const state = await cleanliness(bench.repository, workspace);
  if (state.clean) return { kind: 'tip', tip, notes: [] };
  // Names the copied files that are there, so that none of them is committed.
  const { copied } = await copyFiles(bench.repository, workspace, {
    base: input.base.oid,
    patterns: current.loaded.policy.copy,
  });
  const wip = await snapshotWip(bench.repository, workspace, { base: input.base.oid, copied });
  if (wip.kind === 'taken')
    await keepOnly(bench, job.id, [{ commit: wip.commit, subject: `wip before run ${run.number}` }]);
  const committed = await commitAll(bench, workspace, {
    message: `Uncommitted work found before run ${run.number}`,
    exclude: [HANDOFF_PATH],
    signing: current.loaded.policy.signing,
    base: input.base.oid,
    copied,
  });
  switch (committed.kind) {
    case 'nothing':
      return { kind: 'tip', tip, notes: [] };
    case 'committed':
      return {
        kind: 'tip',
        tip: committed.tip,
        notes: ['uncommitted work was found and committed', ...committed.notes],
      };
    case 'too-much':
      return {
        kind: 'refused',
        reason: reason(
          'too-much-uncommitted',
          `the worktree has ${committed.files} uncommitted files of ${committed.bytes} bytes, too much to commit unseen`,
          { paths: committed.paths },
        ),
      };
    case 'locked':
      return { kind: 'refused', reason: reason('could-not-start', `the worktree is locked: ${committed.by}`) };
    case 'lost':
      return { kind: 'refused', reason: reason('could-not-start', `the branch ${jobBranch(job)} moved meanwhile`) };
  }
}
