// Which checks failed last, and what they printed: of the last Run, or of a verification since (J22, J27, J29).

import type { CheckResult, Job, Run, Verification } from '../../domain/job.js';
import type { StateStore } from '../../state/types.js';
import { checkOutput, linkOf } from './kept-log.js';

export interface FailedCheck {
  readonly check: CheckResult;
  /** Null: it is not kept any more, or was never. */
  readonly output: Buffer | null;
}

/** A verification without an agent that is newer than this Run: by `verify`, or by a merge that checked again. Null: none. */
export const verifiedSince = (job: Pick<Job, 'verification'>, last: Run): Verification | null =>
  job.verification !== null && last.ended !== null && job.verification.at > last.ended ? job.verification : null;

/** The failed checks of the newest evidence: `last` is the newest Run that has ended. */
export const newestFailures = (store: StateStore, job: Job, last: Run): Promise<readonly FailedCheck[]> => {
  const since = verifiedSince(job, last);
  return since === null
    ? failuresOf(store, last)
    : withOutputs(store, since.checks, async () => {
        const links = await store.kept(job.id);
        return links.find((link) => link.subject.startsWith('outputs of '))?.link ?? null;
      });
};

/** The same, of a Job with all its Runs; none where a Run is live. */
export async function failuresOfJob(
  store: StateStore,
  job: Job,
  runs: readonly Run[],
): Promise<readonly FailedCheck[]> {
  const last = runs.at(-1);
  return last === undefined || last.outcome === null ? [] : newestFailures(store, job, last);
}

/** The failed checks of one Run. */
export const failuresOf = (store: StateStore, run: Run): Promise<readonly FailedCheck[]> =>
  withOutputs(store, run.checks, () => linkOf(store, run));

async function withOutputs(
  store: StateStore,
  checks: readonly CheckResult[],
  findLink: () => Promise<Run['kept']>,
): Promise<readonly FailedCheck[]> {
  const failed = checks.filter((check) => check.status !== 'passed');
  const link = failed.length === 0 ? null : await findLink();
  return Promise.all(failed.map(async (check) => ({ check, output: await checkOutput(store, link, check) })));
}
