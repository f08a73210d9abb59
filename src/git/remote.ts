// What is known of remotes: their names, which one a branch follows, what they call their default branch (J33).

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRefName, type RefName } from '../domain/git.js';
import { callRemote } from './remote-call.js';
import type { Repository } from './repository.js';

export interface RemoteSettings {
  /** Names of the remotes that have a URL, sorted. */
  readonly remotes: readonly string[];
  /** `branch.<name>.remote` by branch, as it is written: may be `.` or a URL. */
  readonly ofBranch: ReadonlyMap<string, string>;
  /** `init.defaultBranch`. */
  readonly initialBranch: string | null;
}

/** All that the configuration says of remotes and of the way to them, by one process. */
export async function loadRemoteSettings(repository: Repository): Promise<RemoteSettings> {
  const pattern = '^(remote\\..*\\.url|branch\\..*\\.remote|init\\.defaultbranch|core\\.sshcommand)$';
  const answer = await repository.git.run(['config', '-z', '--get-regexp', pattern]);
  const remotes = new Set<string>();
  const ofBranch = new Map<string, string>();
  let initialBranch: string | null = null;
  let ssh: string | null = null;
  for (const entry of answer.stdout.toString('utf8').split('\0')) {
    // A name may hold dots and line breaks; the first line break ends the key, since Git allows none in one.
    const at = entry.indexOf('\n');
    const key = at < 0 ? entry : entry.slice(0, at);
    const value = at < 0 ? '' : entry.slice(at + 1);
    if (key === 'init.defaultbranch') initialBranch = value === '' ? null : value;
    else if (key === 'core.sshcommand') ssh = value;
    else if (key.startsWith('remote.')) remotes.add(key.slice('remote.'.length, -'.url'.length));
    else if (key.startsWith('branch.')) ofBranch.set(key.slice('branch.'.length, -'.remote'.length), value);
  }
  repository.git.knowSsh(ssh);
  return { remotes: [...remotes].sort(), ofBranch, initialBranch };
}

/** Names of the remotes that have a URL, sorted. */
export const listRemotes = async (repository: Repository): Promise<readonly string[]> =>
  (await loadRemoteSettings(repository)).remotes;

/** `branch.<name>.remote`, as it is written: may be `.` or a URL; null when unset. */
export const remoteOfBranch = async (repository: Repository, branch: string): Promise<string | null> =>
  (await loadRemoteSettings(repository)).ofBranch.get(branch) ?? null;

/** The branch that `refs/remotes/<remote>/HEAD` names, whole (`release/1.0`); null when it is missing or names no ref that is here. */
export async function remoteHead(repository: Repository, remote: string): Promise<string | null> {
  const prefix = `refs/remotes/${remote}/`;
  const named = await symbolicRef(repository, `${prefix}HEAD`);
  if (named === null || !named.startsWith(prefix) || !isRefName(named)) return null;
  return (await (await repository.engine()).resolve(named)) === null ? null : named.slice(prefix.length);
}

/** Symbolic refs are never packed: without reftables each is a file. */
async function symbolicRef(repository: Repository, ref: string): Promise<string | null> {
  if (!repository.reftable) {
    const text = await readFile(join(repository.commonDir, ref), 'utf8').catch(() => '');
    return /^ref:\s*(\S+)\s*$/.exec(text)?.[1] ?? null;
  }
  const answer = await repository.git.run(['symbolic-ref', '--quiet', ref]);
  return answer.code === 0 ? answer.stdout.toString('utf8').trim() : null;
}

/** Asks the remote for its default branch, bounded in milliseconds; null when it does not say or does not answer. */
export async function askRemoteHead(repository: Repository, remote: string, timeout = 15_000): Promise<string | null> {
  const args = ['ls-remote', '--quiet', '--symref', '--end-of-options', remote, 'HEAD'];
  const answer = await callRemote(repository, args, { timeout });
  if (answer.kind === 'failed' || answer.result.code !== 0) return null;
  return parseSymref(answer.result.stdout.toString('utf8'));
}

/** `ref: refs/heads/<branch>\tHEAD` among the lines of `ls-remote --symref`. */
export function parseSymref(text: string): string | null {
  for (const line of text.split('\n')) {
    const branch = /^ref: refs\/heads\/(.+)\tHEAD$/.exec(line)?.[1];
    if (branch !== undefined && isRefName(`refs/heads/${branch}`)) return branch;
  }
  return null;
}

/** The branch that the checkout of the caller is on, if it has a commit; null when detached or unborn. */
export async function currentBranch(repository: Repository): Promise<string | null> {
  const { gitDir, workTree } = repository;
  const checkout = workTree === null ? {} : { checkout: { gitDir, workTree } };
  const head = await repository.git.run(['symbolic-ref', '--quiet', 'HEAD'], checkout);
  const ref = head.code === 0 ? head.stdout.toString('utf8').trim() : '';
  if (!ref.startsWith('refs/heads/') || !isRefName(ref)) return null;
  return (await (await repository.engine()).resolve(ref as RefName)) === null ? null : ref.slice('refs/heads/'.length);
}
