// What a worktree gets before the agent comes: submodules, copied files, setup commands (J15).

import type { Oid } from '../../domain/git.js';
import type { Reason } from '../../domain/job.js';
import type { LoadedPolicy } from '../../domain/policy.js';
import { reason } from '../../domain/reasons.js';
import type { Workbench } from '../workbench.js';
import { copyFiles } from '../workspace/copy-files.js';
import { initialiseSubmodules } from '../workspace/submodules.js';
import type { Workspace } from '../workspace/types.js';
import type { Errand } from './errand.js';
import { openScratch } from './scratch.js';
import { runShell } from './shell.js';

export interface FurnishRequest {
  readonly errand: Errand;
  /** Marks its processes, and names its scratch folder. */
  readonly marker: string;
  readonly workspace: Workspace;
  readonly current: { readonly loaded: Pick<LoadedPolicy, 'policy'> };
  readonly base: { readonly oid: Oid };
}

export type Furnished =
  | {
      readonly kind: 'ready';
      readonly copied: readonly { readonly path: string; readonly oid: Oid }[];
      readonly notes: readonly string[];
    }
  | { readonly kind: 'failed'; readonly reason: Reason; readonly outputs: ReadonlyMap<string, Buffer> };

export async function furnish(bench: Workbench, request: FurnishRequest): Promise<Furnished> {
  const { errand, marker, workspace, current, base } = request;
  const { policy } = current.loaded;
  const submodules = await initialiseSubmodules(bench.repository, workspace, base.oid);
  if (submodules.kind === 'failed') {
    return { kind: 'failed', reason: reason('setup-failed', submodules.message), outputs: new Map() };
  }
  const { copied, notes: left } = await copyFiles(bench.repository, workspace, {
    base: base.oid,
    patterns: policy.copy,
  });
  const scratch = await openScratch(bench, marker);
  const outputs = new Map<string, Buffer>();
  for (const [at, step] of policy.setup.entries()) {
    bench.progress.step(`setup: ${step.run}`);
    const name = `setup-${at + 1}`;
    const result = await runShell(bench, {
      name,
      command: step.run,
      timeout: step.timeout,
      errand,
      marker,
      workspace,
      policy,
      scratch,
      apart: false,
    });
    outputs.set(name, result.output);
    if (result.timedOut)
      return failed(outputs, `the setup command '${step.run}' passed its time limit of ${step.timeout.text}`);
    if (result.code !== 0)
      return failed(
        outputs,
        `the setup command '${step.run}' failed with ${result.code === null ? `signal ${result.signal}` : `exit status ${result.code}`}`,
      );
  }
  return { kind: 'ready', copied, notes: [...submodules.notes, ...left] };
}

const failed = (outputs: ReadonlyMap<string, Buffer>, text: string): Furnished => ({
  kind: 'failed',
  reason: reason('setup-failed', text),
  outputs,
});
