// `retry`: returns a blocked, exhausted, escalated or reviewed Job to the queue, in its place (J29, J12).

import { OwlError } from '../../domain/errors.js';
import type { Job } from '../../domain/job.js';
import { moveJob } from '../../domain/machine.js';
import { TTL_LIMIT } from '../../domain/policy.js';
import type { Tx, Updated } from '../../state/types.js';
import { changeJob } from '../jobs.js';
import type { Workbench } from '../workbench.js';

export interface RetryRequest {
  /** Goes into the next prompt. */
  readonly message: string | undefined;
  /** The branch is cut again at today's base commit, with the Handoff as its first commit (J12). */
  readonly restart: boolean;
  readonly ttl: number | undefined;
}

/** Bytes of feedback that one retry may add. */
const FEEDBACK_LIMIT = 64 * 1024;

/** Why it could not be merged, for the next Run: no Run's record says it (J29, J35). */
function landingTrouble(job: Job): readonly string[] {
  const why = job.reason;
  if (job.state !== 'escalated' || why === null) return [];
  const paths = (why.paths ?? []).map((path) => `- ${path}`);
  return [[`The finished work could not be merged: ${why.text}`, ...paths].join('\n')];
}

/** Throws OwlError `usage`. */
export function checkRetry(request: RetryRequest): void {
  const text = request.message?.trim();
  if (text === '') throw new OwlError('usage', 'the message is empty');
  if (text !== undefined && Buffer.byteLength(text) > FEEDBACK_LIMIT) {
    throw new OwlError('usage', `the message has more than ${FEEDBACK_LIMIT} bytes`);
  }
  if (request.ttl !== undefined && (request.ttl < 1 || request.ttl > TTL_LIMIT))
    throw new OwlError('usage', `--ttl takes a whole number from 1 to ${TTL_LIMIT}, not ${request.ttl}`);
}

/** The Job back in the queue, with what it is told. `of` is what a person calls it. Throws OwlError `wrong-state`, `refused`. */
export function retried(
  job: Job,
  request: RetryRequest,
  tx: Pick<Tx, 'op' | 'now'>,
  of: { readonly noun: 'job' | 'goal'; readonly id: string } = { noun: 'job', id: job.id },
): Job {
  const text = request.message?.trim();
  const ttl = request.ttl ?? job.ttl;
  const moved = moveJob(
    job,
    { event: 'retry', to: 'pending', op: tx.op, at: tx.now },
    {
      ttl,
      feedback: [...job.feedback, ...landingTrouble(job), ...(text === undefined ? [] : [text])],
      restart: request.restart || job.restart,
      // What stopped a Run goes into the next prompt from its record; what stopped a merge has none, and goes as feedback.
      reason: null,
      not_before: null,
      no_change: null,
      degraded: false,
    },
  );
  if (ttl >= 1) return moved;
  throw new OwlError('refused', `${of.noun} ${of.id} has no Runs left; give it some`, {
    preserved: ['nothing was changed'],
    next: [`git owl retry ${of.id} --ttl 5`],
  });
}

/** Throws OwlError `wrong-state`, `usage`, and what finding a Job throws. */
export async function retryJob(bench: Workbench, id: string, request: RetryRequest): Promise<Updated<Job>> {
  checkRetry(request);
  return changeJob(bench, id, 'retry', request, (job, tx) => {
    return {
      job: retried(job, request, tx),
      event: 'job.retried',
      subject: `job ${job.id}: back in the queue${request.restart ? ', to begin again' : ''}`,
    };
  });
}
