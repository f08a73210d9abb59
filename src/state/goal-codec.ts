// Records of Goals as they are stored at their place: what does not belong there, or names what cannot be, is damaged (01). Pure.

import { isRefName } from '../domain/git.js';
import { type Candidate, CLOSED_GOALS, type Evidence, type Feature, type Goal, type Round } from '../domain/goal.js';
import type { Invocation } from '../domain/invocation.js';
import { type Decoded, damaged, decodeKind, type WorkPlace } from './codec.js';
import type { GoalPart } from './layout.js';

const DAY = 24 * 60 * 60 * 1000;
/** A clock that was put right, and the seconds of one command. */
const SLACK = 60 * 1000;

export function decodeGoal(place: WorkPlace, data: Buffer): Decoded<Goal> {
  const read = decodeKind('goal', place.path, data);
  if (read.kind !== 'found') return read;
  const why = flawOfPlace(read.record, place) ?? flawOfGoal(read.record);
  return why === null ? read : damaged(place.path, why);
}

function flawOfPlace(goal: Goal, place: WorkPlace): string | null {
  if (goal.id !== place.id) return `the record says it is ${goal.id}`;
  const fits = (place.area === 'closed') === CLOSED_GOALS.has(goal.status);
  return fits ? null : `a Goal that is ${goal.status} lies in ${place.area} work`;
}

/** What a Goal has wrong in itself, or null: its target, and a window longer than is obeyed. */
export function flawOfGoal(goal: Goal): string | null {
  const name = goal.target?.name ?? null;
  if (name !== null && (!isRefName(`refs/heads/${name}`) || name.startsWith('-')))
    return 'the target is not a branch name';
  if (name?.startsWith('refine/') === true) return 'the target lies below refine/';
  const { window } = goal;
  if (window !== null && Date.parse(window.deadline) > Date.parse(window.opened) + DAY + SLACK)
    return 'the window of its Error event is longer than 24 hours';
  if (window !== null && Date.parse(window.deadline) <= Date.parse(window.opened))
    return 'the window of its Error event closes before it opens';
  return null;
}

export function decodeRound(path: string, goal: string, name: string, data: Buffer): Decoded<Round> {
  const read = decodeKind('round', path, data);
  if (read.kind !== 'found') return read;
  const fits = read.record.goal === goal && String(read.record.number) === name && read.record.number > 0;
  return fits ? read : damaged(path, `the record says it is round ${read.record.number} of ${read.record.goal}`);
}

export function decodeCandidate(path: string, goal: string, id: string, data: Buffer): Decoded<Candidate> {
  return atHome('candidate', path, goal, id, decodeKind('candidate', path, data));
}

export function decodeEvidence(path: string, goal: string, id: string, data: Buffer): Decoded<Evidence> {
  return atHome('evidence', path, goal, id, decodeKind('evidence', path, data));
}

export function decodeInvocation(path: string, goal: string, id: string, data: Buffer): Decoded<Invocation> {
  return atHome('invocation', path, goal, id, decodeKind('invocation', path, data));
}

function atHome<T extends { readonly goal: string; readonly id: string }>(
  what: string,
  path: string,
  goal: string,
  id: string,
  read: Decoded<T>,
): Decoded<T> {
  if (read.kind !== 'found' || (read.record.goal === goal && read.record.id === id)) return read;
  return damaged(path, `the record says it is ${what} ${read.record.id} of ${read.record.goal}`);
}

/** How each part of a Goal is read. */
export const PART_DECODERS: Readonly<
  Record<GoalPart, (path: string, goal: string, name: string, data: Buffer) => Decoded<{ readonly goal: string }>>
> = {
  rounds: decodeRound,
  candidates: decodeCandidate,
  evidence: decodeEvidence,
  invocations: decodeInvocation,
};

export function decodeFeature(path: string, id: string, data: Buffer): Decoded<Feature> {
  const read = decodeKind('feature', path, data);
  if (read.kind !== 'found' || read.record.id === id) return read;
  return damaged(path, `the record says it is feature ${read.record.id}`);
}
