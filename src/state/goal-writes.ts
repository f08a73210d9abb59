// What one change does to Goals, their parts and Features: it sees its own writes, and they become files of the next tree (01, 03).

import { evidenceOrder } from '../domain/evidence.js';
import { CLOSED_GOALS, type Feature, type Goal } from '../domain/goal.js';
import { invocationOrder } from '../domain/invocation.js';
import type { OpenCounts } from '../domain/open-counts.js';
import { queueOrder } from '../domain/queue.js';
import { canonicalLine } from './canonical.js';
import { encodeRecord, keepUnknown } from './codec.js';
import { formatCounts } from './counts.js';
import { flawOfGoal } from './goal-codec.js';
import { CANDIDATES, EVIDENCE, INVOCATIONS, type PartWrites, partWrites, ROUNDS } from './goal-part-writes.js';
import { byPosition, byTime } from './goal-reads.js';
import {
  type Area,
  featurePath,
  GOAL_COUNTS_PATH,
  isWorkId,
  recordPath,
  tombstonePath,
  workPath,
  workRoot,
} from './layout.js';
import { carry, defect, nextRecord, recordOf } from './next-record.js';
import { lookUp } from './objects.js';
import type { PutFile } from './reindex.js';
import type { StateSnapshot } from './snapshot.js';
import type { TreeEditor } from './tree.js';
import type { Pin, Tx } from './types.js';

export type GoalTx = Pick<
  Tx,
  | 'goal'
  | 'openGoals'
  | 'closedGoals'
  | 'goalIds'
  | 'rounds'
  | 'candidates'
  | 'evidence'
  | 'invocations'
  | 'feature'
  | 'features'
  | 'putGoal'
  | 'putRound'
  | 'putCandidate'
  | 'putEvidence'
  | 'putInvocation'
  | 'putFeature'
  | 'buryGoal'
>;

export interface GoalWrites {
  readonly tx: GoalTx;
  /** Open Goals by status, with what was written. */
  counts(): Promise<OpenCounts>;
  /** Puts everything into the tree. Returns the counts after it. */
  build(editor: TreeEditor, putFile: PutFile): Promise<OpenCounts>;
  /** Closed Goals that are opened again. */
  reopened(): Promise<readonly string[]>;
}

const areaOfGoal = (goal: Pick<Goal, 'status'>): Area => (CLOSED_GOALS.has(goal.status) ? 'closed' : 'open');

/** `pin`: adds something to keep before the state commit. */
export function goalWrites(
  snapshot: StateSnapshot,
  change: { readonly op: string; readonly now: string },
  pin: (pin: Pin) => void,
): GoalWrites {
  const goals = new Map<string, Goal>();
  const features = new Map<string, Feature>();
  const buried = new Set<string>();
  const rounds = partWrites(snapshot, ROUNDS);
  const candidates = partWrites(snapshot, CANDIDATES);
  const evidence = partWrites(snapshot, EVIDENCE);
  const invocations = partWrites(snapshot, INVOCATIONS);
  const parts = [rounds, candidates, evidence, invocations] as const;

  const merged = async (area: Area): Promise<readonly Goal[]> => {
    const base = await (area === 'open' ? snapshot.openGoals() : snapshot.closedGoals());
    const untouched = base.filter((goal) => !goals.has(goal.id) && !buried.has(goal.id));
    return [...untouched, ...[...goals.values()].filter((goal) => areaOfGoal(goal) === area)].sort(queueOrder);
  };
  const seen = async <T extends { readonly goal: string }>(
    goal: string,
    base: (goal: string) => Promise<readonly T[]>,
    mine: PartWrites<T>,
  ): Promise<T[]> => (buried.has(goal) ? [] : mine.over(goal, await base(goal)));

  const tx: GoalTx = {
    goal: async (id) => {
      if (buried.has(id)) return { kind: 'deleted', at: change.now };
      const mine = goals.get(id);
      return mine === undefined ? snapshot.goal(id) : { kind: 'found', record: mine };
    },
    openGoals: () => merged('open'),
    closedGoals: () => merged('closed'),
    goalIds: async () => [...new Set([...(await snapshot.goalIds()), ...goals.keys()])].sort(),
    rounds: async (goal) => (await seen(goal, snapshot.rounds, rounds)).sort((one, two) => one.number - two.number),
    candidates: async (goal) =>
      (await seen(goal, snapshot.candidates, candidates)).sort((one, two) => byTime(one, two, one.made, two.made)),
    evidence: async (goal) => (await seen(goal, snapshot.evidence, evidence)).sort(evidenceOrder),
    invocations: async (goal) => (await seen(goal, snapshot.invocations, invocations)).sort(invocationOrder),
    feature: async (id) => {
      const mine = features.get(id);
      return mine === undefined ? snapshot.feature(id) : { kind: 'found', record: mine };
    },
    features: async () => {
      const base = (await snapshot.features()).filter((feature) => !features.has(feature.id));
      return [...base, ...features.values()].sort(byPosition);
    },
    putGoal: (goal) => {
      if (buried.has(goal.id)) throw defect(`goal ${goal.id} was to be written and deleted at once`);
      encodeRecord('goal', recordPath('goal', areaOfGoal(goal), goal.id), goal);
      const flaw = flawOfGoal(goal);
      if (flaw !== null) throw defect(`goal ${goal.id} was to be written and would be damaged: ${flaw}`);
      goals.set(goal.id, goal);
    },
    putRound: (round) => {
      if (round.number < 1) throw defect(`goal ${round.goal} was to get a round ${round.number}`);
      rounds.put(round);
    },
    putCandidate: (candidate) => {
      candidates.put(candidate);
      const name = `candidate ${candidate.id} of round ${candidate.round}`;
      pin({ job: candidate.goal, chain: 'candidates', commit: candidate.base, subject: `${name}: base` });
      pin({ job: candidate.goal, chain: 'candidates', commit: candidate.tip, subject: `${name}: tip` });
    },
    putEvidence: evidence.put,
    putInvocation: invocations.put,
    putFeature: (feature) => {
      if (!isWorkId(feature.id)) throw defect(`a feature was to be written with the id ${JSON.stringify(feature.id)}`);
      encodeRecord('feature', featurePath(feature.id), feature);
      features.set(feature.id, feature);
    },
    buryGoal: (goal) => {
      goals.delete(goal);
      for (const one of parts) one.forget(goal);
      buried.add(goal);
    },
  };

  async function placeOf(id: string): Promise<Area> {
    const goal = goals.get(id);
    const area = goal === undefined ? await snapshot.goalArea(id) : areaOfGoal(goal);
    if (area === null) throw defect(`something of goal ${id} was to be written, and there is no such goal`);
    return area;
  }

  async function build(editor: TreeEditor, putFile: PutFile): Promise<OpenCounts> {
    for (const [id, goal] of goals) {
      const old = recordOf(`goal ${id}`, await snapshot.goal(id));
      if (old === null && (await snapshot.area(id)) !== null) throw defect(`${id} is a job and cannot be a goal too`);
      const next = nextRecord('goal', old, goal);
      if (old !== null && canonicalLine(old) === canonicalLine(next)) continue;
      if (old !== null && areaOfGoal(old) !== areaOfGoal(next))
        await carry(editor, 'goal', id, areaOfGoal(old), areaOfGoal(next));
      await putFile(recordPath('goal', areaOfGoal(next), id), encodeRecord('goal', id, next));
    }
    for (const id of buried) {
      const old = recordOf(`goal ${id}`, await snapshot.goal(id));
      if (old === null) throw defect(`goal ${id} was to be deleted and is not there`);
      await editor.remove(workPath('goal', areaOfGoal(old), id));
      const tombstone = { schema: 1, kind: 'tombstone', id, of: 'goal', at: change.now, op: change.op };
      await putFile(tombstonePath(id), encodeRecord('tombstone', id, tombstone));
    }
    for (const one of parts) await one.build(placeOf, putFile);
    for (const [id, feature] of features) {
      const old = recordOf(`feature ${id}`, await snapshot.feature(id));
      const next = keepUnknown('feature', old, feature);
      if (old === null || canonicalLine(old) !== canonicalLine(next))
        await putFile(featurePath(id), encodeRecord('feature', id, next));
    }
    return recount(editor, putFile);
  }

  /** Status by status, from what was counted before: open Goals that were not touched are not read. */
  async function counts(): Promise<OpenCounts> {
    const counted: Record<string, number> = { ...(await snapshot.goalCounts()) };
    const add = (goal: Goal, by: number): void => {
      if (areaOfGoal(goal) === 'closed') return;
      counted[goal.status] = Math.max(0, (counted[goal.status] ?? 0) + by);
      if (counted[goal.status] === 0) delete counted[goal.status];
    };
    for (const id of new Set([...goals.keys(), ...buried])) {
      const old = await snapshot.goal(id);
      if (old.kind === 'found') add(old.record, -1);
      const mine = goals.get(id);
      if (mine !== undefined) add(mine, 1);
    }
    return counted;
  }

  async function recount(editor: TreeEditor, putFile: PutFile): Promise<OpenCounts> {
    const root = workRoot('goal', 'open');
    const before = (await lookUp(snapshot.objects, snapshot.root, root))?.oid ?? null;
    const tree = await editor.seal(root);
    if (tree === before) return snapshot.goalCounts();
    const counted = await counts();
    // As every clone that derives the index again has it (`index-anew.ts`).
    if (tree === null) await editor.remove(GOAL_COUNTS_PATH);
    else await putFile(GOAL_COUNTS_PATH, formatCounts(tree, counted, 'goals'));
    return counted;
  }

  async function reopened(): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const [id, goal] of goals)
      if (areaOfGoal(goal) === 'open' && (await snapshot.goalArea(id)) === 'closed') ids.push(id);
    return ids;
  }

  return { tx, counts, build, reopened };
}
