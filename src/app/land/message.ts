// What merge commits say. Pure.

import type { Goal } from '../../domain/goal.js';
import type { Job } from '../../domain/job.js';

/** `token`: that of the lease it was published under (G32); null: without one. */
export const mergeMessage = (job: Pick<Job, 'id' | 'title'>, token: number | null): string =>
  `Merge job ${job.id}: ${plain(job.title)}\n\nOwl-Job: ${job.id}\n${token === null ? '' : `Owl-Lease-Token: ${token}\n`}`;

/** For the integration of a Goal: Goal, Round, Candidate and the token of the lease (G32). */
export const integrationMessage = (
  goal: Pick<Goal, 'id' | 'title' | 'round'>,
  candidate: { readonly tip: string },
  token: number | null,
): string => {
  const trailers = [`Owl-Goal: ${goal.id}`, `Owl-Round: ${goal.round}`, `Owl-Candidate: ${candidate.tip}`];
  if (token !== null) trailers.push(`Owl-Lease-Token: ${token}`);
  return `Merge goal ${goal.id}: ${plain(goal.title)}\n\n${trailers.join('\n')}\n`;
};

const plain = (title: string): string => title.replace(/[\x00-\x1f\x7f]+/g, ' ');
