// `add`: records intent only, no branch, worktree or process (J1).

import { OwlError } from '../domain/errors.js';
import type { RefName } from '../domain/git.js';
import type { Job } from '../domain/job.js';
import { isRoundJob } from '../domain/names.js';
import { newJob } from '../domain/new-job.js';
import { type Policy, TTL_LIMIT } from '../domain/policy.js';
import { isSlug, PROMPT_LIMIT, slugOf, titleOf } from '../domain/title.js';
import { resolveJobId } from '../state/resolve-id.js';
import { freshId } from './fresh-id.js';
import { jobBranch } from './jobs.js';
import { lastPosition } from './queue-places.js';
import { updateOrTry } from './try.js';
import type { Workbench } from './workbench.js';

export interface AddRequest {
  readonly prompt: Buffer;
  readonly planned: boolean | undefined;
  readonly ttl: number | undefined;
  readonly mode: string | undefined;
  readonly autoMerge: boolean | undefined;
  readonly agent: string | undefined;
  /** As the person named it; null: resolved anew at each Run (J33). */
  readonly base: string | undefined;
  readonly remote: string | undefined;
  readonly from: RefName | undefined;
  readonly labels: readonly string[];
  readonly needs: readonly string[];
  readonly slug: string | undefined;
}

export interface Added {
  readonly job: Job;
  /** Its place in the queue, from 1. */
  readonly place: number;
  readonly repeated: boolean;
}

/** The prompt as text. Throws OwlError `usage` when it is empty, binary or larger than 512 KiB. */
export function readPrompt(bytes: Buffer): string {
  if (bytes.length > PROMPT_LIMIT) {
    // How many it really has, standard input was not read for.
    throw new OwlError('usage', `the prompt has more than ${PROMPT_LIMIT} bytes; at most that many are taken`, {
      preserved: ['nothing was queued'],
      next: ['git owl add -h'],
    });
  }
  const text = bytes.toString('utf8');
  if (bytes.includes(0) || !Buffer.from(text, 'utf8').equals(bytes)) {
    throw new OwlError('usage', 'the prompt is not text in UTF-8', {
      preserved: ['nothing was queued'],
      next: ['git owl add -h'],
    });
  }
  const clean = text.replace(/^\uFEFF/, '').replace(/\r\n/g, '\n');
  if (clean.trim() === '') {
    throw new OwlError('usage', 'the prompt is empty', { preserved: ['nothing was queued'], next: ['git owl add -h'] });
  }
  return clean;
}

/** A label is one word that a list of them can be told apart by. Throws OwlError `usage`. */
export function checkLabels(labels: readonly string[]): void {
  const bad = labels.find((label) => label === 'none' || !/^[^\s,]+$/.test(label));
  if (bad === undefined) return;
  const why = bad === 'none' ? 'it stands for no label at all' : 'a label is one word without commas';
  throw new OwlError('usage', `${JSON.stringify(bad)} is no label: ${why}`, { preserved: ['nothing was changed'] });
}

function checkRequest(request: AddRequest, policy: Policy): void {
  const refuse = (message: string, next = 'git owl add -h'): never => {
    throw new OwlError('usage', message, { preserved: ['nothing was queued'], next: [next] });
  };
  if (request.mode !== undefined && policy.modes[request.mode] === undefined) {
    const known = Object.keys(policy.modes);
    refuse(
      `unknown mode '${request.mode}'${known.length === 0 ? '; the configuration has none' : `; known: ${known.join(', ')}`}`,
      'git owl config modes',
    );
  }
  if (request.slug !== undefined && !isSlug(request.slug)) refuse(`'${request.slug}' cannot be part of a branch name`);
  checkLabels(request.labels);
  const ttl = request.ttl ?? policy.ttl;
  if (!Number.isInteger(ttl) || ttl < 1 || ttl > TTL_LIMIT)
    refuse(`--ttl takes a whole number from 1 to ${TTL_LIMIT}, not ${ttl}`);
  if ((request.planned ?? policy.plan) && ttl === 1) {
    refuse('a planned job needs at least 2 Runs: with --ttl 1 it could never execute; add --no-plan or a larger --ttl');
  }
}

/** Queues one Job. Throws OwlError `usage`, `unknown-id`, `ambiguous-id` and what the store throws. */
export async function enqueue(bench: Workbench, request: AddRequest, policy: Policy): Promise<Added> {
  const prompt = readPrompt(request.prompt);
  checkRequest(request, policy);
  const title = titleOf(prompt);
  const content = { ...request, prompt: prompt };
  let made: Job | undefined;
  const updated = await updateOrTry<{ id: string; place: number }>(
    bench,
    { step: 'add', ...(bench.requestId === undefined ? {} : { request: { id: bench.requestId, content } }) },
    async (tx) => {
      const open = await tx.openJobs();
      const needs: string[] = [];
      for (const text of request.needs) needs.push(await resolveJobId(tx, text));
      const job = newJob(
        {
          id: await freshId(bench, tx),
          planned: request.planned ?? policy.plan,
          title,
          prefix: policy.branch_prefix,
          slug: request.slug ?? slugOf(title),
          position: await lastPosition(tx),
          ttl: request.ttl ?? policy.ttl,
          base: { name: request.base ?? null, remote: request.remote ?? null },
          from: request.from ?? null,
          mode: request.mode ?? null,
          auto_merge: request.autoMerge ?? null,
          labels: [...new Set(request.labels)],
          needs: [...new Set(needs)],
          agent: request.agent ?? null,
        },
        tx,
      );
      made = job;
      tx.putJob(job);
      tx.putPrompt(job.id, prompt);
      tx.event({ event: 'job.added', subject: `job ${job.id}: added: ${title}`, job: job.id });
      return { id: job.id, place: open.filter((other) => other.state === 'pending' && !isRoundJob(other)).length + 1 };
    },
  );
  if (made !== undefined && made.id === updated.result.id)
    return { job: made, place: updated.result.place, repeated: false };
  const job = await (await bench.store.snapshot()).job(updated.result.id);
  if (job.kind !== 'found')
    throw new OwlError('busy', `job ${updated.result.id} was queued and cannot be read back`, {
      next: ['git owl list'],
    });
  return { job: job.record, place: updated.result.place, repeated: updated.repeated };
}

/** What `add` says, one line: id, place and branch. */
export const addedLine = (added: Added): string =>
  `${added.job.id}  queued at place ${added.place}; its branch will be ${jobBranch(added.job)}`;
