// The policy in force: defaults, the configuration of the base's commit, the user's own file, options (06, "Configuration"; J7).

import { isOwlError } from '../domain/errors.js';
import type { Oid } from '../domain/git.js';
import type { LoadedPolicy } from '../domain/policy.js';
import { sayNever } from '../domain/skill.js';
import type { Repository } from '../git/repository.js';
import type { Environment } from '../system/environment.js';
import { type Found, findConfiguration } from './find.js';
import { mergeSources, type PolicyOptions, type Source, valueAt } from './merge.js';
import { parseFile } from './parse.js';
import { PACKAGE_KEY } from './places.js';
import { buildPolicy, commandsOf, digestOf } from './policy.js';
import { configurationError } from './report-issues.js';
import { agentsNamed, unknownAgent } from './rules.js';
import type { ConfigFile } from './schema.js';
import { loadUserFile } from './user-file.js';

export interface PolicyRequest {
  readonly repository: Repository;
  readonly environment: Pick<Environment, 'configDir' | 'home'>;
  /** The base commit; null in a repository without one: built-in values and the user's own. */
  readonly commit: Oid | null;
  /** The base's ref, for messages and origins. */
  readonly ref: string;
  readonly options?: PolicyOptions | undefined;
}

interface BaseSource extends Source {
  readonly path: string;
  readonly blob: Oid;
}

/**
 * Loads and merges all sources. Throws OwlError `configuration` with the file, the line and the key, and `unreadable-object`.
 */
export async function loadPolicy(request: PolicyRequest): Promise<LoadedPolicy> {
  const { environment, commit, ref } = request;
  const { source: base, warnings } =
    commit === null ? { source: null, warnings: [] } : await loadBaseFile(request.repository, commit, ref);
  const user = await loadUserFile(environment);
  const merged = mergeSources(base, user.source, request.options);
  if (merged.issues.length > 0) throw configurationError(user.source?.label ?? '', merged.issues);
  const policy = buildPolicy(merged.values);
  const commands = base === null ? [] : commandsOf(base.file);
  const origin = merged.origins.get('agent');
  const stranger =
    policy.agent === null || origin?.kind === 'option' ? null : unknownAgent(policy.agent, Object.keys(policy.agents));
  if (stranger !== null)
    throw configurationError(origin?.where ?? ref, [{ path: ['agent'], key: 'agent', message: stranger, line: null }]);
  for (const { key, agent } of agentsNamed(policy)) {
    const message = unknownAgent(agent, Object.keys(policy.agents), key);
    if (message === null) continue;
    throw configurationError(merged.origins.get(key)?.where ?? ref, [
      { path: key.split('.'), key, message, line: null },
    ]);
  }
  return {
    policy,
    origins: merged.origins,
    values: merged.values,
    commit,
    blob: base?.blob ?? null,
    path: base?.path ?? null,
    warnings: [...warnings, ...user.warnings, ...sayNever(policy.skills)],
    commands,
    digest: digestOf(commands),
  };
}

/** The repository's own file at a commit, validated; null when it has none. Throws as `loadPolicy`. */
async function loadBaseFile(
  repository: Repository,
  commit: Oid,
  ref: string,
): Promise<{ readonly source: BaseSource | null; readonly warnings: readonly string[] }> {
  const { found, warnings } = await findConfiguration(repository, commit, ref);
  if (found === null) return { source: null, warnings };
  const label = `${ref}:${found.path}`;
  return { source: { label, file: validate(found, label), path: found.path, blob: found.blob }, warnings };
}

/** Throws OwlError `configuration` with every issue. */
export function validate(found: Found, label: string): ConfigFile {
  const below = found.path === 'package.json' ? [PACKAGE_KEY] : [];
  const parsed = parseFile('base', found.value, found.text, below);
  if (parsed.kind === 'bad') throw configurationError(label, parsed.issues);
  return parsed.file;
}

/**
 * `base` and `remote` alone, read first from the default base (J33). What else is wrong with the file is left for `loadPolicy`
 * to say: with no name read here the default base stands, whose file is then the very same.
 */
export async function loadBaseNames(
  request: Omit<PolicyRequest, 'options'>,
): Promise<{ readonly base: string | null; readonly remote: string | null }> {
  const found = request.commit === null ? null : await findLeniently(request.repository, request.commit, request.ref);
  const user = await userRemote(request.environment);
  const name = (key: 'base' | 'remote'): string | null => {
    const value = valueAt(found?.value, key);
    const parsed = typeof value === 'string' ? parseFile('base', { [key]: value }, '') : null;
    return parsed?.kind === 'ok' ? (parsed.file[key] ?? null) : null;
  };
  return { base: name('base'), remote: name('remote') ?? user };
}

async function findLeniently(
  repository: Repository,
  commit: Oid,
  ref: string,
): Promise<{ readonly value: unknown } | null> {
  try {
    return (await findConfiguration(repository, commit, ref)).found;
  } catch (error) {
    if (isOwlError(error, 'configuration')) return null;
    throw error;
  }
}

async function userRemote(environment: PolicyRequest['environment']): Promise<string | null> {
  try {
    return (await loadUserFile(environment)).source?.file.remote ?? null;
  } catch (error) {
    if (isOwlError(error, 'configuration')) return null;
    throw error;
  }
}
