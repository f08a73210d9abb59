// Which names of closed work are retired: those whose exact tip the target has, by what both states say (M7, M9, M10). Pure.

import {
  type Item,
  isOpen,
  judge,
  keepIt,
  type Limits,
  proven,
  type RecordFacts,
  recordStep,
  type Step,
  step,
  type Verdict,
  verdict,
} from './collect.js';
import { type Oid, type RefName, shortOid } from './git.js';
import { type WorkBranch, workOf } from './names.js';

/** The target as it was just seen, where that could be looked at. */
export type TargetSeen =
  | { readonly kind: 'seen'; readonly remote: string | null; readonly ref: RefName; readonly oid: Oid }
  | { readonly kind: 'unseen'; readonly why: string }
  | { readonly kind: 'other-remote'; readonly remote: string };

/** What the state on the remote says of a Goal or Job; `none`: there is no state there, or no remote; `unseen`: it could not be read. */
export type SharedRecord = RecordFacts | { readonly kind: 'none' } | { readonly kind: 'unseen'; readonly why: string };

export interface NameFacts {
  /** Null: a branch of this clone; else the remote that has it. */
  readonly remote: string | null;
  readonly ref: RefName;
  readonly oid: Oid;
  readonly name: WorkBranch;
  /** Of a Job or Skill: is it the branch that a record names? A tombstone names none, and does not contradict. */
  readonly named: boolean;
  /** In this clone's own state, and in the one that was just fetched. */
  readonly own: RecordFacts;
  readonly shared: SharedRecord;
  readonly target: TargetSeen;
  /** Is exactly this tip reachable from exactly that commit of the target? */
  readonly contained: 'yes' | 'no' | 'unknown';
  /** Why that is unknown. */
  readonly unsure: string;
  /** A checkout here that has it open; null: none, or it is the remote's. */
  readonly openIn: string | null;
  /** For a branch of this clone: does the remote keep the same name? */
  readonly remoteKeeps: boolean;
}

/** `Goal` or `Job`, and the reasons that are given of it. */
const WORK = {
  goal: { noun: 'Goal', closedHere: proven('its Goal is closed here'), open: 'open-goal', closed: 'goal-closed' },
  job: { noun: 'Job', closedHere: proven('its Job is closed here'), open: 'open-job', closed: 'job-closed' },
} as const;
type Work = (typeof WORK)[keyof typeof WORK];

const kindOf = (name: WorkBranch): Work => (name.kind === 'job' ? WORK.job : WORK.goal);

const EXACT = proven('it has the exact form of a name of ours');
/** Never said: one of the steps is lacking. */
const NOTHING = keepIt('changed', '');

export function decideName(facts: NameFacts, limits: Limits): Item {
  const { ref, remote, name, own, target } = facts;
  const id = workOf(name);
  const work = kindOf(name);
  const of =
    remote === null
      ? { kind: 'branch' as const, subject: ref, owner: id }
      : { kind: 'remote-branch' as const, subject: ref, owner: id, remote };
  if (id === null) {
    const odd = keepIt('malformed-name', `${ref} is not the name of a Round or a Skill`);
    return judge(of, [step(EXACT.proof.what, false, odd)], odd);
  }
  const first = [
    EXACT,
    recordStep(own, `${ref} is named for ${id}`, remote === null ? '' : '; git owl sync brings the state'),
  ];
  // A Round's number beyond those that the Goal has had is a name that somebody else made.
  if (name.kind === 'round')
    first.push(
      step('it is the branch of a Round that is recorded', own.kind !== 'goal' || name.round <= own.goal.round, () =>
        keepIt('other-name', `goal ${id} has no round ${name.round}`),
      ),
    );
  else
    first.push(
      step('it is the branch that a record names', facts.named, () =>
        keepIt('other-name', `no record of ${id} names it`),
      ),
    );
  const isClosed = own.kind === 'deleted' || !isOpen(own);
  first.push(isClosed ? work.closedHere : step(work.closedHere.proof.what, false, () => open(work, id, own, 'here')));
  // Most of them, where there are many.
  if (first.some(({ proof }) => !proof.holds)) return judge(of, first, NOTHING);
  const at = target.kind === 'seen' ? `${target.ref} at ${shortOid(target.oid)}` : '';
  const tooEarly = early(own, limits);
  return judge(
    of,
    [
      ...first,
      step(`nobody carries its ${work.noun}`, (own.kind !== 'goal' && own.kind !== 'job') || !own.live, () =>
        keepIt('live-run', `a process carries ${sayWork(work, id)}`),
      ),
      ...sharedSteps(work, id, facts.shared),
      step('it was closed for long enough', tooEarly === null, tooEarly ?? NOTHING),
      ...targetSteps(facts),
      step(`its tip can be looked for in ${at}`, facts.contained !== 'unknown', () =>
        keepIt('inspection-failed', `it cannot be told whether the target has its commits: ${facts.unsure}`),
      ),
      step(`${at} has its tip`, facts.contained === 'yes', () =>
        unmerged(facts, id, `${at} does not have ${shortOid(facts.oid)}`),
      ),
      ...placeSteps(facts),
    ],
    verdict('retire', work.closed, `${at} has its tip ${shortOid(facts.oid)}`),
  );
}

const sayWork = ({ noun }: Work, id: string): string => `${noun.toLowerCase()} ${id}`;

function open(work: Work, id: string, record: RecordFacts, where: string): Verdict {
  const status = record.kind === 'goal' ? record.goal.status : record.kind === 'job' ? record.job.state : record.kind;
  return where === 'here'
    ? keepIt(work.open, `${sayWork(work, id)} is ${status}`)
    : keepIt('state-differs', `${sayWork(work, id)} is ${status} ${where}; git owl sync brings both together`);
}

/** What a Job's branch has beyond its base is what a person accepted, or may go on with. */
function unmerged({ own, name }: NameFacts, id: string, lacks: string): Verdict {
  if (name.kind !== 'job') return keepIt('unique-commits', `goal ${id} is closed, and ${lacks}`);
  if (own.kind !== 'job') return verdict('report', 'unique-commits', `${id} was deleted, and ${lacks}`);
  return own.job.state === 'done'
    ? keepIt('accepted-branch', `job ${id} is done, and ${lacks}; the branch is yours to merge or delete`)
    : keepIt('cancelled-branch', `job ${id} is cancelled, and ${lacks}; git owl reopen ${id} goes on with it`);
}

function sharedSteps(work: Work, id: string, shared: SharedRecord): readonly Step[] {
  if (shared.kind === 'none') return [];
  const where = 'in the state on the remote';
  if (shared.kind === 'unseen')
    return [step('the state on the remote could be read', false, keepIt('remote-unseen', shared.why))];
  const known = shared.kind === 'goal' || shared.kind === 'job' || shared.kind === 'deleted';
  const differs = () => open(work, id, shared, where);
  return [
    step(`there is a record of its ${work.noun} ${where}`, known, differs),
    step(`its ${work.noun} is closed ${where}`, shared.kind === 'deleted' || !isOpen(shared), differs),
  ];
}

/** As for checkouts: the same delay (M7). */
function early(own: RecordFacts, limits: Limits): Verdict | null {
  const { hibernate_after } = limits.gc;
  if (hibernate_after === 'never') return keepIt('never', 'gc.hibernate_after is never');
  const at = closedAt(own);
  if (limits.now - Date.parse(at) >= hibernate_after.ms) return null;
  return keepIt('not-yet', `closed at ${at}, less than ${hibernate_after.text} ago`);
}

function closedAt(own: RecordFacts): string {
  if (own.kind === 'deleted') return own.at;
  const record = own.kind === 'goal' ? own.goal : own.kind === 'job' ? own.job : null;
  return record === null ? '' : (record.closed ?? record.updated);
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
    step('the target was just seen', target.kind === 'seen', () =>
      keepIt('remote-unseen', target.kind === 'unseen' ? target.why : ''),
    ),
  ];
}

function placeSteps({ remote, openIn, remoteKeeps, ref }: NameFacts): readonly Step[] {
  if (remote !== null) return [];
  return [
    step('it is checked out nowhere', openIn === null, () => keepIt('checked-out', `${openIn ?? ''} has it open`)),
    step('the remote has no such name, or lets it go first', !remoteKeeps, () =>
      keepIt('follows-remote', `${ref} stays as long as the remote has it`),
    ),
  ];
}
