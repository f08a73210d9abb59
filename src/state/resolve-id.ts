// From what a person types to an id: the exact one, else any unique prefix of one (01, Refs).

import { OwlError } from '../domain/errors.js';
import type { GoalId } from '../domain/goal.js';
import type { JobId } from '../domain/job.js';
import type { Snapshot } from './types.js';

const SHOWN = 20;

type Known = Pick<Snapshot, 'job' | 'jobIds' | 'goal' | 'goalIds'>;

/** An id of a Job or of a Goal. `of` says which: also of one that is deleted, damaged or newer. */
export interface WorkName {
  readonly id: string;
  readonly of: 'job' | 'goal';
}

/**
 * The Job or Goal that a text names, among all that are known here: open, closed and deleted. `noun` is for the message.
 * Throws OwlError `ambiguous-id` with the matches, `unknown-id`.
 */
export async function resolveWorkId(snapshot: Known, text: string, noun = 'job or goal'): Promise<WorkName> {
  const typed = text.trim().toLowerCase();
  if (/^[a-z][a-z0-9]{0,15}$/.test(typed)) {
    const exact = await kindOf(snapshot, typed);
    if (exact !== null) return exact;
    const ids = new Set([...(await snapshot.jobIds()), ...(await snapshot.goalIds())]);
    const matches = [...ids].filter((id) => id.startsWith(typed)).sort();
    const [only] = matches;
    if (only !== undefined && matches.length === 1) return (await kindOf(snapshot, only)) ?? { id: only, of: 'job' };
    const next = matches.slice(0, 3).map((id) => `git owl show ${id}`);
    if (only !== undefined) throw ambiguous(typed, matches, next);
  }
  throw new OwlError('unknown-id', `no ${noun} ${JSON.stringify(text.slice(0, 80))} is known here`, {
    next: ['git owl list --all'],
  });
}

function ambiguous(typed: string, matches: readonly string[], next: readonly string[]): OwlError {
  const more = matches.length > SHOWN ? `, and ${matches.length - SHOWN} more` : '';
  const some = matches.slice(0, SHOWN).join(', ');
  return new OwlError('ambiguous-id', `${typed} is the beginning of several ids: ${some}${more}`, {
    next,
    data: { matches },
  });
}

async function kindOf(snapshot: Known, id: string): Promise<WorkName | null> {
  if ((await snapshot.job(id)).kind !== 'unknown') return { id, of: 'job' };
  return (await snapshot.goal(id)).kind === 'unknown' ? null : { id, of: 'goal' };
}

/** The Job that a text names; a Goal is refused by name. Throws as `resolveWorkId`. */
export const resolveJobId = (snapshot: Known, text: string): Promise<JobId> => resolveOne(snapshot, text, 'job');
/** The Goal that a text names; a Job is refused by name. Throws as `resolveWorkId`. */
export const resolveGoalId = (snapshot: Known, text: string): Promise<GoalId> => resolveOne(snapshot, text, 'goal');

async function resolveOne(snapshot: Known, text: string, noun: 'job' | 'goal'): Promise<string> {
  const { id, of } = await resolveWorkId(snapshot, text, noun);
  if (of === noun) return id;
  throw new OwlError('unknown-id', `${id} is a ${of}, and a ${noun} is needed here`, { next: [`git owl show ${id}`] });
}

/** The Feature that a text names. Throws as `resolveWorkId`. */
export async function resolveFeatureId(snapshot: Pick<Snapshot, 'features'>, text: string): Promise<string> {
  const ids = (await snapshot.features()).map((feature) => feature.id);
  const typed = text.trim().toLowerCase();
  const matches = ids.includes(typed) ? [typed] : ids.filter((id) => typed !== '' && id.startsWith(typed));
  const [only] = matches;
  if (only !== undefined && matches.length === 1) return only;
  const next = ['git owl feature list'];
  if (only !== undefined) throw ambiguous(typed, matches, next);
  throw new OwlError('unknown-id', `no feature ${JSON.stringify(text.slice(0, 80))} is known here`, { next });
}
