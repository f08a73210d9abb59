// From merged values to the Policy that workflows read, and to the commands that trust is asked for. Pure but for the hash.

import { createHash } from 'node:crypto';
import { durationOf } from '../domain/duration.js';
import type { AgentDefinition, Check, Duration, GatePolicy, PhasePolicy, Policy, Skill } from '../domain/policy.js';
import { valueAt } from './merge.js';
import { type ConfigFile, PRESET_NAMES } from './schema.js';

type File = { readonly [K in keyof ConfigFile]-?: NonNullable<ConfigFile[K]> };
type CheckEntry = File['checks'][number];
type StepEntry = File['setup'][number];
type AgentEntry = File['agents'][string];
type SkillEntry = File['skills'][number];

const DEFAULT_TIMEOUT = '15m';

/** @param values of every key of the table, validated, as `mergeSources` makes them. */
export function buildPolicy(values: ReadonlyMap<string, unknown>): Policy {
  // The one place where validated values get their types back: the map is filled from the schema's output and the table's defaults.
  const get = <T>(key: string): T => values.get(key) as T;
  return {
    base: get<string | null>('base'),
    remote: get<string | null>('remote'),
    branch_prefix: get<string>('branch_prefix'),
    worktrees: get<string | null>('worktrees'),
    agent: get<string | null>('agent'),
    agents: Object.fromEntries(
      Object.entries(get<File['agents']>('agents')).map(([name, entry]) => [name, buildAgent(name, entry)]),
    ),
    setup: get<File['setup']>('setup').map(buildStep),
    copy: get<readonly string[]>('copy'),
    env: get<readonly string[]>('env'),
    checks: get<File['checks']>('checks').map(buildCheck),
    verification: { checkout: get<'worktree' | 'fresh'>('verification.checkout') },
    guard: get<readonly string[]>('guard'),
    phases: { plan: buildPhase(get, 'plan'), execute: buildPhase(get, 'execute') },
    contract: get<readonly string[]>('contract'),
    plan: get<boolean>('plan'),
    ttl: get<number>('ttl'),
    max_parallel: get<number>('max_parallel'),
    avoid_conflicts: get<boolean>('avoid_conflicts'),
    signing: get<'never' | 'inherit' | 'require'>('signing'),
    execution: {
      auto_merge: get<boolean>('execution.auto_merge'),
      publish: get<boolean>('execution.publish'),
      agents_may_add: get<boolean>('execution.agents_may_add'),
    },
    modes: Object.fromEntries(
      Object.entries(get<File['modes']>('modes')).map(([name, mode]) => [
        name,
        { auto_merge: mode.auto_merge ?? null },
      ]),
    ),
    sandbox: get<readonly string[] | 'preset'>('sandbox'),
    quality: buildGate(get, 'quality'),
    governance: {
      ...buildGate(get, 'governance'),
      rules: get<readonly string[]>('governance.rules'),
      protect: get<readonly string[]>('governance.protect'),
      max_changed: {
        files: get<number | null>('governance.max_changed.files'),
        lines: get<number | null>('governance.max_changed.lines'),
      },
    },
    goals: {
      target: get<string | null>('goals.target'),
      publish: get<boolean>('goals.publish'),
      error_window: durationOf(get<string>('goals.error_window')),
      ungated: get<boolean>('goals.ungated'),
    },
    skills: get<File['skills']>('skills').map(buildSkill),
    gc: {
      hibernate_after: buildHibernate(get<string | number>('gc.hibernate_after')),
      review_after: durationOf(get<string>('gc.review_after')),
      keep: durationOf(get<string>('gc.keep')),
      unfenced: get<boolean>('gc.unfenced'),
    },
    sync: {
      auto: get<boolean>('sync.auto'),
      rounds: get<boolean>('sync.rounds'),
      output: get<boolean>('sync.output'),
      wip: get<boolean>('sync.wip'),
      trust: get<boolean>('sync.trust'),
      run: get<boolean>('sync.run'),
      claim: get<boolean>('sync.claim'),
    },
  };
}

const isPreset = (name: string): boolean => (PRESET_NAMES as readonly string[]).includes(name);

function buildAgent(name: string, entry: AgentEntry): AgentDefinition {
  return {
    command: entry.command ?? [],
    prompt: entry.prompt ?? 'stdin',
    env: entry.env ?? [],
    sandbox: entry.sandbox ?? [],
    account: entry.account ?? null,
    plan: entry.plan ?? 'writes',
    preset: entry.preset ?? (entry.command === undefined && isPreset(name) ? name : null),
    model: entry.model ?? null,
  };
}

const buildStep = (entry: StepEntry): { readonly run: string; readonly timeout: Duration } =>
  typeof entry === 'string'
    ? { run: entry, timeout: durationOf(DEFAULT_TIMEOUT) }
    : { run: entry.run, timeout: durationOf(entry.timeout ?? DEFAULT_TIMEOUT) };

const buildCheck = (entry: CheckEntry): Check => ({
  name: entry.name,
  run: entry.run,
  timeout: durationOf(entry.timeout ?? DEFAULT_TIMEOUT),
  expect: entry.expect ?? 'success',
});

const buildGate = (get: <T>(key: string) => T, gate: string): GatePolicy => ({
  checks: get<File['checks']>(`${gate}.checks`).map(buildCheck),
  agent: get<string | null>(`${gate}.agent`),
});

const buildSkill = (entry: SkillEntry): Skill => ({
  name: entry.name,
  on: entry.on,
  kind: entry.kind,
  run: entry.kind === 'context' ? null : (entry.run ?? null),
  agent: entry.kind === 'context' ? null : (entry.agent ?? null),
  text: entry.kind === 'executable' ? null : (entry.text ?? null),
  timeout: durationOf((entry.kind === 'context' ? undefined : entry.timeout) ?? DEFAULT_TIMEOUT),
});

function buildPhase(get: <T>(key: string) => T, phase: string): PhasePolicy {
  const budget = get<string | number | null>(`phases.${phase}.budget`);
  return {
    timeout: durationOf(get<string>(`phases.${phase}.timeout`)),
    stall: durationOf(get<string>(`phases.${phase}.stall`)),
    model: get<string | null>(`phases.${phase}.model`),
    budget: budget === null ? null : String(budget),
  };
}

/** `0` is "at once": no length of time, so it is made here. */
const buildHibernate = (written: string | number): Duration | 'never' => {
  if (written === 'never') return 'never';
  return written === 0 || written === '0' ? { ms: 0, text: '0' } : durationOf(String(written));
};

export interface TrustedCommand {
  readonly key: string;
  readonly command: string;
}

/** Everything in the repository's own file that would run here, or that says which variables what runs is given (06, `trust`). */
export function commandsOf(file: ConfigFile): readonly TrustedCommand[] {
  const found: TrustedCommand[] = [];
  const words = (key: string, argv: readonly string[] | undefined): void => {
    if (argv !== undefined && argv.length > 0) found.push({ key, command: argv.map(quoteWord).join(' ') });
  };
  const variables = (key: string, names: readonly string[] | undefined): void => {
    if (names !== undefined && names.length > 0) found.push({ key, command: `passes ${[...names].sort().join(', ')}` });
  };
  for (const [at, step] of (file.setup ?? []).entries()) {
    found.push({ key: `setup[${at}]`, command: typeof step === 'string' ? step : step.run });
  }
  for (const list of ['checks', 'quality.checks', 'governance.checks']) {
    const checks = (valueAt(file, list) ?? []) as readonly CheckEntry[];
    for (const check of checks) found.push({ key: `${list}.${check.name}`, command: check.run });
  }
  for (const [name, agent] of Object.entries(file.agents ?? {})) {
    words(`agents.${name}.command`, agent.command);
    words(`agents.${name}.sandbox`, agent.sandbox);
    variables(`agents.${name}.env`, agent.env);
  }
  if (file.sandbox !== 'preset') words('sandbox', file.sandbox);
  for (const skill of file.skills ?? []) {
    if (skill.kind === 'executable' && skill.run !== undefined)
      found.push({ key: `skills.${skill.name}`, command: skill.run });
  }
  variables('env', file.env);
  return found;
}

/** A word of an argv as a shell would need it, so that the shown command can be read without doubt. */
const quoteWord = (word: string): string =>
  /^[A-Za-z0-9_\-+=./:@,%{}]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/**
 * SHA-256, hexadecimal, of what decides whether a Goal is integrated. A record pins it with the commit it was read from, so that a
 * clone whose own file says otherwise stops (03, "The target").
 */
export function gatesDigest(policy: Policy): string {
  const { checks, setup, quality, governance, guard, goals } = policy;
  const text = (list: readonly Check[]) =>
    list.map(({ name, run, timeout, expect }) => [name, run, timeout.ms, expect]);
  return createHash('sha256')
    .update(
      JSON.stringify([
        text(checks),
        setup.map(({ run }) => run),
        [text(quality.checks), quality.agent],
        [text(governance.checks), governance.agent, governance.rules, governance.protect],
        [governance.max_changed.files, governance.max_changed.lines],
        guard,
        [goals.publish, goals.ungated],
      ]),
    )
    .digest('hex');
}

/** SHA-256, hexadecimal, of what would run: the same commands have the same digest, whatever else the file says. */
export const digestOf = (commands: readonly TrustedCommand[]): string =>
  createHash('sha256')
    .update(JSON.stringify(commands.map(({ key, command }) => [key, command])))
    .digest('hex');
