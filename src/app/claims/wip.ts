// Uncommitted work of a Run that did not succeed goes along with the shared tip, where `sync.wip` says so: a snapshot on top of it, that
// becomes a commit on the branch of the clone that goes on, as it would have where it was made (J10; 05, S7).

import { isOwlError } from '../../domain/errors.js';
import type { Oid } from '../../domain/git.js';
import { HANDOFF_PATH } from '../../domain/handoff.js';
import type { Job } from '../../domain/job.js';
import type { Policy } from '../../domain/policy.js';
import { createPool } from '../../git/pool.js';
import { entryAt, putAt } from '../../git/tree-path.js';
import { openEnv } from '../../state/store.js';
import { failpoint } from '../../system/failpoint.js';
import { moveBranchWithCheckouts } from '../follow.js';
import { jobRef } from '../jobs.js';
import { currentPolicy, wishOf } from '../policy.js';
import { keepOnly } from '../run/settle.js';
import type { Workbench } from '../workbench.js';
import { makeCommit } from '../workspace/work.js';
import { sharedRef } from './refs.js';

/** What is shared of a Job whose work stands at this tip: the tip, or what was left uncommitted on top of it. */
export async function sharedCommit(bench: Workbench, job: Job, tip: Oid): Promise<Oid> {
  if (!(await travels(bench, job))) return tip;
  const newest = (await bench.store.kept(job.id)).find(({ subject }) => subject.startsWith('wip of run '));
  return newest?.kept != null && (await isOn(bench, newest.kept, tip)) ? newest.kept : tip;
}

/** The tip with what another clone left uncommitted on top of it, committed without the Handoff. The same tip where there is none. */
export async function takeWip(bench: Workbench, job: Job, tip: Oid, { signing, sync }: Policy): Promise<Oid> {
  const engine = await bench.repository.engine();
  const shared = await engine.resolve(sharedRef(job.id));
  if (!sync.wip || shared === null || shared === tip || !(await isOn(bench, shared, tip))) return tip;
  // What this clone kept is its own, and lies in its worktree if anywhere; or it was taken already.
  if ((await bench.store.kept(job.id)).some(({ kept }) => kept === shared)) return tip;
  const pool = await createPool(bench.repository);
  const handoff = await entryAt(pool, await pool.treeOf(tip), HANDOFF_PATH);
  const tree = await putAt(pool, await pool.treeOf(shared), HANDOFF_PATH, handoff);
  await pool.flush();
  const next = await makeCommit(bench.repository, tree, [tip], 'Uncommitted work of another clone', signing);
  await failpoint('run.before-wip');
  const move = { ref: jobRef(job), old: tip, new: next, reason: 'owl: uncommitted work of another clone' };
  if ((await moveBranchWithCheckouts(bench, move)).kind !== 'moved') return tip;
  await failpoint('run.after-wip');
  await keepOnly(bench, job.id, [{ commit: shared, subject: 'wip of another clone' }]);
  bench.say(`job ${job.id}: what another clone left uncommitted is committed on its branch`);
  return next;
}

async function travels(bench: Workbench, job: Job): Promise<boolean> {
  if (job.goal !== null) return false;
  try {
    return (await currentPolicy(bench, wishOf(job))).loaded.policy.sync.wip;
  } catch (error) {
    if (!isOwlError(error)) throw error;
    return false;
  }
}

/** Is this commit made right on top of that tip? */
export async function isOn(bench: Workbench, commit: Oid, tip: Oid): Promise<boolean> {
  const { engine, objects } = await openEnv(bench);
  return (await engine.exists([commit]))[0] === true && (await objects.commit(commit)).parents[0] === tip;
}
