// The checkout of a Skill of its own as `gc` sees it: whose it is, and whether something of it lives or may start again (G62, G63).

import type { Item, Limits, RecordFacts } from '../../domain/collect.js';
import { decideSkillPlace } from '../../domain/collect-skill.js';
import { branchName, type RefName } from '../../domain/git.js';
import type { Invocation } from '../../domain/invocation.js';
import { parseGoalBranch } from '../../domain/names.js';
import { listWorktrees } from '../../git/worktree.js';
import type { Snapshot } from '../../state/types.js';
import { isAlive } from '../../system/processes.js';
import { invocationOf, skillRef } from '../skill/checkout.js';
import type { Workbench } from '../workbench.js';
import type { Registration } from '../workspace/registration.js';
import { lookAtPlace } from './places.js';
import { loadGoalRecord } from './records.js';

interface Owner {
  readonly goalId: string | null;
  readonly goal: RecordFacts;
  readonly invocation: Invocation | null;
  /** The branch that it must be on. */
  readonly branch: RefName | null;
}

/** As it is now; also called again at the moment of acting. */
export async function skillItem(
  bench: Workbench,
  snapshot: Snapshot,
  limits: Limits,
  { id, note }: { readonly id: string; readonly note: Registration },
): Promise<Item> {
  const owner = await ownerOf(bench, snapshot, id, note);
  const live = owner.invocation !== null && (await isLive(bench, owner.invocation));
  const known = owner.goal.kind === 'goal' || owner.goal.kind === 'deleted';
  const look =
    live || !known
      ? ({ kind: 'not-looked' } as const)
      : await lookAtPlace(bench, { id, note, branch: owner.branch, temporary: false, closely: true });
  return decideSkillPlace({ id, path: note.path, look, live, ...owner }, limits);
}

/** The branch of the Skill whose checkout has this id; null: none is known. */
export const skillBranchOf = async (
  bench: Workbench,
  snapshot: Snapshot,
  id: string,
  note: Registration,
): Promise<RefName | null> => (await ownerOf(bench, snapshot, id, note)).branch;

/** A process of it may live: it was started, never ended, and that process is not provably gone. */
export async function isLive(bench: Workbench, { state, claim }: Invocation): Promise<boolean> {
  return state === 'started' && claim !== null && isAlive(claim, await bench.environment.process()) !== 'dead';
}

/** The branch that is open in it names the Goal; where that is gone, the records of all Goals are looked through. */
async function ownerOf(bench: Workbench, snapshot: Snapshot, id: string, note: Registration): Promise<Owner> {
  const wanted = invocationOf(id);
  const listed = (await listWorktrees(bench.repository)).find(({ path }) => path === note.path);
  const name = parseGoalBranch(branchName((listed?.branch ?? '') as RefName) ?? '');
  const hint = name?.kind === 'skill' && name.invocation === wanted ? name.goal : null;
  const goals = hint === null ? await snapshot.goalIds() : [hint];
  for (const goalId of goals) {
    const invocation = (await snapshot.invocations(goalId)).find((one) => one.id === wanted) ?? null;
    if (invocation === null && hint === null) continue;
    const goal = await loadGoalRecord(bench, snapshot, goalId);
    return { goalId, goal, invocation, branch: skillRef({ id: wanted, goal: goalId }) };
  }
  return { goalId: null, goal: { kind: 'unknown' }, invocation: null, branch: null };
}
