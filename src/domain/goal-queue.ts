// Which Goal or Job may start or go on now, and why each of the others waits (G2, G3; 11, Goals). Pure.

import type { Feature, Goal, GoalId, GoalStatus, Priority } from './goal.js';
import { isAutomated } from './goal-machine.js';
import type { Job } from './job.js';
import { isRoundJob } from './names.js';
import { type Wait, withoutNeed } from './queue.js';

export interface GoalQueueFacts {
  readonly features: readonly Feature[];
  /** Goals whose current Round has a request with nothing in it. */
  readonly empty: ReadonlySet<GoalId>;
  /** Status of what is needed, open and closed; `unknown`: not here. */
  readonly needed: ReadonlyMap<GoalId, GoalStatus | 'unknown'>;
  /** Goals in an automated status that nobody carries: their process died, stopped or waited. Why they cannot go on yet; null: they can. */
  readonly left: ReadonlyMap<GoalId, string | null>;
}

/** One unit of work that `run` can take, in the order of taking. */
export type Unit = {
  readonly id: string;
  readonly wait: Wait;
  /** Why it comes after the others of its priority; undefined: it stands where the queue has it. */
  readonly later?: string;
} & ({ readonly kind: 'goal'; readonly goal: Goal } | { readonly kind: 'job'; readonly job: Job });

/** What is closed, or otherwise not to be taken, as a unit. */
export function notQueued(work: Job | Goal): Unit {
  const wait = { kind: 'not-queued' } as const;
  return work.kind === 'job'
    ? { kind: 'job', id: work.id, job: work, wait }
    : { kind: 'goal', id: work.id, goal: work, wait };
}

const RANK: Readonly<Record<Priority, number>> = { high: 0, medium: 1, low: 2 };
const NAMES: readonly Priority[] = ['high', 'medium', 'low'];

/** Jobs count as medium. */
const rankOf = (unit: Unit): number => (unit.kind === 'goal' ? RANK[unit.goal.priority] : RANK.medium);

/**
 * The place of a unit in the queue: its own, or, for a Goal of a Feature, that of the Feature and then its own in it.
 * Compare text by text.
 */
type Place = readonly [position: string, within: string, created: string, id: string];

export function placeOfGoal(goal: Goal, features: readonly Feature[]): Place {
  const feature = features.find((one) => one.id === goal.feature);
  return feature === undefined
    ? [goal.position, '', goal.created, goal.id]
    : [feature.position, goal.position, goal.created, goal.id];
}

export const placeOfJob = (job: Pick<Job, 'position' | 'created' | 'id'>): Place => [
  job.position,
  '',
  job.created,
  job.id,
];

export function comparePlaces(one: Place, two: Place): number {
  for (const [at, text] of one.entries()) {
    const other = two[at] ?? '';
    if (text !== other) return text < other ? -1 : 1;
  }
  return 0;
}

/**
 * All queued work with why each unit waits, in the order in which it would be taken: by priority, then by place.
 * `goals` are the open Goals; `jobs` the open Jobs, each with what the queue of Jobs says of it.
 */
export function scheduleUnits(
  goals: readonly Goal[],
  jobs: readonly { readonly job: Job; readonly wait: Wait }[],
  facts: GoalQueueFacts,
): readonly Unit[] {
  const own = jobs.filter(({ job }) => !isRoundJob(job));
  const units: Unit[] = [
    ...goals.map((goal): Unit => ({ kind: 'goal', id: goal.id, goal, wait: goalWaits(goal, goals, facts) })),
    ...own.map(({ job, wait }): Unit => ({ kind: 'job', id: job.id, job, wait })),
  ];
  const place = (unit: Unit): Place =>
    unit.kind === 'goal' ? placeOfGoal(unit.goal, facts.features) : placeOfJob(unit.job);
  const sorted = units.sort((one, two) => rankOf(one) - rankOf(two) || comparePlaces(place(one), place(two)));
  const gated = gate(sorted);
  // What was begun goes on before anything new begins.
  return [...gated.filter(goesOn), ...gated.filter((unit) => !goesOn(unit))];
}

/** `id` collides with `with`; null: with its target. */
export interface Collides {
  readonly id: string;
  readonly with: string | null;
  readonly says: string;
}

/**
 * Of units in their order, those that may be taken and collide come after those of their priority that may be taken and do not; of two
 * that collide with each other alone the first keeps its place. What was begun still goes on first, and priorities count as before.
 */
export function collidingLater(units: readonly Unit[], collisions: readonly Collides[]): readonly Unit[] {
  const place = new Map(units.map((unit, at) => [unit.id, at]));
  const mayMove = (unit: Unit): boolean => unit.wait.kind === 'eligible' && !goesOn(unit);
  const movable = new Set(units.filter(mayMove).map(({ id }) => id));
  const isBefore = (other: string, id: string): boolean => (place.get(other) ?? -1) < (place.get(id) ?? -1);
  const later = new Map<string, string>();
  const put = (id: string, says: string): void => {
    if (movable.has(id) && !later.has(id)) later.set(id, says);
  };
  for (const { id, with: other, says } of collisions) {
    if (other === null || !movable.has(other)) put(id, says);
    else if (!movable.has(id) || isBefore(id, other)) put(other, says);
    else put(id, says);
  }
  if (later.size === 0) return units;
  const ordered = [...units];
  for (const rank of new Set(units.map(rankOf))) {
    const places = [...units.keys()].filter((at) => {
      const unit = units[at] as Unit;
      return rankOf(unit) === rank && mayMove(unit);
    });
    const there = places.map((at) => units[at] as Unit);
    const [first, last] = [there.filter(({ id }) => !later.has(id)), there.filter(({ id }) => later.has(id))];
    // With nothing before it that collides with nothing, its place is the one that it had.
    const moved =
      first.length === 0 ? last : [...first, ...last.map((unit) => ({ ...unit, later: later.get(unit.id) ?? '' }))];
    for (const [nth, at] of places.entries()) ordered[at] = moved[nth] as Unit;
  }
  return ordered;
}

/** A Goal that was begun and left: any process may go on with it (03). */
const goesOn = (unit: Unit): boolean => unit.wait.kind === 'eligible' && isBusy(unit);

/** While a higher one is eligible or automated, no lower one starts; review and failed do not gate (11, Goals). */
function gate(units: readonly Unit[]): readonly Unit[] {
  const holder = units.find((unit) => unit.wait.kind === 'eligible' || isBusy(unit));
  if (holder === undefined) return units;
  const rank = rankOf(holder);
  const why = `${holder.kind} ${holder.id} has a higher priority (${NAMES[rank] ?? ''})`;
  const starts = (unit: Unit): boolean => unit.wait.kind === 'eligible' && !isBusy(unit);
  return units.map((unit) => (starts(unit) && rankOf(unit) > rank ? { ...unit, wait: waits(why) } : unit));
}

const isBusy = (unit: Unit): boolean =>
  unit.kind === 'goal' ? isAutomated(unit.goal.status) : unit.job.state === 'active';

/** Without the gate of priorities. */
function goalWaits(goal: Goal, goals: readonly Goal[], facts: GoalQueueFacts): Wait {
  if (isAutomated(goal.status)) return goesOnWhen(goal, facts.left.get(goal.id));
  if (goal.status !== 'todo') return { kind: 'not-queued' };
  if (!hasRound(goal, facts)) return waits('it has no round: there is nothing it is asked for');
  for (const id of goal.needs) {
    const why = unmet(goal, id, facts.needed.get(id) ?? 'unknown');
    if (why !== null) return waits(why);
  }
  const before = goal.feature === null ? undefined : goals.find((other) => isInTheWay(other, goal, facts));
  if (before === undefined) return { kind: 'eligible' };
  const says = before.status === 'failed' ? 'failed' : `is ${before.status}`;
  return waits(`goal ${before.id}, before it in its feature, ${says}`);
}

/** In a handler's window only a decision moves it (G41). */
function goesOnWhen(goal: Goal, left: string | null | undefined): Wait {
  if (goal.window !== null) return waits(`a handler has until ${goal.window.deadline}`);
  if (left === undefined) return { kind: 'not-queued' };
  return left === null ? { kind: 'eligible' } : waits(left);
}

const waits = (why: string): Wait => ({ kind: 'waits', why });

/** A Goal without a non-empty Round is never eligible and never holds a sibling's place (G2). */
const hasRound = (goal: Goal, facts: GoalQueueFacts): boolean => goal.round > 0 && !facts.empty.has(goal.id);

/** n+1 may start when n is in review, done or cancelled (G3). */
const isInTheWay = (other: Goal, goal: Goal, facts: GoalQueueFacts): boolean =>
  other.feature === goal.feature &&
  other.id !== goal.id &&
  other.status !== 'review' &&
  hasRound(other, facts) &&
  comparePlaces(placeOfGoal(other, []), placeOfGoal(goal, [])) < 0;

function unmet(goal: Pick<Goal, 'id' | 'needs'>, id: GoalId, status: GoalStatus | 'unknown'): string | null {
  switch (status) {
    case 'review':
    case 'done':
      return null;
    case 'unknown':
      return `needs ${id}, which is unknown here`;
    case 'cancelled':
      return `needs ${id}, which was cancelled; lift it with git owl goal edit ${goal.id} ${withoutNeed(goal.needs, id)}`;
    default:
      return `needs ${id}, which ${status === 'failed' ? 'failed' : `is ${status}`}`;
  }
}
