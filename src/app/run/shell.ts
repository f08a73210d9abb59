// Setup commands and checks: shell lines from the configuration, with the agent's scrubbed environment and sandbox (J15, J27).

import { type CommandResult, runCommand } from '../../agent/command.js';
import { agentEnvironment } from '../../agent/environment.js';
import { makeWritable, writableFor } from '../../agent/sandbox.js';
import { HANDOFF_PATH } from '../../domain/handoff.js';
import type { Duration, Policy } from '../../domain/policy.js';
import type { Workbench } from '../workbench.js';
import type { Workspace } from '../workspace/types.js';
import type { Errand } from './errand.js';
import type { Scratch } from './scratch.js';

export interface ShellRequest {
  readonly name: string;
  readonly command: string;
  readonly timeout: Duration;
  readonly errand: Errand;
  /** Marks the processes. */
  readonly marker: string;
  readonly workspace: Workspace;
  readonly policy: Policy;
  readonly scratch: Scratch;
  /** Standard output must be told from standard error (`expect: empty_output`). */
  readonly apart: boolean;
}

export async function runShell(bench: Workbench, request: ShellRequest): Promise<CommandResult> {
  const { errand, policy, workspace, marker } = request;
  const writable = writableFor({
    commonDir: bench.repository.commonDir,
    worktree: workspace.path,
    adminDir: workspace.admin,
    branch: errand.branch,
  });
  const prefix = policy.sandbox === 'preset' ? [] : policy.sandbox;
  if (prefix.length > 0) await makeWritable(writable);
  return runCommand({
    command: request.command,
    cwd: workspace.path,
    env: agentEnvironment({
      variables: bench.environment.variables,
      pass: policy.env,
      job: errand.id,
      run: marker,
      phase: errand.phase,
      base: errand.base,
      goal: errand.goal,
      handoff: HANDOFF_PATH,
      worktree: workspace.path,
    }),
    timeout: request.timeout,
    marker,
    signal: bench.signal,
    clock: bench.clock,
    ...(prefix.length > 0 ? { sandbox: { prefix, folders: { worktree: workspace.path, writable } } } : {}),
    apart: request.apart,
    logFile: request.scratch.file(request.name),
    onOutput: (bytes) => bench.progress.detail(lastLineOf(bytes)),
  });
}

const lastLineOf = (bytes: Buffer): string => bytes.toString('utf8').trimEnd().split('\n').at(-1)?.slice(0, 200) ?? '';
