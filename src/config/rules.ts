// Rules that need more than one value, which a JSON Schema cannot say. Pure.

import type { Policy } from '../domain/policy.js';
import { type ConfigIssue, issueAt, type KeyPath } from './issues.js';
import { type ConfigFile, PRESET_NAMES } from './schema.js';

/** One issue for each broken rule of one file. */
export function findRuleBreaks(file: ConfigFile): readonly ConfigIssue[] {
  return [
    ...repeated(file.checks, ['checks']),
    ...repeated(file.quality?.checks, ['quality', 'checks']),
    ...repeated(file.governance?.checks, ['governance', 'checks']),
    ...repeated(file.skills, ['skills']),
    ...agentsWithoutCommand(file),
    ...skillsWithoutWork(file),
  ];
}

function repeated(items: readonly { readonly name: string }[] | undefined, path: KeyPath): readonly ConfigIssue[] {
  const seen = new Set<string>();
  return (items ?? []).flatMap(({ name }, at) => {
    const again = seen.has(name);
    seen.add(name);
    if (!again) return [];
    return [issueAt([...path, at, 'name'], `${path.join('.')}: the name ${JSON.stringify(name)} is used twice`)];
  });
}

const isPreset = (name: string): boolean => (PRESET_NAMES as readonly string[]).includes(name);

/** An entry named like a preset refines that preset; every other one says what is started. */
function agentsWithoutCommand(file: ConfigFile): readonly ConfigIssue[] {
  return Object.entries(file.agents ?? {}).flatMap(([name, agent]) => {
    if (agent.command !== undefined || agent.preset !== undefined || isPreset(name)) return [];
    return [issueAt(['agents', name], `agents.${name}: either command or preset is missing`)];
  });
}

/** An executable Skill is one command or one agent; at `job.<state>` it has no checkout that an agent could work in. */
function skillsWithoutWork(file: ConfigFile): readonly ConfigIssue[] {
  return (file.skills ?? []).flatMap((skill, at) => {
    if (skill.kind !== 'executable') return [];
    if (skill.on.startsWith('job.') && skill.agent !== undefined && skill.run === undefined)
      return [issueAt(['skills', at, 'agent'], `skills[${at}]: only a command (run) can be bound to ${skill.on}`)];
    if ((skill.run === undefined) !== (skill.agent === undefined)) return [];
    const what = skill.run === undefined ? 'either run or agent is missing' : 'run and agent exclude each other';
    return [issueAt(['skills', at], `skills[${at}]: ${what}`)];
  });
}

/** Every agent that is named beside `agent`, with its key: those of the gates, and of executable Skills. */
export function agentsNamed(
  policy: Pick<Policy, 'quality' | 'governance' | 'skills'>,
): readonly { readonly key: string; readonly agent: string }[] {
  const gates = (['quality', 'governance'] as const).map((gate) => ({
    key: `${gate}.agent`,
    agent: policy[gate].agent,
  }));
  const skills = policy.skills.map(({ name, kind, agent }) => ({
    key: `skills.${name}`,
    agent: kind === 'executable' ? agent : null,
  }));
  return [...gates, ...skills].flatMap(({ key, agent }) => (agent === null ? [] : [{ key, agent }]));
}

/** The agent that new Jobs get must be one that is known: a preset, or a name under `agents` of either file. */
export function unknownAgent(agent: string, named: readonly string[], key = 'agent'): string | null {
  if (isPreset(agent) || named.includes(agent)) return null;
  return `${key} ${JSON.stringify(agent)} is neither a preset nor a name under agents`;
}
