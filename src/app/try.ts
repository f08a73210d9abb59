// Updates that write nothing: `--dry-run` of a decision, and the look whether a request was answered before.

import type { Job } from '../domain/job.js';
import type { Tx, Updated, UpdateOptions } from '../state/types.js';
import type { Workbench } from './workbench.js';

/** Ends an update before anything is written; never seen outside of this file. */
const DRY = Symbol('dry run');

/** As `store.update`; with `bench.dryRun` the result is what the change would be and nothing is written. */
export async function updateOrTry<T>(
  bench: Workbench,
  options: UpdateOptions,
  change: (tx: Tx) => Promise<T>,
): Promise<Updated<T>> {
  if (!bench.dryRun) return bench.store.update(options, change);
  const tried: T[] = [];
  try {
    return await bench.store.update<T>(options, async (tx) => {
      tried.push(await change(tx));
      throw DRY;
    });
  } catch (error) {
    const [result] = tried;
    if (error !== DRY || result === undefined) throw error;
    return { result, commit: null, repeated: false, refused: [] };
  }
}

export type JobRequest = NonNullable<UpdateOptions['request']>;

/**
 * The idempotency key of a decision about one Job: verb, Job and options are its content, so that the same id for anything
 * else is refused (01, Writes). Undefined without `--request-id`.
 */
export const requestOf = (
  bench: Pick<Workbench, 'requestId'>,
  verb: string,
  job: Pick<Job, 'id'>,
  content: unknown = null,
): JobRequest | undefined =>
  bench.requestId === undefined ? undefined : { id: bench.requestId, content: { verb, job: job.id, content } };

/**
 * What this request gave the first time; null when there is none, or it is new here. For verbs that look at the repository
 * before they decide: a repeated one must not be refused for what the first one did. Throws OwlError `request-reused`.
 */
export async function answeredBefore<T>(bench: Workbench, request: JobRequest | undefined): Promise<T | null> {
  if (request === undefined) return null;
  try {
    const { result } = await bench.store.update<T>({ request }, async () => {
      throw DRY;
    });
    return result;
  } catch (error) {
    if (error === DRY) return null;
    throw error;
  }
}
