// The Round's own worktree, admitted, for a Skill or handler; made again, with its setup, where it was hibernated (G8, G9, G62; J15).

import type { Oid } from '../../domain/git.js';
import type { Goal } from '../../domain/goal.js';
import type { LoadedPolicy } from '../../domain/policy.js';
import { lstatIfThere } from '../../git/files.js';
import { jobRef } from '../jobs.js';
import { furnish } from '../run/furnish.js';
import { forget } from '../run/one-run.js';
import type { Workbench } from '../workbench.js';
import { ensureWorkspace } from '../workspace/create.js';
import { worktreePath } from '../workspace/path.js';
import { sayRefused, type Workspace } from '../workspace/types.js';
import { currentRoundJob } from './round-jobs.js';

/** A text: why it is not to be had. */
export async function roundWorkspace(bench: Workbench, goal: Goal, loaded: LoadedPolicy): Promise<Workspace | string> {
  const job = await currentRoundJob(await bench.store.snapshot(), goal);
  const tip = job === null ? null : await (await bench.repository.engine()).resolve(jobRef(job));
  if (job === null || tip === null) return `round ${goal.round} has no branch here`;
  const { environment, repository } = bench;
  const path = await worktreePath({ environment, policy: loaded.policy, repository, id: job.id });
  // Said before it is made: killed in between, or with a setup that failed, the next one does it.
  const bare = `unfurnished/${job.id}`;
  if ((await lstatIfThere(path)) === null) await bench.notes.write(bare, {}, 'absent');
  const found = await ensureWorkspace(bench, { id: job.id, path, branch: jobRef(job), commit: tip });
  if (found.kind !== 'admitted') return sayRefused(found, goal.id);
  const note = await bench.notes.read(bare);
  const base = goal.candidate?.base ?? goal.base?.oid;
  if (note === null || base === undefined) return found.workspace;
  const run = { id: bench.ids.run(), phase: job.phase };
  const { workspace } = found;
  const furnished = await furnish(bench, { job, run, workspace, current: { loaded }, base: { oid: base as Oid } });
  await forget(bench, run.id);
  if (furnished.kind === 'failed') return furnished.reason.text;
  await bench.notes.remove(bare, note.oid);
  return workspace;
}
