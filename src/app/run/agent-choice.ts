// Which agent a Job runs with, and whether it is to be had here (J16).

import { findExecutable } from '../../agent/executable.js';
import { agentDefinition, executableOf, presetFor } from '../../agent/presets/index.js';
import type { Preset } from '../../agent/types.js';
import { OwlError } from '../../domain/errors.js';
import type { Job } from '../../domain/job.js';
import type { AgentDefinition, Policy } from '../../domain/policy.js';
import type { Workbench } from '../workbench.js';

export type AgentChoice =
  | { readonly kind: 'agent'; readonly name: string; readonly definition: AgentDefinition; readonly preset: Preset }
  | { readonly kind: 'missing'; readonly why: string };

/** Agent and account are fixed at the Job's first Run; another one needs `edit --agent`. */
export function agentFor(bench: Workbench, job: Pick<Job, 'id' | 'agent' | 'account'>, policy: Policy): AgentChoice {
  const name = job.agent ?? policy.agent;
  if (name === null) return { kind: 'missing', why: noAgent(policy) };
  const definition = agentDefinition(name, policy);
  if (definition === null) return { kind: 'missing', why: sayUnknown(name) };
  if (job.account !== null && definition.account !== job.account) {
    return {
      kind: 'missing',
      why: `job ${job.id} began with the account '${job.account}' and '${name}' now has another; fix it with git owl edit --agent`,
    };
  }
  const preset = presetFor(definition);
  if (preset === null)
    return {
      kind: 'missing',
      why: `the agent '${name}' builds on the preset '${definition.preset}', which does not exist`,
    };
  const program = executableOf(definition, preset);
  if (
    findExecutable(
      program,
      bench.environment.variables['PATH'],
      bench.repository.mainWorkTree ?? bench.repository.commonDir,
    ) === null
  ) {
    return { kind: 'missing', why: `the agent '${name}' is not to be had here: ${program} is not on PATH` };
  }
  return { kind: 'agent', name, definition, preset };
}

/** Defining an agent does not choose it. */
export function noAgent(policy: Pick<Policy, 'agents'>): string {
  const [first, ...others] = Object.keys(policy.agents);
  if (first === undefined)
    return 'no agent is configured: say agent: <name> in the configuration, or add --agent <name>';
  const names = [first, ...others].join(', ');
  return `no agent is chosen: agents: defines ${names}; say agent: ${first} in the configuration, or add --agent ${first}`;
}

/** Neither a preset nor one of this configuration's own. */
export const sayUnknown = (name: string): string =>
  `the agent '${name}' is no preset, and agents: in the configuration does not define it`;

/** `kept`: what stays as it is. */
export const missingAgent = (why: string, kept: string, next: readonly string[]): OwlError =>
  new OwlError('missing-agent', why, { preserved: [kept], next: ['git owl doctor', ...next] });
