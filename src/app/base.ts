// The base is resolved in one place (J33): for adding, running, verifying, merging and looking. Its commit: base-commit.ts.

import {
  type BaseCandidate,
  type BaseSource,
  checkBaseName,
  decideRemote,
  isReservedBranch,
  missingBase,
  type NamedBase,
  parseBaseOption,
} from '../domain/base.js';
import { OwlError } from '../domain/errors.js';
import { branchRef, isRefName, remoteRef } from '../domain/git.js';
import { askRemoteBranch } from '../git/fetch.js';
import { askRemoteHead, currentBranch, loadRemoteSettings, type RemoteSettings, remoteHead } from '../git/remote.js';
import type { Repository } from '../git/repository.js';

export { type BaseCommit, resolveBaseCommit } from './base-commit.js';

export interface BaseRequest {
  /** `--base` and `--remote`, or what `add` recorded. */
  readonly option: { readonly base?: string | undefined; readonly remote?: string | undefined };
  readonly configured: { readonly base: string | null; readonly remote: string | null };
  /** Branch prefix, for what is reserved; default `owl/`. */
  readonly prefix?: string | undefined;
  /** Milliseconds to wait for a remote that is asked; 0: ask none. Default 15 000. */
  readonly askTimeout?: number | undefined;
  /** When they are known already. */
  readonly settings?: RemoteSettings | undefined;
}

export interface ResolvedBase {
  /** Branch name, whole: `release/1.0`. */
  readonly name: string;
  readonly remote: string | null;
  readonly source: BaseSource;
  /** Something worth saying of how it was found; null in the usual cases. */
  readonly note: string | null;
  /** What the option asked for, as it is recorded: the branch, and the remote only where its text named one. Null: there was none. */
  readonly asked: { readonly name: string; readonly remote: string | null } | null;
}

const ASK_TIMEOUT = 15_000;

/** What both ways of resolving look at. */
interface Ground {
  readonly repository: Repository;
  readonly settings: RemoteSettings;
  readonly prefix: string;
  readonly ask: number;
  remoteFor(name: string | null): string | null;
  /** Is there a branch of this name, here or as it was last seen on the remote? */
  isHere(name: string, remote: string | null): Promise<boolean>;
}

/**
 * The base branch and its remote: option, configuration, the remote's default as known here, as asked, then `main` and what else
 * repositories call it. Throws OwlError `missing-base` with the list tried, `missing-remote`, `reserved-name`, `usage`, `no-commit`.
 */
export async function resolveBase(repository: Repository, request: BaseRequest): Promise<ResolvedBase> {
  const { option, configured } = request;
  const prefix = request.prefix ?? 'owl/';
  const settings = request.settings ?? (await loadRemoteSettings(repository));
  const engine = await repository.engine();
  const isLocal = async (name: string): Promise<boolean> =>
    isRefName(`refs/heads/${name}`) && (await engine.resolve(branchRef(name))) !== null;
  const wanted = option.base ?? configured.base;
  const local = wanted !== null && (await isLocal(wanted));
  const parsed = wanted === null ? null : parseBaseOption(wanted, { remotes: settings.remotes, isLocal: () => local });
  const ask = request.askTimeout ?? ASK_TIMEOUT;
  const named = parsed === null ? null : await followHead(repository, parsed, ask);
  // A remote that is part of the base's name stands where that name stands.
  const ofOption = option.base === undefined ? null : (named?.remote ?? null);
  const ofConfiguration = option.base === undefined ? (named?.remote ?? null) : null;
  const ground: Ground = {
    repository,
    settings,
    prefix,
    ask,
    remoteFor: (name) =>
      decideRemote({
        option: option.remote ?? ofOption,
        configured: configured.remote ?? ofConfiguration,
        ofBranch: name === null ? null : (settings.ofBranch.get(name) ?? null),
        remotes: settings.remotes,
      }),
    isHere: async (name, remote) =>
      (await isLocal(name)) || (remote !== null && (await engine.resolve(remoteRef(remote, name))) !== null),
  };
  if (named === null) return findBase(ground);
  checkBaseName(named.name, prefix);
  const found = await checkBase(ground, named.name, option.base === undefined ? 'configuration' : 'option');
  return option.base === undefined ? found : { ...found, asked: named };
}

/** `<remote>/HEAD` is the default branch of that remote: what it names is meant, whole. */
async function followHead(repository: Repository, named: NamedBase, ask: number): Promise<NamedBase> {
  const { name, remote } = named;
  if (name !== 'HEAD' || remote === null) return named;
  const head =
    (await remoteHead(repository, remote)) ?? (ask > 0 ? await askRemoteHead(repository, remote, ask) : null);
  return head === null ? named : { name: head, remote };
}

/** A base that was named: it exists, or it is refused. */
async function checkBase(ground: Ground, name: string, source: BaseSource): Promise<ResolvedBase> {
  const { repository, ask } = ground;
  const remote = ground.remoteFor(name);
  const found: ResolvedBase = { name, remote, source, note: null, asked: null };
  // What is open in some checkout, or the name of a remote's default branch, is no branch itself.
  if (name === 'HEAD') throw missingBase([{ name, source }], await hint(ground), 'is the name of no branch');
  if (await ground.isHere(name, remote)) return found;
  // A clone of one branch does not know the others; the remote does.
  if (remote !== null && ask > 0) {
    const asked = await askRemoteBranch(repository, { remote, branch: name, timeout: ask });
    if (asked !== 'absent' && asked !== 'unknown') return found;
  }
  throw missingBase([{ name, source }], await hint(ground), await otherThing(ground, name));
}

/** What Git knows by a name that no branch has; null: nothing. */
async function otherThing({ repository }: Ground, name: string): Promise<string | null> {
  const tag = name.startsWith('refs/tags/') ? name : `refs/tags/${name}`;
  if (isRefName(tag) && (await (await repository.engine()).resolve(tag)) !== null) return 'is a tag';
  const look = ['rev-parse', '--quiet', '--verify', '--end-of-options', `${name}^{commit}`];
  return (await repository.git.run(look)).code === 0 ? 'is a commit and no branch' : null;
}

/** Nothing was named: what the remote says, then the usual names, then the only branch there is. */
async function findBase(ground: Ground): Promise<ResolvedBase> {
  const { repository, settings, prefix, ask } = ground;
  const tried: BaseCandidate[] = [];
  const attempt = async (
    name: string,
    source: BaseSource,
    note: string | null = null,
  ): Promise<ResolvedBase | null> => {
    if (!isRefName(`refs/heads/${name}`) || isReservedBranch(name, prefix)) return null;
    tried.push({ name, source });
    const remote = ground.remoteFor(name);
    return (await ground.isHere(name, remote)) ? { name, remote, source, note, asked: null } : null;
  };
  const remote = ground.remoteFor(null);
  if (remote !== null) {
    const known = await remoteHead(repository, remote);
    const found = known === null ? null : await attempt(known, 'remote-head');
    if (found !== null) return found;
    const asked = ask > 0 ? await askRemoteHead(repository, remote, ask) : null;
    // The remote just said that it has it: here it may not be known yet.
    if (asked !== null && !isReservedBranch(asked, prefix))
      return { name: asked, remote, source: 'asked', note: null, asked: null };
  }
  const main = await attempt('main', 'default');
  if (main !== null) return main;
  for (const name of new Set([settings.initialBranch ?? 'master', 'master'])) {
    const found = await attempt(name, 'usual-name', `there is no main here, so the base is ${name}`);
    if (found !== null) return found;
  }
  const branches = (await (await repository.engine()).list('refs/heads/')).map(({ ref }) =>
    ref.slice('refs/heads/'.length),
  );
  const theirs = branches.filter((name) => !isReservedBranch(name, prefix));
  const current = await currentBranch(repository);
  if (remote === null && theirs.length === 1 && theirs[0] !== undefined && theirs[0] === current) {
    const only = await attempt(current, 'current', `the only branch here is ${current}, so it is the base`);
    if (only !== null) return only;
  }
  if (repository.head === null && branches.length === 0 && remote === null) {
    throw new OwlError('no-commit', 'the repository has no commit yet, so there is nothing to work on', {
      next: ["git commit --allow-empty -m 'first commit'"],
    });
  }
  throw missingBase(tried, await hint(ground));
}

/** The branch to propose: the one that is checked out, when it may be a base. */
async function hint({ repository, prefix }: Ground): Promise<string | null> {
  const current = await currentBranch(repository);
  return current === null || isReservedBranch(current, prefix) ? null : current;
}
