// A Run before its agent: base, configuration, branch, worktree, replay, setup, in the order of J5 to J15.

import type { Preset } from '../../agent/types.js';
import { gatesDigest } from '../../config/policy.js';
import { isOwlError } from '../../domain/errors.js';
import type { Oid } from '../../domain/git.js';
import type { Goal } from '../../domain/goal.js';
import type { Job, Reason, Run } from '../../domain/job.js';
import type { AgentDefinition } from '../../domain/policy.js';
import { type ReasonCode, reason } from '../../domain/reasons.js';
import { failpoint } from '../../system/failpoint.js';
import { jobRef } from '../jobs.js';
import { type BaseWish, baseRef, type CurrentPolicy, fetchedPolicy, wishOf } from '../policy.js';
import { isTrusted } from '../trusted.js';
import type { Workbench } from '../workbench.js';
import type { Workspace } from '../workspace/types.js';
import { agentFor } from './agent-choice.js';
import { errandOf } from './errand.js';
import { furnish } from './furnish.js';
import { type BranchInput, prepareBranch } from './prepare-branch.js';
import type { Asker } from './settle.js';
import { interrupted, jobFacts, later, noted, type Stopped, stopped } from './stopped-run.js';

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

export type Prepared = Ready | Stopped;

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
