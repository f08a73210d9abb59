// Guarded paths (J37): what no merge made without a person may change. Pure.

import picomatch from 'picomatch';
import type { Policy } from '../domain/policy.js';
import { OWN_NAMES } from './places.js';

/** Where hosts read what they run, and what decides how paths are merged, shown and fetched. */
const ALWAYS: readonly string[] = [
  ...OWN_NAMES,
  '**/.gitattributes',
  '.gitmodules',
  '.github/workflows/**',
  '.github/actions/**',
  '.gitea/workflows/**',
  '.forgejo/workflows/**',
  '.gitlab-ci.{yml,yaml}',
  '.gitlab/ci/**',
  '.circleci/**',
  '.buildkite/**',
  '.woodpecker.{yml,yaml}',
  '.woodpecker/**',
  '.drone.{yml,yaml,star}',
  '.travis.yml',
  '.appveyor.yml',
  'appveyor.yml',
  'azure-pipelines*.{yml,yaml}',
  '.azure-pipelines/**',
  'bitbucket-pipelines.yml',
  '**/Jenkinsfile',
  '.cirrus.{yml,star}',
  '.builds/**',
  '.build.yml',
  '.semaphore/**',
  '.teamcity/**',
  '.ci/**',
];

export interface GuardFacts {
  /** Is this a file of the base commit's tree? */
  readonly treeHas: (path: string) => boolean;
  /** The configuration is in `package.json`, which is then guarded too. */
  readonly inPackage?: boolean | undefined;
}

/**
 * The changed paths that are guarded, in their order. Paths are as Git names them: UTF-8, from the top, `/` between folders.
 * Case does not matter for our own names and those of hosts: on some disks `.GITHUB` is `.github`.
 */
export function guardedPaths(
  policy: Pick<Policy, 'guard' | 'checks' | 'quality' | 'governance'>,
  changed: readonly string[],
  facts: GuardFacts,
): readonly string[] {
  const always = picomatch(
    ALWAYS.map((glob) => glob.toLowerCase()),
    { dot: true },
  );
  const wished = picomatch(policy.guard.flatMap(widen), { dot: true });
  const checks = [...policy.checks, ...policy.quality.checks, ...policy.governance.checks];
  // The rules that governance judges by are no less than a check.
  const rules = policy.governance.rules.map((path) => normalise(path) ?? path);
  const named = new Set([...rules, ...checks.flatMap((check) => filesInCommand(check.run, facts.treeHas))]);
  if (facts.inPackage === true) named.add('package.json');
  return changed.filter((path) => named.has(path) || wished(path) || always(path.toLowerCase()));
}

/**
 * Guarded paths as a message names them: with the check or the rules that name one, which no list shows. For
 * `run: sh ci/lint.sh`: `ci/lint.sh (named by check lint)`.
 */
export function sayGuarded(
  policy: Pick<Policy, 'checks' | 'quality' | 'governance'>,
  paths: readonly string[],
): readonly string[] {
  const checks = [...policy.checks, ...policy.quality.checks, ...policy.governance.checks];
  const rules = new Set(policy.governance.rules.map((path) => normalise(path) ?? path));
  return paths.map((path) => {
    const by = checks.find((check) => filesInCommand(check.run, (word) => word === path).length > 0);
    if (by !== undefined) return `${path} (named by check ${by.name})`;
    return rules.has(path) ? `${path} (of governance.rules)` : path;
  });
}

/** The changed paths that these globs name, in their order. */
export function matchedPaths(globs: readonly string[], changed: readonly string[]): readonly string[] {
  const matches = picomatch(globs.flatMap(widen), { dot: true });
  return globs.length === 0 ? [] : changed.filter((path) => matches(path));
}

/** `docs/` and `docs` guard all below them, as a line of `.gitignore` would. */
function widen(glob: string): readonly string[] {
  const plain = glob.replace(/^\.\//, '').replace(/\/+$/, '');
  return [plain, `${plain}/**`];
}

/**
 * The files of the tree that a command line names: its words, also after `=` and quotes, relative to the top.
 * A word that is no file of the tree is no file; what a script calls in turn is not looked into.
 */
export function filesInCommand(command: string, treeHas: (path: string) => boolean): readonly string[] {
  const words = command.split(/[\s;&|<>()`'"$={}]+/).filter((word) => word !== '');
  const paths = words.map(normalise).filter((path): path is string => path !== null && treeHas(path));
  return [...new Set(paths)];
}

/** `./scripts/../ci/test.sh` -> `ci/test.sh`; null for what lies outside the tree. */
function normalise(word: string): string | null {
  if (word.startsWith('/') || word.startsWith('~')) return null;
  const parts: string[] = [];
  for (const part of word.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.length === 0 ? null : parts.join('/');
}
