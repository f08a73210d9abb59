// Which branch is the base and which remote it belongs to: the order of J33, as pure decisions.

import { OwlError } from './errors.js';
import { isRefName } from './git.js';

export type BaseSource =
  | 'option'
  | 'configuration'
  | 'remote-head'
  | 'asked'
  /** `main`. */
  | 'default'
  /** `init.defaultBranch`, or `master`. */
  | 'usual-name'
  /** The only branch, or the one that is checked out, in a repository without a remote. */
  | 'current';

export interface BaseCandidate {
  readonly name: string;
  readonly source: BaseSource;
}

/** Is this name ours, so that it cannot be a base or a target (01)? `prefix` is the branch prefix, such as `owl/`. */
export const isReservedBranch = (name: string, prefix: string): boolean =>
  name === 'refine' ||
  name.startsWith('refine/') ||
  name === prefix.replace(/\/+$/, '') ||
  (prefix !== '' && name.startsWith(prefix));

/** Throws OwlError `reserved-name`, or `usage` for what is no branch name. */
export function checkBaseName(name: string, prefix: string): void {
  if (name.startsWith('-') || !isRefName(`refs/heads/${name}`)) {
    throw new OwlError('usage', `not a branch name: ${JSON.stringify(name.slice(0, 200))}`, {
      next: ['git branch --all'],
    });
  }
  if (!isReservedBranch(name, prefix)) return;
  throw new OwlError('reserved-name', `${name} is a name that git owl uses itself, so it cannot be a base`, {
    preserved: ['nothing was changed'],
    next: ['git branch --all'],
  });
}

export interface NamedBase {
  readonly name: string;
  /** null: the text names none. */
  readonly remote: string | null;
}

/** `refs/heads/x`, `refs/remotes/r/x` and `r/x` (where no local branch is called so) mean the branch `x`; the latter two say of which remote. */
export function parseBaseOption(
  text: string,
  facts: { readonly remotes: readonly string[]; readonly isLocal: (name: string) => boolean },
): NamedBase {
  if (text.startsWith('refs/heads/')) return { name: text.slice('refs/heads/'.length), remote: null };
  const whole = text.startsWith('refs/remotes/') ? text.slice('refs/remotes/'.length) : text;
  // The longest name wins: a remote may be called `a` and another `a/b`.
  const remote = [...facts.remotes].sort((a, b) => b.length - a.length).find((one) => whole.startsWith(`${one}/`));
  if (remote === undefined || (whole === text && facts.isLocal(text))) return { name: whole, remote: null };
  return { name: whole.slice(remote.length + 1), remote };
}

export interface RemoteFacts {
  readonly option: string | null;
  readonly configured: string | null;
  /** `branch.<base>.remote`. */
  readonly ofBranch: string | null;
  readonly remotes: readonly string[];
}

/**
 * The remote: option, configuration, `branch.<base>.remote` when it names a remote, `origin`, the only one; else none.
 * Throws OwlError `missing-remote` when one was named that does not exist.
 */
export function decideRemote({ option, configured, ofBranch, remotes }: RemoteFacts): string | null {
  for (const [named, where] of [
    [option, '--remote'],
    [configured, 'the configuration'],
  ] as const) {
    if (named === null) continue;
    if (remotes.includes(named)) return named;
    throw new OwlError('missing-remote', `there is no remote ${JSON.stringify(named)}, which ${where} names`, {
      preserved: ['nothing was changed'],
      next: ['git remote -v'],
      data: { remote: named, remotes },
    });
  }
  if (ofBranch !== null && remotes.includes(ofBranch)) return ofBranch;
  if (remotes.includes('origin')) return 'origin';
  return remotes.length === 1 ? (remotes[0] ?? null) : null;
}

/**
 * OwlError `missing-base`, with all that was tried. `current` is the branch that is checked out, for the hint; `instead`: what else
 * bears the name, such as `is a tag`.
 */
export function missingBase(
  tried: readonly BaseCandidate[],
  current: string | null,
  instead: string | null = null,
): OwlError {
  const names = [...new Set(tried.map((one) => one.name))];
  const only = tried.length === 1 && tried[0]?.source !== 'default' ? tried[0] : undefined;
  const where = only?.source === 'option' ? 'the branch that was asked for' : 'the base named by the configuration';
  const why = instead === null ? 'does not exist' : `${instead}: a base or target is a branch`;
  const message =
    only === undefined
      ? `no base branch was found; tried ${names.join(', ') || 'nothing'}`
      : `${where}, ${only.name}, ${why}`;
  return new OwlError('missing-base', message, {
    preserved: ['nothing was changed'],
    next: current === null || only?.source === 'option' ? ['git branch --all'] : [`git owl add --base ${current}`],
    data: { tried: tried.map(({ name, source }) => ({ name, source })) },
  });
}
