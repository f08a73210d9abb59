// `review` of a Goal: its current Candidate with what both gates found about it, and what became of it in its target (G50).

import { needGoalCommits } from '../app/claims/elsewhere.js';
import { pinnedPolicy } from '../app/goal/current-target.js';
import { lookDelivered } from '../app/goal/integration.js';
import { currentRoundJob } from '../app/goal/round-jobs.js';
import { standingMerges } from '../app/goal/standing.js';
import { isProof, loadProof } from '../app/review/proofs.js';
import type { Workbench } from '../app/workbench.js';
import { OwlError } from '../domain/errors.js';
import type { CandidatePair, Evidence, Goal } from '../domain/goal.js';
import { goalMayHappen } from '../domain/goal-machine.js';
import { goalCommands } from '../domain/goal-next.js';
import { undoGoal } from '../domain/undo.js';
import { evidenceFields, roundFields } from '../output/goal-part-fields.js';
import { failureFields } from '../output/job-fields.js';
import type { GoalReview, PublishedGate, PublishedSummary } from '../output/review-fields.js';
import type { Snapshot } from '../state/types.js';
import { describeGoal } from './describe-goal.js';
import { lookAtChange, notesOf, type Reviewed, summaryOf } from './review-change.js';

/** Throws OwlError `missing-branch` where there is no Candidate yet. */
export async function reviewGoal(bench: Workbench, snapshot: Snapshot, goal: Goal): Promise<Reviewed> {
  const { candidate } = goal;
  if (candidate === null) {
    throw new OwlError('missing-branch', `goal ${goal.id} has no candidate to review yet: it is ${goal.status}`, {
      next: [`git owl show ${goal.id}`],
    });
  }
  const pair = { base: candidate.base, tip: candidate.tip };
  await needGoalCommits(bench, goal, pair.tip);
  const { diff, unknown, ...change } = await lookAtChange(bench, pair, () => pinnedPolicy(bench, goal));
  const candidates = await snapshot.candidates(goal.id);
  const rounds = (await snapshot.rounds(goal.id)).map((round) => roundFields(round, candidates));
  const all = await snapshot.evidence(goal.id);
  const ofRound = all.filter((one) => one.round === goal.round);
  const gates = await Promise.all(ofRound.filter(isProof).map((proof) => gateOf(bench, proof, pair)));
  const current = gates.filter((gate) => gate.current && (gate.status === 'passed' || gate.status === 'findings'));
  const job = await currentRoundJob(snapshot, goal);
  const runs = job === null ? [] : await snapshot.runs(job.id);
  const delivered = await lookDelivered(bench, goal, all);
  const described = await describeGoal(bench, snapshot, goal);
  const round = rounds.find(({ number }) => number === goal.round);
  const data: GoalReview = {
    goal: described,
    prompt: round?.request ?? null,
    rounds,
    ...change,
    summaries: [...summaryOf(runs, pair), ...gates.flatMap(verdictSummary)],
    checks: current.flatMap(({ checks }) => checks),
    // Each gate has its own.
    failures: [],
    gates,
    evidence: ofRound.filter((one) => !isProof(one)).map(evidenceFields),
    delivered,
    questions: [
      ...unknown,
      ...missingProofs(goal, gates),
      ...(goal.allow_guarded === candidate.id ? ['guarded paths of this candidate were allowed by hand'] : []),
      ...(round === undefined || round.left_out.length === 0
        ? []
        : [`left out of what round ${round.from} made: ${round.left_out.join(', ')}`]),
      ...(job === null ? [] : notesOf(job, runs.at(-1))),
    ],
    undo: undoGoal(
      goal,
      {
        merge: described.integration?.merge ?? null,
        ref: described.integration?.ref ?? null,
        delivered: goalMayHappen(goal.status, 'revert') && (delivered === 'contained' || delivered === 'unknown'),
      },
      await standingMerges(bench, goal, all),
    ),
    next: goalCommands(goal, all, delivered).filter((command) => command !== `git owl review ${goal.id}`),
  };
  return { data, diff };
}

const isAbout = (one: Pick<Evidence, 'candidate'>, { base, tip }: CandidatePair): boolean =>
  one.candidate?.base === base && one.candidate.tip === tip;

async function gateOf(bench: Workbench, proof: Evidence, pair: CandidatePair): Promise<PublishedGate> {
  const kept = await loadProof(bench.store, proof, { log: false, checks: (check) => check.status !== 'passed' });
  return {
    ...evidenceFields(proof),
    current: isAbout(proof, pair),
    failures: kept.checks.map(failureFields),
    notes: kept.notes,
  };
}

/** What the agent of a gate wrote beside its verdict. */
function verdictSummary(gate: PublishedGate): readonly PublishedSummary[] {
  const { verdict, candidate, type, current } = gate;
  if (verdict?.summary == null || candidate === null || (type !== 'quality' && type !== 'governance')) return [];
  return [{ agent: verdict.agent, of: type, text: verdict.summary, candidate, current }];
}

function missingProofs(goal: Goal, gates: readonly PublishedGate[]): readonly string[] {
  const passed = gates.filter((gate) => gate.current && gate.status === 'passed');
  const lacking = (['quality', 'governance'] as const).filter((type) => !passed.some((gate) => gate.type === type));
  const ungated = passed.length > 0 && passed.every((gate) => gate.checks.length === 0 && gate.verdict === null);
  return [
    ...lacking.map((type) => `${type} has not passed for this candidate`),
    ...(ungated ? ['no check and no agent judged it: goals.ungated allows that'] : []),
    ...(goal.window === null ? [] : [`its failure waits for a decision until ${goal.window.deadline}`]),
  ];
}
