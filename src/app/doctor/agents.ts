// Agents: which are on PATH, whether the configured one is, whether it answers, and with what rights it would run.

import { agentCredentials, agentEnvironment } from '../../agent/environment.js';
import { findExecutable } from '../../agent/executable.js';
import { agentDefinition, executableOf, PRESETS, presetFor } from '../../agent/presets/index.js';
import { probeVersion } from '../../agent/probe.js';
import type { AgentDefinition, Policy } from '../../domain/policy.js';
import { noAgent, sayUnknown } from '../run/agent-choice.js';
import type { Workbench } from '../workbench.js';
import { type Finding, fail, pass, warn } from './types.js';

export interface AgentQuestion {
  /** Really start the version command of the configured agent, or of each that was found. */
  readonly start: boolean;
  /** The configuration is still to come, and may name one. */
  readonly pending: boolean;
}

export async function checkAgents(
  bench: Workbench,
  policy: Policy,
  { start, pending }: AgentQuestion,
): Promise<readonly Finding[]> {
  const path = bench.environment.variables['PATH'];
  const here = PRESETS.filter((preset) => findExecutable(preset.executable, path) !== null).map(
    (preset) => preset.name,
  );
  const findings: Finding[] = [];
  const name = policy.agent;
  const definition = name === null ? null : agentDefinition(name, policy);
  if (name === null) {
    const found = here.length === 0 ? 'none is on PATH' : `on PATH: ${here.join(', ')}`;
    if (pending && here.length > 0) findings.push(pass('agent', found));
    else if (!pending) findings.push(warn('agent', `${noAgent(policy)}; ${found}`, 'agent: in the configuration'));
    else
      findings.push(
        warn(
          'agent',
          'none of those that are known is on PATH',
          'install one, or name a command of yours under agents:',
        ),
      );
  } else if (definition === null) findings.push(fail('agent', sayUnknown(name), 'git owl config agent'));
  else findings.push(checkExecutable(name, definition, path));
  const asked = name === null ? here : [name];
  for (const one of asked) {
    const named = agentDefinition(one, policy);
    if (named === null) continue;
    if (start) findings.push(await checkAnswer(bench, one, named, policy));
    findings.push(...checkRoot(bench, one, named, policy));
  }
  findings.push(checkRights(policy, definition));
  return findings;
}

function checkExecutable(name: string, definition: AgentDefinition, path: string | undefined): Finding {
  const preset = presetFor(definition);
  const program = preset === null ? (definition.command[0] ?? name) : executableOf(definition, preset);
  const file = findExecutable(program, path);
  if (file === null)
    return fail('agent', `${name}: ${program} is not on PATH`, `install ${program}, or name another agent`);
  return pass('agent', `${name}: ${file}`);
}

async function checkAnswer(
  bench: Workbench,
  name: string,
  definition: AgentDefinition,
  policy: Policy,
): Promise<Finding> {
  const preset = presetFor(definition);
  const file =
    preset === null ? null : findExecutable(executableOf(definition, preset), bench.environment.variables['PATH']);
  if (preset === null || file === null) return fail('agent-answer', `${name} cannot be started`, `install ${name}`);
  // A command of the user's own may do anything when it is started: only presets have a version command that is known.
  if (definition.command.length > 0 && definition.preset === null)
    return pass('agent-answer', `${name} is a command of your own: it was not started`);
  const env = agentEnvironment({
    variables: bench.environment.variables,
    pass: policy.env,
    credentials: agentCredentials(definition, preset),
    job: 'doctor',
    run: 'doctor',
    phase: 'plan',
    base: '',
    handoff: '',
    worktree: '/',
  });
  const probe = await probeVersion(file, [...definition.command.slice(1), ...preset.versionArgs], env);
  if (probe.kind === 'failed')
    return fail(
      'agent-answer',
      `${name} ${preset.versionArgs.join(' ')}: ${probe.why}`,
      `run ${file} ${preset.versionArgs.join(' ')} yourself`,
    );
  return pass('agent-answer', `${name}: ${probe.version}`);
}

/** Claude refuses to pass over permissions as root unless it is told that it is in a sandbox (09, rule 7). Never set silently. */
function checkRoot(bench: Workbench, name: string, definition: AgentDefinition, policy: Policy): readonly Finding[] {
  const preset = definition.preset ?? name;
  if (preset !== 'claude' || process.getuid?.() !== 0) return [];
  const passed =
    [...policy.env, ...definition.env].includes('IS_SANDBOX') && bench.environment.variables['IS_SANDBOX'] === '1';
  if (passed) return [pass('root', 'claude runs as root, and is told that this is a sandbox')];
  return [
    warn(
      'root',
      'claude refuses to work unattended as root',
      'run as another user, or, in a container: IS_SANDBOX=1 with env: [IS_SANDBOX]',
    ),
  ];
}

function checkRights(policy: Policy, definition: AgentDefinition | null): Finding {
  const own = definition !== null && definition.sandbox.length > 0;
  if (policy.sandbox === 'preset') return pass('rights', "agents run in the preset's own sandbox");
  if (policy.sandbox.length > 0 || own)
    return pass(
      'rights',
      `agents run behind ${(policy.sandbox.length > 0 ? policy.sandbox : (definition?.sandbox ?? [])).join(' ')}`,
    );
  return pass('rights', 'agents and checks run with all your rights: sandbox: is not set');
}
