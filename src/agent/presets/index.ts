// Which agents there are: the presets by name, and what the configuration's entries make of them (J16).

import type { AgentDefinition, Policy } from '../../domain/policy.js';
import { sandboxed } from '../sandbox.js';
import type { AgentRequest, Invocation, Preset } from '../types.js';
import { aider } from './aider.js';
import { claude } from './claude.js';
import { codex } from './codex.js';
import { copilot } from './copilot.js';
import { customPreset } from './custom.js';
import { gemini } from './gemini.js';
import { opencode } from './opencode.js';

/** In the order in which `init` and `doctor` look for them. */
export const PRESETS: readonly Preset[] = [claude, codex, opencode, gemini, copilot, aider];

export const presetNamed = (name: string): Preset | null => PRESETS.find((preset) => preset.name === name) ?? null;

/**
 * What an agent's name means here: an entry under `agents:`, else a preset. Null: there is no such agent.
 * An entry with the name of a preset replaces it.
 */
export function agentDefinition(name: string, policy: Pick<Policy, 'agents'>): AgentDefinition | null {
  if (Object.hasOwn(policy.agents, name)) return policy.agents[name] ?? null;
  const preset = presetNamed(name);
  if (preset === null) return null;
  return { command: [], prompt: 'stdin', env: [], sandbox: [], account: null, plan: preset.plan, preset: preset.name };
}

/** The preset of a definition, a custom one when it names none; null when it names one that does not exist. */
export function presetFor(definition: AgentDefinition): Preset | null {
  return definition.preset === null ? customPreset('custom', definition) : presetNamed(definition.preset);
}

/** How the agent is started, its sandbox included: the request's prefix, or the preset's own (J16). */
export function agentInvocation(preset: Preset, request: AgentRequest): Invocation {
  const invocation = preset.invocation(request);
  if (request.sandbox === 'preset' || request.sandbox.length === 0) return invocation;
  return { ...invocation, argv: sandboxed(invocation.argv, request.sandbox, request) };
}

/** The executable that a definition needs: the first word of its command, else the preset's. */
export const executableOf = (definition: AgentDefinition, preset: Preset): string =>
  definition.command[0] ?? preset.executable;
