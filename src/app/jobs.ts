// Finding and changing one Job: what all decision verbs share.

import { OwlError } from '../domain/errors.js';
import type { EventName } from '../domain/events.js';
import type { Oid, RefName } from '../domain/git.js';
import { branchRef } from '../domain/git.js';
import type { Job } from '../domain/job.js';
import { branchOf, type Named } from '../domain/names.js';
import { contestedError } from '../state/contested.js';
import { resolveJobId } from '../state/resolve-id.js';
import type { Loaded, Snapshot, Tx, Updated } from '../state/types.js';
import { refuseWhileLanding } from './land/landing-note.js';
import { refuseUnknown } from './publish/note.js';
import { refuseWhileReverting } from './revert/note.js';
import { refuseRoundJob } from './round-job.js';
import { requestOf, updateOrTry } from './try.js';
import type { Workbench } from './workbench.js';

/** The branch of a Job, derived from what its record fixed (01). */
export const jobBranch = (job: Named): string => branchOf(job);
export const jobRef = (job: Named): RefName => branchRef(jobBranch(job));

/** Where the Job's branch stands. Null: it is gone, or was never cut; a branch of that name is then somebody else's (J8). */
export const ownTip = async (
  bench: Pick<Workbench, 'repository'>,
  job: Named & Pick<Job, 'onto'>,
): Promise<Oid | null> => (job.onto === null ? null : (await bench.repository.engine()).resolve(jobRef(job)));

/** The record, or the error that says which kind of absence it is (01: absent, deleted, damaged, newer). `noun`: `job`, `goal`, … */
export function foundRecord<T>(noun: string, id: string, loaded: Loaded<T>): T {
  const next = [noun === 'feature' ? 'git owl feature list' : 'git owl list --all'];
  switch (loaded.kind) {
    case 'found':
      return loaded.record;
    case 'unknown':
      throw new OwlError('unknown-id', `no ${noun} ${id} is known here`, { next });
    case 'deleted':
      throw new OwlError('unknown-id', `${noun} ${id} was deleted at ${loaded.at}`, { next });
    case 'damaged':
      if (loaded.contested !== undefined) throw contestedError(loaded.contested);
      throw new OwlError('damaged-state', `the record of ${noun} ${id} is damaged: ${loaded.why}`, {
        preserved: ['the rest of the state is untouched'],
        next: ['git owl fsck'],
      });
    case 'newer':
      throw new OwlError(
        'newer-state',
        `the record of ${noun} ${id} has schema ${loaded.schema}, written by git owl ${loaded.writer ?? 'of a newer version'}`,
        {
          preserved: ['nothing was changed'],
          next: ['git owl fsck'],
        },
      );
  }
}

export const foundJob = (id: string, loaded: Loaded<Job>): Job => foundRecord('job', id, loaded);

/** The Job that this id, or unique prefix of one, names. Throws OwlError `unknown-id`, `ambiguous-id`. */
export async function findJob(snapshot: Snapshot, text: string): Promise<Job> {
  const id = await resolveJobId(snapshot, text);
  return foundJob(id, await snapshot.job(id));
}

/**
 * Without an id: the Job whose worktree this is, else the only one with a live Run (06).
 * `here` is the branch of the checkout that the command was called in.
 */
export async function impliedJob(bench: Workbench, snapshot: Snapshot): Promise<Job> {
  const head = await bench.repository.git.run(['symbolic-ref', '--quiet', 'HEAD'], {
    cwd: bench.environment.cwd,
    bare: true,
  });
  const jobs = await snapshot.openJobs();
  if (head.code === 0) {
    const ref = head.stdout.toString('utf8').trim();
    const here = jobs.find((job) => jobRef(job) === ref);
    if (here !== undefined) return here;
  }
  const live = jobs.filter((job) => job.state === 'active');
  const [only] = live;
  if (only !== undefined && live.length === 1) return only;
  throw new OwlError('usage', 'which job? Give an id', { next: ['git owl list'] });
}

export const jobOrImplied = async (bench: Workbench, snapshot: Snapshot, text: string | undefined): Promise<Job> =>
  text === undefined ? impliedJob(bench, snapshot) : findJob(snapshot, text);

export interface Changed {
  readonly job: Job;
  readonly event: EventName;
  readonly subject: string;
}

/**
 * One decision about one Job, inside the compare-and-swap loop. `decide` gets the record as it is in each attempt and
 * returns it changed; returning the same object changes nothing and says nothing.
 */
export async function changeJob(
  bench: Workbench,
  text: string,
  step: string,
  content: unknown,
  decide: (job: Job, tx: Tx) => Promise<Changed | null> | Changed | null,
): Promise<Updated<Job>> {
  const request =
    bench.requestId === undefined
      ? undefined
      : requestOf(bench, step, await findJob(await bench.store.snapshot(), text), content);
  return updateOrTry<Job>(bench, { step, ...(request === undefined ? {} : { request }) }, async (tx) => {
    const job = await findJob(tx, text);
    refuseRoundJob(job, step);
    await refuseWhileLanding(bench, job.id);
    await refuseWhileReverting(bench, { kind: 'job', id: job.id });
    if (step !== 'cancel')
      await refuseUnknown(bench, { kind: 'job', id: job.id }, { closed: job.state === 'cancelled' });
    const changed = await decide(job, tx);
    if (changed === null) return job;
    tx.putJob(changed.job);
    tx.event({ event: changed.event, subject: changed.subject, job: job.id });
    return changed.job;
  });
}
