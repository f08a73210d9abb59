// A configuration that lies in the checkout or on the local base and is not the one in force: said by add, run, init and doctor,
// with what makes it count. The first stumble of a newcomer (11, Jobs).

import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isOwlError } from '../domain/errors.js';
import { branchName, branchRef, isRefName, type Oid, type RefName } from '../domain/git.js';
import type { LoadedPolicy } from '../domain/policy.js';
import { blobAt } from '../git/blob.js';
import { newBlob } from '../git/objects.js';
import { listRemotes } from '../git/remote.js';
import type { Repository } from '../git/repository.js';
import { decode, findConfiguration } from './find.js';
import { MOST_PACKAGE_BYTES, parseText } from './parse.js';
import { PACKAGE_KEY, SEARCH_PLACES, type SearchPlace } from './places.js';

export interface ElsewhereRequest {
  readonly repository: Repository;
  readonly loaded: Pick<LoadedPolicy, 'commit' | 'path' | 'blob'>;
  /** The ref that the configuration in force was read from; null: there is no base yet. */
  readonly ref: RefName | null;
  /** Names of the remotes, when they are known already. */
  readonly remotes?: readonly string[] | undefined;
}

/** One sentence for each such configuration, with what makes it count. Empty in the usual case. */
export async function configurationElsewhere(request: ElsewhereRequest): Promise<readonly string[]> {
  const base = await splitRef(request);
  const ahead = await onLocalBase(request, base);
  if (ahead !== null) return [ahead];
  const file = await inCheckout(request, base);
  return file === null ? [] : [file];
}

interface BaseName {
  readonly branch: string | null;
  readonly remote: string | null;
}

async function splitRef({ repository, ref, remotes }: ElsewhereRequest): Promise<BaseName> {
  if (ref === null) return { branch: null, remote: null };
  const local = branchName(ref);
  if (local !== null) return { branch: local, remote: null };
  const known = remotes ?? (await listRemotes(repository));
  const remote = known.find((name) => ref.startsWith(`refs/remotes/${name}/`)) ?? null;
  return { branch: remote === null ? null : ref.slice(`refs/remotes/${remote}/`.length), remote };
}

const sayForce = ({ ref, loaded }: ElsewhereRequest): string => {
  if (ref === null) return 'there is no base yet';
  return loaded.path === null ? `${ref} has none` : `${ref}:${loaded.path} is`;
};

/** The local base has a configuration that the remote's has not: pushing makes it count. */
async function onLocalBase(request: ElsewhereRequest, base: BaseName): Promise<string | null> {
  const { repository, loaded } = request;
  if (base.remote === null || base.branch === null || !isRefName(`refs/heads/${base.branch}`)) return null;
  const engine = await repository.engine();
  const local = await engine.resolve(branchRef(base.branch));
  if (local === null || local === loaded.commit) return null;
  const found = await findQuietly(repository, local, `refs/heads/${base.branch}`);
  if (found === null || (found.path === loaded.path && found.blob === loaded.blob)) return null;
  const before = await sharedCommit(repository, local, loaded.commit);
  const then = before === null ? null : await findQuietly(repository, before, '');
  if (then !== null && then.path === found.path && then.blob === found.blob) return null;
  return `refs/heads/${base.branch}:${found.path} is not in force (${sayForce(request)}): push it: git push ${base.remote} ${base.branch}`;
}

/**
 * The commit that both grew from. What this side still has as it was there is old, and nobody waits for it to count: the base's
 * commit changed it since. Null when there is none, or it cannot be told.
 */
async function sharedCommit(repository: Repository, here: Oid, base: Oid | null): Promise<Oid | null> {
  if (base === null) return null;
  const bases = await (await repository.engine()).mergeBases(here, base);
  return typeof bases === 'string' ? null : (bases[0] ?? null);
}

async function findQuietly(repository: Repository, commit: Oid, label: string) {
  try {
    return (await findConfiguration(repository, commit, label)).found;
  } catch (error) {
    if (isOwlError(error, 'configuration') || isOwlError(error, 'unreadable-object')) return null;
    throw error;
  }
}

/** The checkout that the command was called in has a file that differs from what is in force. */
async function inCheckout(request: ElsewhereRequest, base: BaseName): Promise<string | null> {
  const { repository, loaded } = request;
  if (repository.workTree === null) return null;
  for (const place of SEARCH_PLACES) {
    const data = await readPlain(join(repository.workTree, place));
    if (data === null || !(await differs(repository, place, data, loaded))) continue;
    const head = repository.head;
    if (head !== null && (await sameAsCommit(repository, head, place, data))) {
      const before = await sharedCommit(repository, head, loaded.commit);
      if (before !== null && (await sameAsCommit(repository, before, place, data))) continue;
      const target = base.branch ?? 'the base';
      return `${place} of this branch is not in force (${sayForce(request)}): it counts once it is on ${target}`;
    }
    const push = base.remote === null ? '' : ` and push it: git push ${base.remote} ${base.branch}`;
    return `${place} in this checkout is not in force (${sayForce(request)}): commit it on ${base.branch ?? 'the base'}${push}`;
  }
  return null;
}

/** Bytes of a regular file of bearable size; null otherwise. */
export async function readPlain(path: string): Promise<Buffer | null> {
  try {
    const facts = await lstat(path);
    return facts.isFile() && facts.size <= MOST_PACKAGE_BYTES ? await readFile(path) : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== undefined) return null;
    throw error;
  }
}

async function differs(
  repository: Repository,
  place: SearchPlace,
  data: Buffer,
  loaded: ElsewhereRequest['loaded'],
): Promise<boolean> {
  if (place === 'package.json') {
    const own = await packageValue(data);
    if (own === null) return false;
    const force =
      loaded.path === place && loaded.blob !== null ? await (await repository.engine()).read(loaded.blob) : null;
    return force === null || (await packageValue(force.data)) !== own;
  }
  return loaded.path !== place || !isBlob(repository, data, loaded.blob);
}

/** The bytes as they are, and as a checkout with `core.autocrlf` has them. */
const isBlob = (repository: Repository, data: Buffer, oid: Oid | null): boolean =>
  oid !== null &&
  (newBlob(repository.format, data).oid === oid ||
    newBlob(repository.format, Buffer.from(data.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')).oid === oid);

/** The key of a `package.json` as canonical text; null when it has none. */
async function packageValue(data: Buffer): Promise<string | null> {
  const text = data.includes(`"${PACKAGE_KEY}"`) ? decode(data) : null;
  const parsed = text === null ? null : await parseText('json', text);
  if (parsed === null || 'issue' in parsed || typeof parsed.value !== 'object' || parsed.value === null) return null;
  const value: unknown = (parsed.value as Readonly<Record<string, unknown>>)[PACKAGE_KEY];
  return value === undefined ? null : JSON.stringify(value);
}

/** Has the commit this very file there, or in a `package.json` the same value? */
export async function sameAsCommit(
  repository: Repository,
  commit: Oid,
  place: SearchPlace,
  data: Buffer,
): Promise<boolean> {
  const at = await blobAt(repository, commit, place);
  if (at.kind !== 'blob') return false;
  if (place === 'package.json') return (await packageValue(at.data)) === (await packageValue(data));
  return isBlob(repository, data, at.oid);
}
