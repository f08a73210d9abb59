// The scrubbed environment of agents, setup commands and checks: an allow-list, what `env:` passes, the agent's own
// credentials and our OWL_ variables, nothing else (J16). Pure.

import type { Gate } from '../domain/gates.js';
import type { Phase } from '../domain/job.js';
import type { AgentDefinition } from '../domain/policy.js';
import type { Preset } from './types.js';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Passed when set: what programs need to find themselves, the user's folders, language and time zone. The Git ones say
 * who commits and where the user's own configuration is; without them a commit fails in many containers.
 */
const BASE: readonly string[] = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TERM',
  'TZ',
  'TMPDIR',
  'LANG',
  'LANGUAGE',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_STATE_HOME',
  'XDG_CACHE_HOME',
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_COMMITTER_NAME',
  'GIT_COMMITTER_EMAIL',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
];

/** Nothing in an unattended process may wait for a person. */
const FIXED: Readonly<Record<string, string>> = {
  NO_COLOR: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
};

/**
 * Never passed, even when `env:` names them: Git's local variables (they would point the agent's Git at another
 * repository), what loads code into every Node process, and ours.
 */
const NEVER =
  /^(?:GIT_(?:ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|CONFIG|CONFIG_COUNT|CONFIG_KEY_\d+|CONFIG_PARAMETERS|CONFIG_VALUE_\d+|DIR|GRAFT_FILE|IMPLICIT_WORK_TREE|INDEX_FILE|INTERNAL_SUPER_PREFIX|NO_REPLACE_OBJECTS|OBJECT_DIRECTORY|PREFIX|QUARANTINE_PATH|REPLACE_REF_BASE|SHALLOW_FILE|WORK_TREE)|NODE_OPTIONS|OWL_.*|PWD|OLDPWD)$/;

export interface EnvironmentRequest {
  /** Our own environment. */
  readonly variables: Variables;
  /** Names from `env:`. */
  readonly pass: readonly string[];
  /** Names that hold this agent's credentials, see `agentCredentials`; empty for setup and checks. */
  readonly credentials?: readonly string[] | undefined;
  readonly job: string;
  /** Also the marker by which leftovers are found (J19). */
  readonly run: string;
  readonly phase: Phase | Gate | 'skill';
  /** Full id of the base commit of the Run. */
  readonly base: string;
  /** Path of the Handoff in the worktree, relative to it. */
  readonly handoff: string;
  /** Only for the agent. */
  readonly promptFile?: string | undefined;
  /** Only for the agent. */
  readonly resultFile?: string | undefined;
  readonly worktree: string;
  /** For a Round's Runs, and for gates, which judge a Candidate. */
  readonly goal?: { readonly id: string; readonly round: number; readonly candidate?: string | undefined } | undefined;
  /** Further variables of ours: what a Skill is told about its event. */
  readonly told?: Variables | undefined;
  /** Used where neither environment nor configuration says who commits. */
  readonly identity?: { readonly name: string; readonly email: string } | undefined;
}

/** The complete environment for an agent, or for a setup command or check when prompt and result file are left out. */
export function agentEnvironment(request: EnvironmentRequest): Record<string, string> {
  const { variables, identity } = request;
  const names = [
    ...BASE,
    ...Object.keys(variables).filter((name) => name.startsWith('LC_')),
    ...request.pass,
    ...(request.credentials ?? []),
  ];
  const passed = names.filter((name) => !NEVER.test(name)).map((name) => [name, variables[name]] as const);
  const own = {
    OWL_JOB: request.job,
    OWL_RUN: request.run,
    OWL_PHASE: request.phase,
    OWL_BASE: request.base,
    OWL_HANDOFF: request.handoff,
    OWL_PROMPT_FILE: request.promptFile,
    OWL_RESULT_FILE: request.resultFile,
    OWL_GOAL: request.goal?.id,
    OWL_ROUND: request.goal?.round.toString(),
    OWL_CANDIDATE: request.goal?.candidate,
    // A gate's base is that of the Candidate.
    OWL_CANDIDATE_BASE: request.goal?.candidate === undefined ? undefined : request.base,
    ...request.told,
    PWD: request.worktree,
  };
  const fallback = identity && {
    GIT_AUTHOR_NAME: identity.name,
    GIT_AUTHOR_EMAIL: identity.email,
    GIT_COMMITTER_NAME: identity.name,
    GIT_COMMITTER_EMAIL: identity.email,
  };
  return defined({ ...fallback, ...defined(Object.fromEntries(passed)), ...FIXED, ...own });
}

/**
 * The variables that hold this agent's credentials. An entry that names an account and its variables gets those alone:
 * a default account's key in the environment would win over them (J16).
 */
export function agentCredentials(definition: AgentDefinition, preset: Preset): readonly string[] {
  const alone = definition.account !== null && definition.env.length > 0;
  return alone ? definition.env : [...new Set([...preset.credentials, ...definition.env])];
}

const defined = (record: Variables): Record<string, string> =>
  Object.fromEntries(Object.entries(record).filter((entry): entry is [string, string] => entry[1] !== undefined));
