// One fetch, of one ref: nothing changes but the ref that it is meant for (J6). Every fetch of the program is made this way.

import { branchRef, type Oid, type RefName, remoteRef } from '../domain/git.js';
import { failpoint } from '../system/failpoint.js';
import { callRemote, failureReason, type RemoteAnswer } from './remote-call.js';
import type { Repository } from './repository.js';

export interface FetchRequest {
  readonly remote: string;
  readonly branch: string;
  /** Milliseconds for all of it; default 60 000. */
  readonly timeout?: number | undefined;
}

export interface RefFetchRequest {
  readonly remote: string;
  readonly from: RefName;
  readonly to: RefName;
  readonly timeout?: number | undefined;
  /** In a partial clone, all contents too (S6). */
  readonly whole?: boolean | undefined;
  /** In a shallow clone, how much of the history: `--deepen=<n>`, `--depth=<n>`. */
  readonly depth?: string | undefined;
  /** The remote may well lack it: where nothing of it is here yet, a look answers that in one call instead of two. */
  readonly perhaps?: boolean | undefined;
}

export interface ObjectsRequest extends Pick<RefFetchRequest, 'remote' | 'timeout' | 'whole' | 'depth'> {
  readonly refs: readonly RefName[];
}

export type FetchResult =
  | { readonly status: 'fetched'; readonly oid: Oid }
  /** `reason` is `no-branch` where the remote answered and has no such ref; else one line for people. */
  | { readonly status: 'failed'; readonly reason: string };

const TIMEOUT = 60_000;

/**
 * Fetches `refs/heads/<branch>` into `refs/remotes/<remote>/<branch>`. A failure is a value; throws OwlError `git-missing` only.
 */
export const fetchBranch = (repository: Repository, request: FetchRequest): Promise<FetchResult> =>
  fetchRef(repository, {
    remote: request.remote,
    from: branchRef(request.branch),
    to: remoteRef(request.remote, request.branch),
    timeout: request.timeout,
  });

/** Fetches one ref of the remote into one of ours, whatever that was before. A failure is a value, as above. */
export async function fetchRef(repository: Repository, request: RefFetchRequest): Promise<FetchResult> {
  const timeout = request.timeout ?? TIMEOUT;
  const start = performance.now();
  const left = (): number => timeout - (performance.now() - start);
  const { remote, from: ref, to } = request;
  if (request.perhaps === true && (await (await repository.engine()).resolve(to)) === null) {
    if ((await askRemoteRef(repository, { remote, ref, timeout })) === 'absent')
      return { status: 'failed', reason: 'no-branch' };
  }
  for (let attempt = 1; ; attempt += 1) {
    const fetched = await fetchOnce(repository, { ...request, timeout: attempt === 1 ? timeout : left() });
    if (fetched.status !== 'refused' || left() <= 100) return failedOr(fetched);
    const there = await askRemoteRef(repository, { remote, ref, timeout: left() });
    if (there === 'absent') return { status: 'failed', reason: 'no-branch' };
    // It answers and has the ref: that was made, or moved, between the two calls.
    if (there === 'unknown' || attempt >= 3 || left() <= 100) return failedOr(fetched);
  }
}

/** `refused`: Git ended with a failure, and what the remote has is not known by that. */
type Fetched = FetchResult | { readonly status: 'refused'; readonly reason: string };

const failedOr = (fetched: Fetched): FetchResult =>
  fetched.status === 'refused' ? { status: 'failed', reason: fetched.reason } : fetched;

/** Fetches what is below these refs of the remote, and moves no ref. Null: it is here; else one line for people. */
export async function fetchObjects(repository: Repository, request: ObjectsRequest): Promise<string | null> {
  const answer = await callFetch(repository, request, request.refs);
  if (answer.kind === 'failed') return answer.reason;
  return answer.result.code === 0 ? null : failureReason(answer.result);
}

/** Fetches refs of the remote into the same refs here, in one fetch of exactly these. Null: they are here; else one line for people. */
export async function fetchSame(repository: Repository, request: ObjectsRequest): Promise<string | null> {
  return fetchObjects(repository, { ...request, refs: request.refs.map((ref) => `+${ref}:${ref}` as RefName) });
}

function callFetch(
  repository: Repository,
  { remote, whole, depth, timeout }: Omit<ObjectsRequest, 'refs'>,
  refspecs: readonly string[],
): Promise<RemoteAnswer> {
  const args = [
    'fetch',
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
    '--no-auto-maintenance',
    '--no-write-commit-graph',
    '--no-prune',
    '--no-prune-tags',
    // Without it Git obeys the user's own refspecs too, and in a mirror clone moves the base branch itself.
    '--refmap=',
    ...(whole === true ? ['--no-filter'] : []),
    ...(depth === undefined ? [] : [depth]),
    '--end-of-options',
    remote,
    ...refspecs,
  ];
  // Git 2.48 and newer make or move `<remote>/HEAD` in a fetch.
  const config = [`remote.${remote}.followRemoteHEAD=never`, 'fetch.parallel=1'];
  return callRemote(repository, args, { timeout: timeout ?? TIMEOUT, config, reading: false });
}

async function fetchOnce(
  repository: Repository,
  request: RefFetchRequest & { readonly timeout: number },
): Promise<Fetched> {
  const { from, to } = request;
  await failpoint('fetch.before-ref');
  const answer = await callFetch(repository, request, [`+${from}:${to}`]);
  await failpoint('fetch.after-ref');
  if (answer.kind === 'failed') return { status: 'failed', reason: answer.reason };
  if (answer.result.code === 0) {
    const oid = await (await repository.engine()).resolve(to);
    return oid === null ? { status: 'failed', reason: 'the fetch left no ref behind' } : { status: 'fetched', oid };
  }
  return { status: 'refused', reason: failureReason(answer.result) };
}

/** Bounded look at one branch of a remote: its commit, `absent`, or `unknown` when the remote does not answer. */
export const askRemoteBranch = (
  repository: Repository,
  request: { readonly remote: string; readonly branch: string; readonly timeout: number },
): Promise<Oid | 'absent' | 'unknown'> => askRemoteRef(repository, { ...request, ref: branchRef(request.branch) });

async function askRemoteRef(
  repository: Repository,
  request: { readonly remote: string; readonly ref: RefName; readonly timeout: number },
): Promise<Oid | 'absent' | 'unknown'> {
  const { ref } = request;
  const args = ['ls-remote', '--quiet', '--exit-code', '--end-of-options', request.remote, ref];
  const answer = await callRemote(repository, args, { timeout: request.timeout });
  if (answer.kind === 'failed') return 'unknown';
  if (answer.result.code === 2) return 'absent';
  if (answer.result.code !== 0) return 'unknown';
  // The pattern also matches `refs/heads/x/refs/heads/<branch>`.
  const row = answer.result.stdout
    .toString('utf8')
    .split('\n')
    .find((line) => line.endsWith(`\t${ref}`));
  return row === undefined ? 'absent' : (row.slice(0, row.indexOf('\t')) as Oid);
}
