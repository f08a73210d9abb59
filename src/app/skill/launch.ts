// One process of a Skill or handler, a command or an agent, under the same guardian as a Run's agent: its output is kept, its time is
// bounded, and it ends with git owl (J5, J16 to J19). What it did to its checkout is looked at, and kept, before it is told.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startGuardian } from '../../agent/guardian-client.js';
import { customPreset } from '../../agent/presets/custom.js';
import { resultFacts } from '../../agent/result.js';
import type { Preset } from '../../agent/types.js';
import { type AgentOutcome, classifyAgent } from '../../domain/agent-outcome.js';
import { isOwlError } from '../../domain/errors.js';
import type { Oid } from '../../domain/git.js';
import type { Invocation, InvocationOutcome } from '../../domain/invocation.js';
import { changeNote } from '../../domain/observation.js';
import type { AgentDefinition, LoadedPolicy, PhasePolicy, Policy, Skill } from '../../domain/policy.js';
import { contextOf } from '../../domain/skill.js';
import { type SkillEvent, skillDocument, skillPrompt, skillVariables } from '../../domain/skill-event.js';
import type { Pin } from '../../state/types.js';
import { agentFor } from '../run/agent-choice.js';
import { keepLost } from '../run/keep-lost.js';
import { logFiles } from '../run/kept-log.js';
import { type Launched, launchAgent } from '../run/launch.js';
import { openScratch } from '../run/scratch.js';
import { compareWithNow, observeRepository } from '../watch-repository.js';
import type { Workbench } from '../workbench.js';
import { removeLeftLocks } from '../workspace/left-locks.js';
import type { Workspace } from '../workspace/types.js';
import { keepCheckout } from './aftermath.js';
import { endInvocation } from './record.js';

export interface SkillLaunch {
  readonly skill: Skill;
  readonly event: SkillEvent;
  readonly loaded: LoadedPolicy;
  readonly workspace: Workspace;
  readonly program: Program;
  readonly marker: string;
  readonly base: Oid;
  /** Milliseconds that are left for it; its own time limit counts too. */
  readonly left: number;
  /** Subject of what it printed, in what is kept. */
  readonly subject: string;
}

export interface SkillEnd {
  readonly outcome: InvocationOutcome;
  readonly exit: number | null;
  readonly text: string | null;
  readonly pins: readonly Pin[];
}

/** How a command or an agent of this policy is started; a text: why it is not to be had here. */
export function programOf(bench: Workbench, goal: string, skill: Skill, policy: Policy): Program | string {
  if (skill.run !== null) return { name: 'a command', definition: COMMAND, preset: shellPreset(skill.run) };
  const chosen = agentFor(bench, { id: goal, agent: skill.agent, account: null }, policy);
  return chosen.kind === 'agent' ? chosen : chosen.why;
}

export interface Program {
  readonly name: string;
  readonly definition: AgentDefinition;
  readonly preset: Preset;
}

const COMMAND: AgentDefinition = {
  command: ['sh'],
  prompt: 'stdin',
  env: [],
  sandbox: [],
  account: null,
  plan: 'writes',
  preset: null,
};

/** Nothing in the line is replaced: it is the shell's. */
const shellPreset = (line: string): Preset => ({
  ...customPreset('command', COMMAND),
  invocation: () => ({ argv: ['sh', '-c', line], env: {}, stdin: 'prompt' }),
});

/** Runs what has its start record to its end; what makes that impossible is recorded as its end too, since it is never started again. */
export async function launchStarted(bench: Workbench, started: Invocation, launch: SkillLaunch): Promise<SkillEnd> {
  try {
    return await launchSkill(bench, launch);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const end: SkillEnd = { outcome: 'failed', exit: null, text: `it could not be carried out: ${text}`, pins: [] };
    if (isOwlError(error) && !isOwlError(error, 'state-at-risk')) return end;
    await endInvocation(bench, started, end);
    throw error;
  }
}

async function launchSkill(bench: Workbench, launch: SkillLaunch): Promise<SkillEnd> {
  const { skill, event, loaded, workspace, marker, program } = launch;
  const { policy } = loaded;
  const scratch = await openScratch(bench, marker);
  const file = join(scratch.folder, 'event.json');
  const document = skillDocument(event);
  await writeFile(file, document, { mode: 0o600 });
  const text =
    skill.run === null
      ? skillPrompt(event, [...policy.contract, ...contextOf(policy.skills, [event.event])])
      : document;
  const watch = { branch: workspace.branch, admin: workspace.admin, prefix: policy.branch_prefix };
  const before = await observeRepository(bench.repository, watch);
  const limits = limitsOf(launch);
  const guardian = startGuardian();
  try {
    const launched = await launchAgent(
      bench,
      {
        ...program,
        errand: {
          id: event.goal,
          phase: 'skill',
          base: launch.base,
          branch: workspace.branch,
          goal: { id: event.goal, round: event.round },
          told: skillVariables(event, file),
        },
        marker,
        title: `${skill.name} of ${event.goal}`,
        workspace,
        policy,
        agent: program.name,
        mode: 'execute',
        limits,
      },
      text,
      guardian,
    );
    const { exit } = launched;
    const notes = [
      ...(await removeLeftLocks(workspace)).map((path) => `removed ${path}, which it left`),
      ...exit.leftBehind.map((line) => `left behind and ended: ${line}`),
      ...exit.report.denied.map((tool) => `refused: ${tool}`),
    ];
    const { differences, lost } = await compareWithNow(bench.repository, before, watch);
    notes.push(...differences.map(changeNote));
    notes.push(...(await keepLost(bench, { id: event.goal, work: launch.subject }, lost)));
    notes.push(...(await keepCheckout(bench, launch)));
    const files = new Map<string, Buffer>([
      ...(await logFiles(scratch)),
      ['prompt', Buffer.from(text, 'utf8')],
      ...(notes.length === 0 ? [] : ([['notes', Buffer.from(`${notes.join('\n')}\n`)]] as const)),
    ]);
    return {
      ...endOf(bench, launched, limits),
      exit: exit.code,
      pins: [{ job: event.goal, commit: null, subject: launch.subject, files }],
    };
  } finally {
    guardian.dispose();
  }
}

/** A command may be silent for as long as it may run; an agent's silence is bounded as in a Run. */
function limitsOf({ skill, loaded, left }: SkillLaunch): PhasePolicy {
  const { execute } = loaded.policy.phases;
  const timeout = left < skill.timeout.ms ? { ms: left, text: 'what was left of its window' } : skill.timeout;
  const own = skill.run !== null || skill.agent !== loaded.policy.agent;
  return {
    timeout,
    stall: skill.run === null ? execute.stall : { ms: timeout.ms * 2, text: timeout.text },
    model: own ? null : execute.model,
    budget: skill.run === null ? execute.budget : null,
  };
}

function endOf(
  bench: Workbench,
  { exit, result, needsTerminal }: Launched,
  limits: PhasePolicy,
): Pick<SkillEnd, 'outcome' | 'text'> {
  const outcome: AgentOutcome = classifyAgent(exit, resultFacts(result), {
    needsTerminal,
    timeout: limits.timeout,
    stall: limits.stall,
    now: bench.clock.now(),
  });
  switch (outcome.kind) {
    case 'succeeded':
      return { outcome: 'succeeded', text: outcome.summary };
    case 'failed':
      return { outcome: outcome.code === 'limit' ? 'timeout' : 'failed', text: outcome.reason };
    case 'limited':
      return { outcome: 'failed', text: outcome.reason };
    case 'interrupted':
      return { outcome: 'interrupted', text: outcome.reason };
  }
}
