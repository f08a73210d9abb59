// Open work in numbers: how much there is in each state, as text that people and shell prompts read (01, Writes). Pure.

import { GOAL_STATUSES } from './goal.js';
import type { JobState } from './job.js';

/** Goals are counted apart from Jobs, which have a `review` too: `goal-review`. */
const OF_GOALS = 'goal-';
const JOBS: readonly JobState[] = ['pending', 'active', 'blocked', 'review', 'escalated', 'exhausted'];
const ORDER: readonly string[] = [...JOBS, ...GOAL_STATUSES.map((status) => `${OF_GOALS}${status}`)];

/** Counts of open work: of Jobs by state, of Goals by `goal-<status>`. */
export type OpenCounts = Readonly<Record<string, number>>;

export const joinCounts = (jobs: OpenCounts, goals: OpenCounts): OpenCounts => ({
  ...jobs,
  ...Object.fromEntries(Object.entries(goals).map(([status, count]) => [`${OF_GOALS}${status}`, count])),
});

/** `3 pending 1 active 2 review 1 goal-quality`, or `none`. */
export function formatOpen(counts: OpenCounts): string {
  const rank = (state: string): number => ORDER.indexOf(state) + 1 || ORDER.length + 1;
  const parts = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort(([one], [two]) => rank(one) - rank(two) || (one < two ? -1 : 1))
    .map(([state, count]) => `${count} ${state}`);
  return parts.length === 0 ? 'none' : parts.join(' ');
}

/** Reads an `Owl-Open` trailer; what is not of its form is left out. */
export function parseOpen(text: string): OpenCounts {
  const counts: Record<string, number> = {};
  for (const [, count, state] of text.matchAll(/(\d{1,9}) ([a-z-]+)/g)) {
    if (count !== undefined && state !== undefined) counts[state] = Number(count);
  }
  return counts;
}
