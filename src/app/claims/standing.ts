// Whether a Job's branch is its work: the tip of a record that came from another clone decides (J8; 05, S1). Only reads.

import { OwlError } from '../../domain/errors.js';
import type { Oid } from '../../domain/git.js';
import type { Job } from '../../domain/job.js';
import { ownTip } from '../jobs.js';
import type { Workbench } from '../workbench.js';
import { knownTips } from './known-tips.js';

export type Standing =
  /** No branch of it is here. */
  | { readonly kind: 'none' }
  /** The branch is the work. */
  | { readonly kind: 'here'; readonly tip: Oid }
  /** Another clone went on; all that the branch holds is known. */
  | { readonly kind: 'behind'; readonly here: Oid; readonly tip: Oid }
  /** Another clone went on, and the branch has commits that no record knows. */
  | { readonly kind: 'apart'; readonly here: Oid; readonly tip: Oid };

export async function standingOf(
  bench: Pick<Workbench, 'repository' | 'notes' | 'store'>,
  job: Job,
): Promise<Standing> {
  const here = await ownTip(bench, job);
  const { tip } = job;
  if (here === null) return { kind: 'none' };
  if (tip === null || here === tip) return { kind: 'here', tip: here };
  const known = await knownTips(bench, job.id);
  if (known === undefined) return { kind: 'here', tip: here };
  if (known.includes(here) || (await isLate(bench, job, here))) return { kind: 'behind', here, tip };
  const engine = await bench.repository.engine();
  const there = (await engine.exists([tip]))[0] === true;
  // Somebody went on from it by hand.
  if (there && (await engine.isAncestor(tip, here)) === 'ancestor') return { kind: 'here', tip: here };
  const contained = there && (await engine.isAncestor(here, tip)) === 'ancestor';
  return { kind: contained ? 'behind' : 'apart', here, tip };
}

/** The end of a Run here that another decision overtook: its record has it, and it moves nothing (S7). */
async function isLate({ store }: Pick<Workbench, 'store'>, job: Job, here: Oid): Promise<boolean> {
  const runs = await (await store.snapshot()).runs(job.id);
  return runs.some((run) => run.superseded && run.tip_after === here);
}

/** The commit that is the work: where the branch stands, or what the record says. It may be in another clone. Null: there is none. */
export async function workTip(bench: Pick<Workbench, 'repository' | 'notes' | 'store'>, job: Job): Promise<Oid | null> {
  const standing = await standingOf(bench, job);
  return standing.kind === 'none' ? null : standing.tip;
}

/** What a person can do about it: one clause. */
export const PUBLISHES = 'git owl sync there publishes them, and then git owl sync brings them here';

/** Its record came by sync, its commits did not. */
export const commitsElsewhere = (job: Pick<Job, 'id'>, tip: Oid): OwlError =>
  new OwlError('missing-commit', `the commits of job ${job.id} are in another clone (${tip}); ${PUBLISHES}`, {
    preserved: ['nothing was changed'],
    next: ['git owl sync'],
  });
