// `edit`: prompt, attempts, agent, needs and labels of a Job that is pending or blocked.

import { OwlError } from '../../domain/errors.js';
import type { Job, JobId } from '../../domain/job.js';
import { mayHappen, moveJob, wrongState } from '../../domain/machine.js';
import { TTL_LIMIT } from '../../domain/policy.js';
import { titleOf } from '../../domain/title.js';
import { resolveJobId } from '../../state/resolve-id.js';
import type { Tx, Updated } from '../../state/types.js';
import { checkLabels, readPrompt } from '../enqueue.js';
import { changeJob } from '../jobs.js';
import type { Workbench } from '../workbench.js';

export interface EditRequest {
  readonly prompt: Buffer | undefined;
  readonly ttl: number | undefined;
  readonly agent: string | undefined;
  /** The complete new list; an empty list lifts all needs. */
  readonly needs: readonly string[] | undefined;
  readonly labels: readonly string[] | undefined;
}

/** Throws OwlError `wrong-state`, `usage`, `unknown-id`, `ambiguous-id`. */
export async function editJob(bench: Workbench, id: string, request: EditRequest): Promise<Updated<Job>> {
  const prompt = request.prompt === undefined ? undefined : readPrompt(request.prompt);
  checkLabels(request.labels ?? []);
  if (request.ttl !== undefined && (request.ttl < 1 || request.ttl > TTL_LIMIT)) {
    throw new OwlError('usage', `--ttl takes a whole number from 1 to ${TTL_LIMIT}, not ${request.ttl}`);
  }
  return changeJob(bench, id, 'edit', { ...request, prompt }, async (job, tx) => {
    if (!mayHappen(job.state, 'edit')) throw wrongState(job, 'edit');
    if (request.ttl === 1 && job.planned && job.phase === 'plan') {
      throw new OwlError('usage', `job ${job.id} is yet to be planned: with 1 Run left it could never execute`, {
        preserved: ['nothing was changed'],
        next: [`git owl edit ${job.id} --ttl 2`],
      });
    }
    const needs = request.needs === undefined ? job.needs : await resolveNeeds(tx, job, request.needs);
    if (prompt !== undefined) tx.putPrompt(job.id, prompt);
    // A changed request is a decision (01): another occurrence, so that a worker that began under the old one is superseded.
    const edited = moveJob(
      job,
      { event: 'edit', to: job.state, op: tx.op, at: tx.now },
      {
        title: prompt === undefined ? job.title : titleOf(prompt),
        ttl: request.ttl ?? job.ttl,
        agent: request.agent ?? job.agent,
        account: request.agent === undefined ? job.account : null,
        needs,
        labels: request.labels ?? job.labels,
      },
    );
    const moved: Job =
      prompt === undefined ? edited : { ...edited, occurrence: { number: job.occurrence.number + 1, decision: tx.op } };
    const what = [
      prompt === undefined ? [] : ['prompt'],
      request.ttl === undefined ? [] : ['ttl'],
      request.agent === undefined ? [] : ['agent'],
      request.needs === undefined ? [] : ['needs'],
      request.labels === undefined ? [] : ['labels'],
    ].flat();
    return { job: moved, event: 'job.edited', subject: `job ${job.id}: edited: ${what.join(', ')}` };
  });
}

async function resolveNeeds(tx: Tx, job: Job, texts: readonly string[]): Promise<readonly JobId[]> {
  const ids: JobId[] = [];
  for (const text of texts) ids.push(await resolveJobId(tx, text));
  for (const id of ids) {
    if (await reaches(tx, id, job.id, new Set())) {
      throw new OwlError(
        'usage',
        `job ${job.id} cannot need ${id}: ${id === job.id ? 'it is itself' : `${id} needs ${job.id}`}`,
      );
    }
  }
  return [...new Set(ids)];
}

/** Does `from` need `to`, directly or through others? A circle would wait for ever. */
async function reaches(tx: Tx, from: JobId, to: JobId, seen: Set<JobId>): Promise<boolean> {
  if (from === to) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  const loaded = await tx.job(from);
  if (loaded.kind !== 'found') return false;
  for (const need of loaded.record.needs) {
    if (await reaches(tx, need, to, seen)) return true;
  }
  return false;
}
