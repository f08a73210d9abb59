// What `report` publishes: the board, what ran, and what was found (06).

import type { PublishedEvidence } from './goal-part-fields.js';
import type { PublishedRun } from './job-fields.js';
import type { ListItem } from './views/list.js';

/** A Run, with the id of the Job or of the Goal that it was for. */
export interface ReportedRun extends PublishedRun {
  readonly unit: string;
  /** Runs of a Goal are counted anew in each of its Rounds; null: of a Job. */
  readonly round: number | null;
}

/** What a gate, an integration or a reconciliation of a Goal came to. */
export interface ReportedEvidence extends PublishedEvidence {
  readonly unit: string;
}

export interface ReportData {
  readonly made: string;
  /** Closed work, Runs and evidence from this time on. */
  readonly since: string;
  /** Folder name of the repository. */
  readonly repository: string;
  readonly counts: Readonly<Record<string, number>>;
  /** Open, in queue order; with why it waits. */
  readonly open: readonly ListItem[];
  /** Closed since, the newest first. */
  readonly closed: readonly ListItem[];
  /** Begun or ended since, oldest first. */
  readonly runs: readonly ReportedRun[];
  /** Oldest first. */
  readonly evidence: readonly ReportedEvidence[];
}

/** Of the board: what asks for a person, what is on its way, what waits. */
export type Column = 'decide' | 'active' | 'waiting';

const DECIDE: ReadonlySet<string> = new Set(['review', 'escalated', 'blocked', 'exhausted', 'failed']);
const WAITING: ReadonlySet<string> = new Set(['pending', 'todo', 'backlog']);

export const columnOf = ({ state }: ListItem): Column =>
  DECIDE.has(state) ? 'decide' : WAITING.has(state) ? 'waiting' : 'active';

export const COLUMNS: readonly (readonly [Column, string])[] = [
  ['decide', 'Needs a decision'],
  ['active', 'On its way'],
  ['waiting', 'Waits'],
];
