// Starting the agent of a Run and seeing it to its end (J16 to J19). What it did is judged elsewhere (judge.ts).

import { writeFile } from 'node:fs/promises';
import { agentCredentials, agentEnvironment } from '../../agent/environment.js';
import type { Guardian } from '../../agent/guardian-client.js';
import { agentInvocation } from '../../agent/presets/index.js';
import { type ResultFile, readResult } from '../../agent/result.js';
import { makeWritable, writableFor } from '../../agent/sandbox.js';
import { superviseAgent } from '../../agent/supervise.js';
import type { AgentExit, AgentRequest, Preset } from '../../agent/types.js';
import { HANDOFF_PATH } from '../../domain/handoff.js';
import type { Phase } from '../../domain/job.js';
import type { AgentDefinition, PhasePolicy, Policy } from '../../domain/policy.js';
import type { Identity } from '../../git/git.js';
import { failpoint } from '../../system/failpoint.js';
import type { Workbench } from '../workbench.js';
import type { Workspace } from '../workspace/types.js';
import type { Errand } from './errand.js';
import { noteOfRun, type RunNote } from './run-note.js';
import { openScratch, type Scratch } from './scratch.js';

export interface Launched {
  readonly exit: AgentExit;
  readonly result: ResultFile;
  readonly scratch: Scratch;
  /** The terminal event of success must be seen (09, rule 3). */
  readonly needsTerminal: boolean;
}

export interface AgentStart {
  readonly errand: Errand;
  /** Marks its processes, and names its scratch folder and the note of its group. */
  readonly marker: string;
  /** What it does, for the live line. */
  readonly title: string;
  readonly workspace: Workspace;
  readonly policy: Policy;
  readonly agent: string;
  readonly definition: AgentDefinition;
  readonly preset: Preset;
  /** The mode that the preset starts it in. */
  readonly mode: Phase;
  readonly limits: PhasePolicy;
}

/** Who commits on a machine where Git knows nobody: without it the agent's commits would fail there. */
const FALLBACK_IDENTITY = { name: 'git-owl', email: 'git-owl@localhost' };

/** Who must be told to the agent in variables; undefined: its Git reads that in the user's configuration. */
function whoCommits(identity: Identity, preset: Preset): { name: string; email: string } | undefined {
  if (!identity.configured) return FALLBACK_IDENTITY;
  if (preset.hidesGitConfig !== true) return undefined;
  const found = /^(.*) <(.*)> \d+ [+-]\d{4}$/s.exec(identity.author);
  return found === null ? FALLBACK_IDENTITY : { name: found[1] ?? '', email: found[2] ?? '' };
}

/** Runs one fresh process with this prompt. A note of this clone names its group while it lives, for who finds it dead. */
export async function launchAgent(
  bench: Workbench,
  start: AgentStart,
  prompt: string,
  guardian: Guardian,
): Promise<Launched> {
  const { errand, marker, workspace, definition, preset, policy, limits } = start;
  const scratch = await openScratch(bench, marker);
  await writeFile(scratch.prompt, prompt, { mode: 0o600 });
  const writable = writableFor({
    commonDir: bench.repository.commonDir,
    worktree: workspace.path,
    adminDir: workspace.admin,
    branch: errand.branch,
    extra: [scratch.out],
  });
  const sandbox = policy.sandbox === 'preset' || policy.sandbox.length > 0 ? policy.sandbox : definition.sandbox;
  // A sandbox binds folders: those of a packed ref or of no log would be missing.
  if (sandbox === 'preset' || sandbox.length > 0) await makeWritable(writable);
  const identity = await bench.repository.identity();
  const env = agentEnvironment({
    variables: bench.environment.variables,
    pass: policy.env,
    credentials: agentCredentials(definition, preset),
    identity: whoCommits(identity, preset),
    job: errand.id,
    run: marker,
    phase: errand.phase,
    base: errand.base,
    goal: errand.goal,
    told: errand.told,
    handoff: HANDOFF_PATH,
    promptFile: scratch.prompt,
    resultFile: scratch.result,
    worktree: workspace.path,
  });
  const request: AgentRequest = {
    definition,
    phase: start.mode,
    worktree: workspace.path,
    commonDir: bench.repository.commonDir,
    writable,
    promptFile: scratch.prompt,
    resultFile: scratch.result,
    env,
    model: limits.model ?? definition.model ?? null,
    budget: limits.budget,
    sandbox,
  };
  bench.progress.step(`${start.title}: ${start.agent}`);
  await failpoint('run.before-agent');
  const exit = await superviseAgent({
    invocation: agentInvocation(preset, request),
    env,
    cwd: workspace.path,
    promptFile: scratch.prompt,
    logFile: scratch.log,
    guardian,
    limits: { timeout: limits.timeout, stall: limits.stall },
    marker,
    reader: preset.reader(),
    signal: bench.signal,
    watch: workspace.path,
    clock: bench.clock,
    onStart: async (leader) => {
      const note: RunNote = { job: errand.id, ...leader };
      await bench.notes.write(noteOfRun(marker), note, 'absent');
      await failpoint('run.agent-started');
    },
    onOutput: (line) => bench.progress.detail(line),
  });
  await failpoint('run.after-agent');
  return { exit, result: await readResult(scratch.result), scratch, needsTerminal: preset.needsTerminal };
}
