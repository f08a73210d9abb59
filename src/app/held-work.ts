// What the Git folder of a Job's worktree has and nothing else: refused by who would take it away, or kept first (M4, J30).

import { OwlError } from '../domain/errors.js';
import type { Job } from '../domain/job.js';
import { adminsOf } from '../git/worktree.js';
import { keepOnly } from './run/settle.js';
import type { Workbench } from './workbench.js';
import { type Held, heldByGone, heldByRefs, nextOfHeld } from './workspace/held.js';
import { hasMark, loadRegistration } from './workspace/registration.js';

interface Way {
  readonly force: boolean;
  readonly verb: string;
}

/** Of one that is there. Throws OwlError `workspace`. */
export const clearRefs = async (bench: Workbench, job: Job, admin: string, way: Way): Promise<void> =>
  clearHeld(bench, job, await heldByRefs(bench.repository, admin), way);

/** Of one whose folder is gone, as far as its registration is ours. Throws OwlError `workspace`. */
export async function clearGone(bench: Workbench, job: Job, way: Way): Promise<void> {
  const note = await loadRegistration(bench.notes, job.id);
  if (note === null) return;
  for (const admin of await adminsOf(bench.repository, note.value.path)) {
    if (await hasMark(admin, note.value.mark))
      await clearHeld(bench, job, await heldByGone(bench.repository, admin), way);
  }
}

async function clearHeld(bench: Workbench, job: Job, held: readonly Held[], { force, verb }: Way): Promise<void> {
  if (held.length === 0) return;
  const pins = held.flatMap(({ commit }) =>
    commit === null ? [] : [{ commit, subject: `what only its worktree had before ${verb}` }],
  );
  const all = pins.length === held.length;
  if (!force || !all) {
    const why = held.map((one) => one.why).join(', ');
    throw new OwlError(
      'workspace',
      `the worktree of job ${job.id} has what nothing else has: ${why}${all ? '; --force keeps its commits first' : ''}`,
      { preserved: ['it was left exactly as it is'], next: nextOfHeld(held, job.id) },
    );
  }
  if (bench.dryRun) return;
  await keepOnly(bench, job.id, pins);
  for (const { commit } of pins) bench.say(`what only the worktree of ${job.id} had is kept: ${commit}`);
}
