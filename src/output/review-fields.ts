// What a review publishes of a Job or a Goal (06, G50): the one shape that JSON, the view for people and the page share. Types only.

import type { Notable } from '../domain/notable.js';
import type { Undo } from '../domain/undo.js';
import type { Delivered, PublishedGoal } from './goal-fields.js';
import type { PublishedEvidence, PublishedRound } from './goal-part-fields.js';
import type { PublishedCheck, PublishedFailure, PublishedJob } from './job-fields.js';

/** Written by an agent, about exactly these commits: a claim, never evidence. */
export interface PublishedSummary {
  readonly agent: string;
  /** What it was started for. */
  readonly of: 'execute' | 'quality' | 'governance';
  readonly text: string;
  readonly candidate: { readonly base: string; readonly tip: string };
  /** Is that what is reviewed here? */
  readonly current: boolean;
}

/** What a gate found out, with what its failed checks printed. */
export interface PublishedGate extends PublishedEvidence {
  /** Is it about the Candidate that is reviewed here? */
  readonly current: boolean;
  readonly failures: readonly PublishedFailure[];
  readonly notes: readonly string[];
}

interface ReviewParts {
  /** What must not be overlooked, listed on top. */
  readonly notable: readonly Notable[];
  /** What was asked for; of a Goal, in its current Round. */
  readonly prompt: string | null;
  /** The Handoff at the tip, as committed; null: there is none. */
  readonly handoff: string | null;
  readonly commits: readonly { readonly oid: string; readonly subject: string }[];
  /** Lines added and removed; null: a binary file. */
  readonly files: readonly { readonly path: string; readonly added: number | null; readonly removed: number | null }[];
  readonly summaries: readonly PublishedSummary[];
  readonly checks: readonly PublishedCheck[];
  readonly failures: readonly PublishedFailure[];
  readonly guarded: readonly string[];
  /** Things to know before a decision: a stale Handoff, no checks configured, notes of the last Run. */
  readonly questions: readonly string[];
  /** Empty: there is nothing to take back. */
  readonly undo: readonly Undo[];
  readonly next: readonly string[];
}

export interface JobReview extends ReviewParts {
  readonly job: PublishedJob;
}

export interface GoalReview extends ReviewParts {
  readonly goal: PublishedGoal;
  readonly rounds: readonly PublishedRound[];
  /** Quality and governance of the current Round, oldest first. */
  readonly gates: readonly PublishedGate[];
  /** Refreshes, conflicts, integration and what else was observed of the current Round, oldest first. */
  readonly evidence: readonly PublishedEvidence[];
  /** Is the integration in the target, as far as is known here? null: nothing was integrated. */
  readonly delivered: Delivered | null;
}

export type ReviewData = JobReview | GoalReview;

export const isGoalReview = (data: ReviewData): data is GoalReview => 'goal' in data;
