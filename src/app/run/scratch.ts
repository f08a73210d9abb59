// The folder of one live Run: prompt, output as it arrives, result file. Only what is being written; what is to stay is stored in
// `refs/owl/keep/<job>` at the end, and the folder goes (J17).

import { join } from 'node:path';
import { makeRunFiles, type RunFiles, removeRunFiles, runFiles } from '../../agent/log.js';
import type { Workbench } from '../workbench.js';

export interface Scratch extends RunFiles {
  /** A further file, such as the output of a check; a new one at each call. */
  file(name: string): string;
}

/** The folder of a `run --detach` is named so: it is no Run's, and what its process prints lies in it. */
export const DETACHED = 'detached-';

/** Where a Run writes; nothing is made. */
export const scratchOf = (bench: Pick<Workbench, 'repository'>, run: string): Scratch =>
  withFile(runFiles(bench.repository.commonDir, run));

export const openScratch = async (bench: Pick<Workbench, 'repository'>, run: string): Promise<Scratch> =>
  withFile(await makeRunFiles(bench.repository.commonDir, run));

export const removeScratch = (bench: Pick<Workbench, 'repository'>, run: string): Promise<void> =>
  removeRunFiles(runFiles(bench.repository.commonDir, run));

function withFile(files: RunFiles): Scratch {
  let count = 0;
  return {
    ...files,
    file: (name) => {
      count += 1;
      return join(files.folder, `${count}-${encodeURIComponent(name).slice(0, 100)}`);
    },
  };
}
