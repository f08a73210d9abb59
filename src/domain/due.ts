// What entered a state that a Skill is bound to, noted in this clone until `run` or `goal advance` carries the Skill out (G61). Pure.

import type { Oid } from './git.js';
import type { Claim, Job, JobState } from './job.js';
import type { Skill } from './policy.js';

export interface DueJob {
  readonly job: string;
  readonly state: JobState;
  /** Of the Job's record as it entered the state. */
  readonly revision: number;
}

/** One note: of one write, carried out once. */
export interface Due {
  readonly jobs: readonly DueJob[];
  /** Closed Goals whose Skills are recorded and wait: nothing else would look at them again. */
  readonly goals: readonly string[];
  /** Who carries it out, with what marks its processes; null: nobody has begun. */
  readonly claim: Claim | null;
}

export const jobEvent = (state: JobState): string => `job.${state}`;

/** Did the write take the Job to another state? A new one enters its first. */
export const entersState = (before: Pick<Job, 'state'> | null, after: Pick<Job, 'state'>): boolean =>
  before === null || before.state !== after.state;

/** Commands bound to this state, in the order of the configuration. */
export const boundToState = (skills: readonly Skill[], state: JobState): readonly Skill[] =>
  skills.filter(({ kind, on, run }) => kind === 'executable' && on === jobEvent(state) && run !== null);

/** What a Skill of `job.<state>` is told, as JSON in `OWL_EVENT_FILE`. */
export interface JobEventDocument {
  readonly event: string;
  readonly skill: string;
  readonly job: string;
  readonly title: string;
  /** As the Job is now: a later decision may have come. */
  readonly state: JobState;
  readonly revision: number;
  readonly branch: string;
  readonly base: { readonly ref: string; readonly oid: Oid } | null;
  readonly tip: Oid | null;
  readonly goal: string | null;
  readonly reason: Job['reason'];
}

export const jobDocument = (event: JobEventDocument): string =>
  `${JSON.stringify({ schema: 'git-owl/job-event/v1', ...event }, null, 2)}\n`;

/** The same as variables. No `OWL_SKILL`: it may ask for no decision (G61). */
export function jobVariables(event: JobEventDocument, file: string): Readonly<Record<string, string>> {
  const told: Readonly<Record<string, string | null | undefined>> = {
    OWL_EVENT: event.event,
    OWL_EVENT_FILE: file,
    OWL_STATE: event.state,
    OWL_TITLE: event.title.replaceAll('\0', ' '),
    OWL_BRANCH: event.branch,
    OWL_TIP: event.tip,
    OWL_REASON: event.reason?.code,
    OWL_MESSAGE: event.reason?.text.replaceAll('\0', ' ').slice(0, 4096),
  };
  return Object.fromEntries(
    Object.entries(told).filter((entry): entry is [string, string] => entry[1] !== null && entry[1] !== undefined),
  );
}
