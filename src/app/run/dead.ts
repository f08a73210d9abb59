// Whether a Run's process is gone: a question of its own, since lists ask it and have no use for all that settles such a Run.

import type { Job } from '../../domain/job.js';
import { isAlive } from '../../system/processes.js';
import type { Workbench } from '../workbench.js';

/** Is the Run of this Job provably dead, on this very host? */
export async function isDead(bench: Workbench, job: Job): Promise<boolean> {
  if (job.state !== 'active' || job.claim === null) return false;
  return isAlive(job.claim, await bench.environment.process()) === 'dead';
}
