// When the checkout of a Goal's Round hibernates: its branch stays, and brings it back on demand (M5). Pure.

import {
  type Item,
  judge,
  keepIt,
  type Limits,
  type RecordFacts,
  recordStep,
  step,
  type Verdict,
  verdict,
} from './collect.js';
import { type JobPlace, letGo, lookSteps, openSteps } from './collect-worktree.js';
import { AUTOMATED } from './goal.js';

export interface RoundPlace extends JobPlace {
  /** The Goal that its Job belongs to. */
  readonly goal: RecordFacts;
}

const LET_GO = 'its Goal is in no automated status, and for long enough';

/**
 * An automated status of its Goal owns the checkout, with or without a process; any other one lets go of it after
 * `gc.hibernate_after`, when it is clean and nothing lives in it. What is unfinished in it is told in any case (M2).
 */
export function decideRoundPlace(place: RoundPlace, limits: Limits): Item {
  const { id, goal, look, record, path } = place;
  const of = { kind: 'worktree', subject: path, owner: id } as const;
  const records = [
    recordStep(record, `${path} was made for ${id}`, ''),
    recordStep(goal, `${path} was made for a round of a goal`, ''),
  ];
  const why = ownedBy(goal) ?? tooEarly(place, limits);
  // Last: what is unfinished in it is told first.
  if (why !== null) return judge(of, [...records, ...openSteps(place), step(LET_GO, false, why)], why);
  const said = goal.kind === 'goal' ? `goal ${goal.goal.id} is ${goal.goal.status}` : 'its goal was deleted';
  return judge(
    of,
    [
      ...records,
      step(LET_GO, true, keepIt('automated', '')),
      step(
        'no Run of its Job lives',
        record.kind !== 'job' || !record.live,
        keepIt('live-run', `a Run of job ${id} works in it`),
      ),
      ...lookSteps(place, true),
    ],
    letGo(look) ??
      verdict('remove-worktree', 'goal-inactive', `${said} and the checkout is clean; its branch brings it back`),
  );
}

function ownedBy(goal: RecordFacts): Verdict | null {
  if (goal.kind !== 'goal') return null;
  const { id, status } = goal.goal;
  if (AUTOMATED.has(status)) return keepIt('automated', `goal ${id} is in ${status}`);
  return goal.live ? keepIt('live-run', `a process carries goal ${id}`) : null;
}

/** Counted from the last that was decided or done about the Goal or this Job. */
function tooEarly({ goal, record }: RoundPlace, limits: Limits): Verdict | null {
  const { hibernate_after } = limits.gc;
  if (hibernate_after === 'never') return keepIt('never', 'gc.hibernate_after is never');
  const times = [
    goal.kind === 'goal' ? goal.goal.updated : goal.kind === 'deleted' ? goal.at : null,
    record.kind === 'job' ? record.job.updated : null,
  ].filter((at) => at !== null);
  const since = times.reduce((one, two) => (Date.parse(one) < Date.parse(two) ? two : one), times[0] ?? '');
  if (limits.now - Date.parse(since) >= hibernate_after.ms) return null;
  return keepIt('not-yet', `something happened at ${since}, less than ${hibernate_after.text} ago`);
}
