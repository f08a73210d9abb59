// What a person can do about a Goal, as data: proposals with why, none of which runs by itself (G43). Pure.

import type { Evidence, Goal } from './goal.js';
import type { GoalReasonCode } from './goal-reasons.js';
import type { ReasonCode } from './reasons.js';

export interface Proposal {
  /** A whole command; never one that destroys. */
  readonly verb: string;
  readonly why: string;
  /** Id of the Evidence that it follows from; null: of the record alone. */
  readonly evidence: string | null;
}

type Facts = Pick<
  Goal,
  'id' | 'status' | 'round' | 'reason' | 'window' | 'integration' | 'candidate' | 'claim' | 'base'
>;
/** A command after `git owl`, and why. */
type Offer = readonly [verb: string, why: string];

/** Does the target have its merge still? Null or missing: that was not looked at. */
type Delivered = 'contained' | 'missing' | 'reverted' | 'unknown' | null | undefined;

/**
 * The likeliest first. `evidence`: all of the Goal, where it is at hand: then each proposal names what it follows from. What cannot be
 * approved as `delivered` is (G51) is not proposed for it.
 */
export function proposals(goal: Facts, evidence: readonly Evidence[] = [], delivered?: Delivered): readonly Proposal[] {
  const from = goal.status === 'failed' || goal.window !== null ? failureOf(goal, evidence) : null;
  const id = from?.id ?? goal.window?.evidence ?? goal.integration;
  return offers(goal, from, delivered).map(([verb, why]) => ({ verb: `git owl ${verb}`, why, evidence: id }));
}

export const goalCommands = (
  goal: Facts,
  evidence: readonly Evidence[] = [],
  delivered?: Delivered,
): readonly string[] => proposals(goal, evidence, delivered).map(({ verb }) => verb);

/** The Evidence that says why it failed: of this Round the newest proof with findings, where those are the reason, else the newest failure. */
function failureOf({ round, reason }: Facts, evidence: readonly Evidence[]): Evidence | null {
  const found = reason?.code === 'quality-findings' || reason?.code === 'governance-findings';
  const speaks = ({ type, status }: Evidence): boolean =>
    found ? status === 'findings' : type === 'error' || type === 'conflict' || type === 'revert';
  return evidence.filter((one) => one.round === round && speaks(one)).at(-1) ?? null;
}

function offers(goal: Facts, from: Evidence | null, delivered: Delivered): readonly Offer[] {
  const { id, round } = goal;
  switch (goal.status) {
    case 'backlog':
      return goal.round === 0
        ? [[`goal round ${id} "<what to do>"`, 'nothing is asked for yet']]
        : [[`goal move ${id} todo`, 'it is not in the queue yet']];
    case 'todo':
      return goal.round === 0
        ? [[`goal round ${id} "<what to do>"`, 'nothing is asked for yet']]
        : [['run', 'the next in the queue begins']];
    case 'review':
      if (delivered === 'missing' || delivered === 'reverted')
        return [
          [
            `goal round ${id} "<what to do>" --from ${round}`,
            'its target does not have it any more: a new round brings what applies of it',
          ],
          [`review ${id}`, 'what it made'],
        ];
      return [
        [`review ${id}`, 'it is integrated and waits for your review'],
        [`goal approve ${id}`, 'closes it; nothing is merged or pushed any more'],
        [`goal decline ${id} "<what to do better>"`, 'a new round does it again, from the target as it is'],
      ];
    case 'failed':
      return afterFailure(goal, from);
    case 'done':
      return [[`review ${id}`, 'it is delivered']];
    case 'cancelled':
      return [[`reopen ${id}`, 'everything of it was kept']];
    default:
      if (goal.window !== null) return afterFailure(goal, from);
      if (goal.claim === null && goal.reason?.code === 'lease-held')
        return [
          ['lease', 'who holds it, and how long it is left'],
          [`run ${id}`, 'once it is free'],
        ];
      return goal.claim === null
        ? [[`run ${id}`, goal.reason?.text ?? `its ${goal.status} goes on from here`]]
        : [[`log -f ${id}`, `its ${goal.status} is at work`]];
  }
}

/** What may help, by what failed. A new Round always may. */
function afterFailure(goal: Facts, from: Evidence | null): readonly Offer[] {
  const { id, round, candidate } = goal;
  const look: Offer = candidate === null ? [`log ${id}`, 'what its runs printed'] : [`review ${id}`, 'what it made'];
  const printed: Offer = [`log ${id}`, 'what its runs and gates printed'];
  const retry = (why: string): Offer => [`retry ${id}`, why];
  const goesOn = (why: string): Offer => [`goal move ${id} implement`, why];
  const anew: Offer = [
    `goal round ${id} "<what to do>"${candidate === null ? '' : ` --from ${round}`}`,
    candidate === null
      ? 'a new round does it differently, from the target as it is'
      : `a new round takes over what applies of round ${round}, on the target as it is`,
  ];
  // Whoever has a Candidate keeps it: this has its agent work again.
  const begin: Offer = [`goal move ${id} todo`, 'it begins with the gates as they are'];
  switch (goal.reason?.code as GoalReasonCode | ReasonCode | undefined) {
    case 'refresh-conflict':
    case 'merge-conflict':
      return [anew, look, retry('once the target has changed again: it is replayed anew')];
    case 'target-moved':
      return [retry('it is replayed onto the target as it is now, and judged again'), look, anew];
    case 'merged-elsewhere':
      return [[`goal reconcile ${id} --merged-by <commit>`, 'takes in the commit that brought it there'], look, anew];
    // The Candidate as it is never passes: to judge it again would find the same.
    case 'stale-candidate':
    case 'not-linear':
      return [goesOn('takes the branch as it is, and its agent goes on there'), anew, look];
    case 'lineage':
    case 'ambiguous':
    case 'base-missing':
    case 'target-rewound':
    case 'empty-refresh':
      return [look, anew, retry('once what it names is as it should be')];
    case 'quality-findings':
    case 'governance-findings':
      return [
        printed,
        ...allowing(goal, from),
        goesOn('its agent goes on in this round'),
        anew,
        retry('the same candidate is judged again'),
      ];
    case 'ungated':
      return [
        candidate === null
          ? begin
          : retry('once the base has a gate, a check or an agent of quality or governance: this candidate is judged'),
        ['config check', 'what is in force here'],
        look,
      ];
    case 'gates-differ':
    case 'no-base':
    case 'configuration':
      return [
        ['config check', 'what is in force here'],
        candidate === null ? begin : retry('once that is mended: this candidate is judged'),
      ];
    case 'checks-failed':
    case 'nothing-changed':
    case 'no-change':
      return [printed, [`retry ${id} -m "<what to do better>"`, 'its agent goes on in this round'], anew];
    case 'agent-blocked':
      return [printed, [`retry ${id} -m "<the answer>"`, 'its agent goes on with it'], anew];
    case 'conflict':
      return [
        [`retry ${id} --restart`, 'its branch is cut again at the target as it is, with its handoff'],
        look,
        anew,
      ];
    case 'exhausted':
      return [printed, [`retry ${id} --ttl 5`, 'its job has no runs left'], anew];
    // What is in the place of its worktree may be somebody's work: it is mended or put aside, never removed (G8, G9).
    case 'workspace':
    case 'wrong-branch':
    case 'operation-in-progress':
    case 'unclean':
      return [['worktree list', 'where its worktree is: it was left alone'], retry('once that is put right'), anew];
    case 'reverted':
      return [
        [`goal round ${id} "<what to do>"`, 'a new round does it differently'],
        [`goal round ${id} "<what to do>" --from ${round}`, 'a new round takes over what applies of it'],
        look,
        [`cancel ${id}`, 'closes it; everything of it is kept'],
      ];
    case 'declined-by-server':
      return [
        [`export ${id}`, 'a branch for a pull request: the server takes no push to the target'],
        [`goal reconcile ${id} --merged-by <commit>`, 'once somebody has merged it'],
        retry('once the server takes it'),
        look,
      ];
    case 'gate-trouble':
    case 'handler-failed':
    case 'agent-failed':
    case 'limit-passed':
    case 'setup-failed':
    case 'no-handoff':
    case 'missing-agent':
      return [
        printed,
        retry('once that is mended: nothing was found out about its work'),
        ...(goal.base === null ? [] : [goesOn('takes its branch as it is, with what you committed there since')]),
        ['doctor', 'this machine'],
        anew,
      ];
    default:
      return [look, retry('goes on with the step that failed'), anew];
  }
}

/** What it guards may be accepted by a person, for this very Candidate; beside another finding that would not help. */
const allowing = ({ id }: Facts, from: Evidence | null): readonly Offer[] =>
  from !== null && from.findings.length > 0 && from.findings.every(({ gate }) => gate === 'guard' || gate === 'protect')
    ? [[`goal move ${id} governance --allow-guarded`, 'accepts guarded paths in this very candidate']]
    : [];
