// Which open branches will collide with their target, or with each other, as far as this clone knows them (06, conflicts).
// Nothing is fetched, and no ref or file of a checkout is looked at but to find the commits.

import { branchRef, type Oid, type RefName, remoteRef } from '../../domain/git.js';
import type { Goal } from '../../domain/goal.js';
import { HANDOFF_PATH } from '../../domain/handoff.js';
import { predictCollisions } from '../../git/predict.js';
import type { Snapshot } from '../../state/types.js';
import { type BaseNow, basesNow } from '../base-now.js';
import { ownTip } from '../jobs.js';
import type { Workbench } from '../workbench.js';

export interface OpenBranch {
  readonly kind: 'job' | 'goal';
  readonly id: string;
  readonly title: string;
  /** State of a Job, status of a Goal. */
  readonly state: string;
  readonly target: BaseNow;
  readonly tip: Oid;
}

export interface PredictedCollision {
  readonly branch: OpenBranch;
  /** Null: its target. */
  readonly with: OpenBranch | null;
  /** As UTF-8, in the order of names. */
  readonly paths: readonly string[];
}

export interface Prediction {
  /** All that were compared: open, and with commits that their target lacks. */
  readonly branches: readonly OpenBranch[];
  readonly collisions: readonly PredictedCollision[];
  /** Ids of open work whose commits, or whose history, are not in this clone. */
  readonly elsewhere: readonly string[];
}

export interface PredictOptions {
  /** Only collisions in which one of these takes part; none: all. */
  readonly ids?: readonly string[];
  /** Only branches of work in one of these states. */
  readonly states?: readonly string[];
  /** With more branches than these, none are compared. */
  readonly most?: number;
}

/** Throws what Git throws. */
export async function predictConflicts(bench: Workbench, options: PredictOptions): Promise<Prediction> {
  const { states, most } = options;
  const { branches, elsewhere } = await openBranches(bench, await bench.store.snapshot(), states);
  if (most !== undefined && branches.length > most) return { branches, collisions: [], elsewhere };
  const wanted = new Set(options.ids);
  const collisions: PredictedCollision[] = [];
  const targets = new Map<string, OpenBranch[]>();
  // Of one target under two names, such as `main` and `origin/main`, what stands on the same commit is compared together.
  for (const branch of branches) targets.set(branch.target.oid, [...(targets.get(branch.target.oid) ?? []), branch]);
  for (const [target, group] of targets) {
    const tips = group.map(({ tip }) => tip);
    const found = await predictCollisions(bench.repository, { target: target as Oid, tips, handoff: HANDOFF_PATH });
    for (const { tip, with: other, paths } of found) {
      const branch = group[tip] as OpenBranch;
      const partner = other === null ? null : (group[other] ?? null);
      if (wanted.size === 0 || wanted.has(branch.id) || (partner !== null && wanted.has(partner.id)))
        collisions.push({ branch, with: partner, paths });
    }
  }
  return { branches, collisions, elsewhere };
}

async function openBranches(
  bench: Workbench,
  snapshot: Snapshot,
  states: readonly string[] | undefined,
): Promise<Pick<Prediction, 'branches' | 'elsewhere'>> {
  const engine = await bench.repository.engine();
  const baseOf = basesNow(bench);
  const branches: OpenBranch[] = [];
  const elsewhere: string[] = [];
  const add = async (branch: OpenBranch): Promise<void> => {
    if (states !== undefined && !states.includes(branch.state)) return;
    const landed = await engine.isAncestor(branch.tip, branch.target.oid);
    if (landed === 'not-ancestor') branches.push(branch);
    else if (landed !== 'ancestor') elsewhere.push(branch.id);
  };
  const goals = await snapshot.openGoals();
  const working = new Map(goals.filter(({ status }) => status !== 'review').map((goal) => [goal.id, goal]));
  for (const job of await snapshot.openJobs()) {
    const goal = job.goal === null ? null : working.get(job.goal);
    // A Goal is where its Round is, and once it is integrated there is nothing left to collide.
    if (goal === undefined || (goal !== null && (job.round !== goal.round || goal.candidate !== null))) continue;
    const target = goal === null ? await baseOf(job) : await targetNow(bench, goal);
    const tip = await ownTip(bench, job);
    if (target === null || tip === null) continue;
    const { id, title } = goal ?? job;
    await add({ kind: goal === null ? 'job' : 'goal', id, title, state: goal?.status ?? job.state, target, tip });
  }
  for (const goal of working.values()) {
    const target = goal.candidate === null ? null : await targetNow(bench, goal);
    if (target === null || goal.candidate === null) continue;
    const { id, title, status } = goal;
    await add({ kind: 'goal', id, title, state: status, target, tip: goal.candidate.tip });
  }
  return { branches, elsewhere };
}

/** Where it will land, as it is known here. */
async function targetNow(bench: Workbench, goal: Goal): Promise<BaseNow | null> {
  if (goal.target === null) return null;
  const { name, remote } = goal.target;
  const ref: RefName = remote === null ? branchRef(name) : remoteRef(remote, name);
  const oid = await (await bench.repository.engine()).resolve(ref);
  return oid === null ? null : { ref, oid };
}
