// Which names of closed work are retired: those whose exact tip the target has, by what both states say (M7, M9, M10). Pure.

import {
  type Item,
  isOpen,
  judge,
  keepIt,
  type Limits,
  type RecordFacts,
  recordStep,
  type Step,
  step,
  type Verdict,
  verdict,
} from './collect.js';
import { type Oid, type RefName, shortOid } from './git.js';
import type { GoalBranch } from './names.js';

/** The target as it was just seen, where that could be looked at. */
export type TargetSeen =
  | { readonly kind: 'seen'; readonly remote: string | null; readonly ref: RefName; readonly oid: Oid }
  | { readonly kind: 'unseen'; readonly why: string }
  | { readonly kind: 'other-remote'; readonly remote: string };

/** What the state on the remote says of a Goal; `none`: there is no state there, or no remote; `unseen`: it could not be read. */
export type SharedRecord = RecordFacts | { readonly kind: 'none' } | { readonly kind: 'unseen'; readonly why: string };

export interface NameFacts {
  /** Null: a branch of this clone; else the remote that has it. */
  readonly remote: string | null;
  readonly ref: RefName;
  readonly oid: Oid;
  readonly name: GoalBranch;
  /** In this clone's own state, and in the one that was just fetched. */
  readonly own: RecordFacts;
  readonly shared: SharedRecord;
  readonly target: TargetSeen;
  /** Is exactly this tip reachable from exactly that commit of the target? */
  readonly contained: 'yes' | 'no' | 'unknown';
  /** A checkout here that has it open; null: none, or it is the remote's. */
  readonly openIn: string | null;
  /** For a branch of this clone: does the remote keep the same name? */
  readonly remoteKeeps: boolean;
}

export function decideName(facts: NameFacts, limits: Limits): Item {
  const { ref, remote, name, own, target } = facts;
  const goal = name.kind === 'other' ? null : name.goal;
  const of = {
    kind: remote === null ? ('branch' as const) : ('remote-branch' as const),
    subject: ref,
    owner: goal,
    ...(remote === null ? {} : { remote }),
  };
  const odd = keepIt('malformed-name', `${ref} is not the name of a Round or a Skill`);
  if (goal === null) return judge(of, [step('it has the exact form of a name of ours', false, odd)], odd);
  const first: readonly Step[] = [
    step('it has the exact form of a name of ours', true, odd),
    recordStep(own, `${ref} is named for ${goal}`, remote === null ? '' : '; git owl sync brings the state'),
    step('its Goal is closed here', own.kind === 'deleted' || !isOpen(own), open(goal, own, 'here')),
  ];
  // Most of them, where there are many.
  if (first.some(({ holds }) => !holds)) return judge(of, first, odd);
  const at = target.kind === 'seen' ? `${target.ref} at ${shortOid(target.oid)}` : '';
  const tooEarly = early(own, limits);
  return judge(
    of,
    [
      ...first,
      step(
        'nobody carries its Goal',
        own.kind !== 'goal' || !own.live,
        keepIt('live-run', `a process carries goal ${goal}`),
      ),
      ...sharedSteps(goal, facts.shared),
      step('it was closed for long enough', tooEarly === null, tooEarly ?? odd),
      ...targetSteps(facts),
      step(
        `its tip can be looked for in ${at}`,
        facts.contained !== 'unknown',
        keepIt('inspection-failed', 'it cannot be told whether the target has its commits'),
      ),
      step(
        `${at} has its tip`,
        facts.contained === 'yes',
        keepIt('unique-commits', `goal ${goal} is closed, and ${at} does not have ${shortOid(facts.oid)}`),
      ),
      ...placeSteps(facts),
    ],
    verdict('retire', 'goal-closed', `${at} has its tip ${shortOid(facts.oid)}`),
  );
}

function open(goal: string, record: RecordFacts, where: string): Verdict {
  const status = record.kind === 'goal' ? record.goal.status : record.kind;
  return where === 'here'
    ? keepIt('open-goal', `goal ${goal} is ${status}`)
    : keepIt('state-differs', `goal ${goal} is ${status} ${where}; git owl sync brings both together`);
}

function sharedSteps(goal: string, shared: SharedRecord): readonly Step[] {
  if (shared.kind === 'none') return [];
  const where = 'in the state on the remote';
  if (shared.kind === 'unseen')
    return [step('the state on the remote could be read', false, keepIt('remote-unseen', shared.why))];
  const known = shared.kind === 'goal' || shared.kind === 'deleted';
  return [
    step(`there is a record of its Goal ${where}`, known, open(goal, shared, where)),
    step(`its Goal is closed ${where}`, shared.kind === 'deleted' || !isOpen(shared), open(goal, shared, where)),
  ];
}

/** As for checkouts: the same delay (M7). */
function early(own: RecordFacts, limits: Limits): Verdict | null {
  const { hibernate_after } = limits.gc;
  if (hibernate_after === 'never') return keepIt('never', 'gc.hibernate_after is never');
  const at = own.kind === 'deleted' ? own.at : own.kind === 'goal' ? (own.goal.closed ?? own.goal.updated) : '';
  if (limits.now - Date.parse(at) >= hibernate_after.ms) return null;
  return keepIt('not-yet', `closed at ${at}, less than ${hibernate_after.text} ago`);
}

function targetSteps({ target }: NameFacts): readonly Step[] {
  if (target.kind === 'other-remote')
    return [
      step(
        'its target is on the configured remote',
        false,
        keepIt('other-remote', `it was integrated on ${target.remote}, which is not the configured remote`),
      ),
    ];
  return [
    step(
      'the target was just seen',
      target.kind === 'seen',
      keepIt('remote-unseen', target.kind === 'unseen' ? target.why : ''),
    ),
  ];
}

function placeSteps({ remote, openIn, remoteKeeps, ref }: NameFacts): readonly Step[] {
  if (remote !== null) return [];
  return [
    step('it is checked out nowhere', openIn === null, keepIt('checked-out', `${openIn ?? ''} has it open`)),
    step(
      'the remote has no such name, or lets it go first',
      !remoteKeeps,
      keepIt('follows-remote', `${ref} stays as long as the remote has it`),
    ),
  ];
}
