// When the checkout of a Skill of its own goes: once nothing will start in it again, and when it is clean (M1, M5, G62, G63). Pure.

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
import { letGo, lookSteps, type OwnPlace } from './collect-worktree.js';
import { type Invocation, isOfOccurrence } from './invocation.js';

export interface SkillPlace extends OwnPlace {
  /** The Goal that it was made for; `unknown`: none here says so. */
  readonly goal: RecordFacts;
  /** Id of that Goal; null: not known. */
  readonly goalId: string | null;
  /** Its record; null: there is none, or it went with its Goal. */
  readonly invocation: Invocation | null;
  /** Does a process of it live, or can that not be told? */
  readonly live: boolean;
}

/** Its branch stays, and is retired with its Goal; what is unfinished is told as soon as nobody works in it (M2). */
export function decideSkillPlace(place: SkillPlace, limits: Limits): Item {
  const { id, path, goal, goalId, invocation, live } = place;
  const of = { kind: 'worktree', subject: path, owner: goalId } as const;
  const none = verdict('report', 'no-record', `${path} was made for ${id}, of which there is no record here`);
  const until = waits(place, limits);
  return judge(
    of,
    [
      recordStep(goal, `${path} was made for ${id}`, ''),
      step('there is a record of its Skill', goal.kind === 'deleted' || invocation !== null, none),
      step('no process of it lives', !live, keepIt('live-run', `${invocation?.skill ?? 'a Skill'} works in it`)),
      step('it ended, or is not to start any more', !mayStart(place), keepIt('open-skill', sayOpen(place))),
      ...lookSteps(place, true),
      step('that was long enough ago', until === null, until ?? none),
    ],
    letGo(place.look) ??
      verdict('remove-worktree', 'skill-ended', `${sayEnd(place)} and its checkout is clean; its branch stays`),
  );
}

/** A restart goes on in the checkout that it has, as long as its occurrence stands (G63). */
const mayStart = ({ goal, invocation }: SkillPlace): boolean =>
  invocation !== null && invocation.state !== 'ended' && goal.kind === 'goal' && isOfOccurrence(invocation, goal.goal);

const sayOpen = ({ goalId, invocation }: SkillPlace): string =>
  `${invocation?.skill ?? 'a Skill'} of goal ${goalId ?? ''} is ${invocation?.state ?? 'open'}; git owl run carries it out`;

function sayEnd({ goalId, invocation }: SkillPlace): string {
  if (invocation === null) return `goal ${goalId ?? ''} was deleted`;
  return invocation.state === 'ended'
    ? `${invocation.skill} ended: ${invocation.outcome ?? ''}`
    : `${invocation.skill} is not to start any more`;
}

function waits({ goal, invocation }: SkillPlace, limits: Limits): Verdict | null {
  const { hibernate_after } = limits.gc;
  if (hibernate_after === 'never') return keepIt('never', 'gc.hibernate_after is never');
  const decided = goal.kind === 'goal' ? goal.goal.updated : goal.kind === 'deleted' ? goal.at : '';
  const since = invocation?.ended ?? decided;
  if (limits.now - Date.parse(since) >= hibernate_after.ms) return null;
  return keepIt('not-yet', `it ended at ${since}, less than ${hibernate_after.text} ago`);
}
