// The Round's own worktree, admitted, for a Skill or handler; made again, with its setup, where it was hibernated (G8, G9, G62; J15).

import type { Oid } from '../../domain/git.js';
import type { Goal } from '../../domain/goal.js';
import type { Job } from '../../domain/job.js';
import type { LoadedPolicy, Policy } from '../../domain/policy.js';
import type { Snapshot } from '../../state/types.js';
import { jobRef } from '../jobs.js';
import { lookAt } from '../place.js';
import { errandOf } from '../run/errand.js';
import { furnishBare, noteBare } from '../run/furnish-once.js';
import type { Workbench } from '../workbench.js';
import { cleanliness } from '../workspace/cleanliness.js';
import { ensureWorkspace } from '../workspace/create.js';
import { worktreePath } from '../workspace/path.js';
import { loadRegistration } from '../workspace/registration.js';
import { sayRefused, type Workspace } from '../workspace/types.js';
import { cutRound } from './cut-round.js';
import { currentRoundJob } from './round-jobs.js';

/** The worktree alone, made again when it is missing; whoever works there next does its setup. */
export async function openRound(
  bench: Workbench,
  job: Job,
  policy: Policy,
  tip: Oid,
): ReturnType<typeof ensureWorkspace> {
  const { environment, repository } = bench;
  const path = await worktreePath({ environment, policy, repository, id: job.id });
  await noteBare(bench, job.id, path);
  return ensureWorkspace(bench, { id: job.id, path, branch: jobRef(job), commit: tip });
}

export interface RoundPlace {
  /** null: there is none. */
  readonly path: string | null;
  /** Paths in it; null: there is none, or it cannot be looked at. */
  readonly uncommitted: readonly string[] | null;
}

/** Where the current Round works, and what is not committed there. Nothing is made. */
export async function lookAtRound(bench: Workbench, snapshot: Snapshot, goal: Goal): Promise<RoundPlace> {
  const job = await currentRoundJob(snapshot, goal);
  const none = { path: null, uncommitted: null };
  if (job === null) return none;
  const place = await lookAt(bench, job, null);
  if (place.kind === 'missing') return none;
  if (place.kind === 'refused') return { path: await registeredAt(bench, job), uncommitted: null };
  const { modified, untracked, nested, submodules } = await cleanliness(bench.repository, place.workspace);
  const uncommitted = [...modified, ...untracked, ...nested, ...submodules.map(({ path }) => path)];
  return { path: place.workspace.path, uncommitted };
}

const registeredAt = async (bench: Workbench, { id }: Job): Promise<string | null> =>
  (await loadRegistration(bench.notes, id))?.value.path ?? null;

/** A text: why it is not to be had. */
export async function roundWorkspace(bench: Workbench, goal: Goal, loaded: LoadedPolicy): Promise<Workspace | string> {
  const known = await currentRoundJob(await bench.store.snapshot(), goal);
  const job = known?.onto === null ? await cutRound(bench, goal, known, loaded.policy) : known;
  if (typeof job === 'string') return job;
  const tip = job === null ? null : await (await bench.repository.engine()).resolve(jobRef(job));
  if (job === null || tip === null) return `round ${goal.round} has no branch here`;
  const found = await openRound(bench, job, loaded.policy, tip);
  if (found.kind !== 'admitted') return sayRefused(found, goal.id);
  const { workspace } = found;
  const base = goal.candidate?.base ?? goal.base?.oid;
  if (base === undefined) return workspace;
  const errand = errandOf(job, job.phase, base as Oid);
  return (await furnishBare(bench, { workspace, loaded, errand })) ?? workspace;
}
