// What every review looks up in the commits of one change, whoever made it: a Job or a Round of a Goal (G50).

import { ownHandoff } from '../app/handoff.js';
import { lookNotable } from '../app/review/notable.js';
import type { Workbench } from '../app/workbench.js';
import { isOwlError } from '../domain/errors.js';
import type { CandidatePair } from '../domain/goal.js';
import type { Job, Run } from '../domain/job.js';
import type { LoadedPolicy } from '../domain/policy.js';
import { countLines, diffText } from '../git/diff.js';
import { commitLog } from '../git/log.js';
import type { JobReview, PublishedSummary, ReviewData } from '../output/review-fields.js';

/** What is reviewed, with what `git diff` prints of it. */
export interface Reviewed {
  readonly data: ReviewData;
  readonly diff: string;
}

/** Commits that are listed at most. */
const LOG_LINES = 100;

export interface Change extends Pick<JobReview, 'notable' | 'handoff' | 'commits' | 'files' | 'guarded'> {
  readonly diff: string;
  /** Why guarded paths could not be looked up. */
  readonly unknown: readonly string[];
}

/** `policy`: reads the configuration that says what is guarded; where it cannot be read the rest is shown all the same. */
export async function lookAtChange(
  bench: Workbench,
  pair: CandidatePair,
  policy: () => Promise<LoadedPolicy>,
): Promise<Change> {
  const { repository } = bench;
  const { base, tip } = pair;
  const [loaded, why] = await readable(policy);
  const [handoff, diff, log, files, notable] = await Promise.all([
    ownHandoff(repository, tip, base),
    diffText(repository, base, tip),
    commitLog(repository, base, tip, { limit: LOG_LINES }),
    countLines(repository, base, tip),
    lookNotable(bench, loaded, pair),
  ]);
  return {
    notable,
    handoff: handoff.kind === 'ok' ? handoff.text : null,
    commits: [...log].reverse().map(({ oid, subject }) => ({ oid, subject })),
    files,
    guarded: notable.filter(({ kind }) => kind === 'guarded').map(({ path }) => path),
    diff: diff.text.toString('utf8'),
    unknown: why === null ? [] : [`which paths are guarded is not known: ${why}`],
  };
}

async function readable(policy: () => Promise<LoadedPolicy>): Promise<[LoadedPolicy | null, string | null]> {
  try {
    return [await policy(), null];
  } catch (error) {
    if (isOwlError(error)) return [null, error.message];
    throw error;
  }
}

/** What the agent of the last execute Run said of its work, bound to the commits that this Run left (G50). */
export function summaryOf(runs: readonly Run[], { base, tip }: CandidatePair): readonly PublishedSummary[] {
  const last = runs.filter((run) => run.phase === 'execute' && run.summary !== null).at(-1);
  if (last?.summary == null || last.onto === null || last.tip_after === null) return [];
  const candidate = { base: last.onto.oid, tip: last.tip_after };
  const current = candidate.base === base && candidate.tip === tip;
  return [{ agent: last.agent?.name ?? 'unknown', of: 'execute', text: last.summary, candidate, current }];
}

/** What stood out in the last Run of a Job, or of a Round. */
export const notesOf = (job: Pick<Job, 'handoff' | 'degraded'>, last: Run | undefined): readonly string[] => [
  ...(job.handoff === 'stale' ? ['handoff: stale (the last Run changed the work and not the Handoff)'] : []),
  ...(job.degraded ? ['its worktree was degraded at the end of the last Run'] : []),
  ...(last?.notes ?? []),
];
