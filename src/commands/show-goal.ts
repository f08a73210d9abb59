// `show` of a Goal: its Rounds with their Candidates, all Evidence, what is kept, and what may be done (06, G43).

import { lookAtRound } from '../app/goal/round-workspace.js';
import { loadSchedule } from '../app/goal/schedule.js';
import { standingMerges } from '../app/goal/standing.js';
import { sayOpenPublications } from '../app/publish/note.js';
import type { Workbench } from '../app/workbench.js';
import type { Goal } from '../domain/goal.js';
import { isAutomated } from '../domain/goal-machine.js';
import { proposals } from '../domain/goal-next.js';
import type { Wait } from '../domain/queue.js';
import { invocationFields } from '../output/goal-fields.js';
import { evidenceFields, roundFields } from '../output/goal-part-fields.js';
import type { Report } from '../output/report.js';
import { type GoalData, goalView } from '../output/views/goal.js';
import type { Snapshot } from '../state/types.js';
import { describeDelivery } from './describe-goal.js';

export async function showGoal(bench: Workbench, snapshot: Snapshot, goal: Goal): Promise<Report> {
  const now = bench.clock.now();
  const candidates = await snapshot.candidates(goal.id);
  const all = await snapshot.evidence(goal.id);
  const feature = goal.feature === null ? null : await snapshot.feature(goal.feature);
  const wait = await waitOf(bench, snapshot, goal);
  // Its process died: what it began may go on.
  const left = isAutomated(goal.status) && wait?.kind === 'eligible';
  const described = await describeDelivery(bench, snapshot, goal);
  const data: GoalData = {
    goal: described,
    waits: wait?.kind === 'waits' ? wait.why : null,
    featureTitle: feature?.kind === 'found' ? feature.record.title : null,
    rounds: (await snapshot.rounds(goal.id)).map((round) => roundFields(round, candidates)),
    evidence: all.map(evidenceFields),
    invocations: (await snapshot.invocations(goal.id)).map(invocationFields),
    standing: (await standingMerges(bench, goal, all)).filter((one) => goal.status === 'cancelled' || !one.ours),
    kept: (await bench.store.kept(goal.id)).map((link) => ({ subject: link.subject, oid: link.kept })),
    place: await lookAtRound(bench, snapshot, goal),
    proposals: proposals(left ? { ...goal, claim: null } : goal, all, described.delivered),
  };
  const { rounds, evidence, invocations, kept, waits, place } = data;
  return {
    kind: 'show',
    data: {
      ...described,
      ...(waits === null ? {} : { waits }),
      worktree: place.path,
      uncommitted: place.uncommitted,
      history: rounds,
      evidence,
      invocations,
      kept,
      proposals: data.proposals,
      next: data.proposals.map(({ verb }) => verb),
    },
    view: (theme) => goalView(data, theme, now),
    notes: await sayOpenPublications(bench, goal),
  };
}

/** What the queue says of it; null: it is in none. */
async function waitOf(bench: Workbench, snapshot: Snapshot, goal: Goal): Promise<Wait | null> {
  if (goal.status !== 'todo' && !isAutomated(goal.status)) return null;
  return (await loadSchedule(bench, snapshot)).find((unit) => unit.id === goal.id)?.wait ?? null;
}
