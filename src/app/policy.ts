// The policy that is in force: the base is named first, then its commit is read, then the configuration from that commit (J7, J33).

import { loadBaseNames, loadPolicy } from '../config/load.js';
import { checkBaseName } from '../domain/base.js';
import { isOwlError } from '../domain/errors.js';
import { type Oid, type RefName, remoteRef } from '../domain/git.js';
import type { Job, Merged } from '../domain/job.js';
import type { LoadedPolicy } from '../domain/policy.js';
import { fetchBranch } from '../git/fetch.js';
import { type BaseCommit, type BaseRequest, type ResolvedBase, resolveBase, resolveBaseCommit } from './base.js';
import type { Workbench } from './workbench.js';

export interface BaseWish {
  /** `--base` or what `add` recorded; undefined: resolved anew. */
  readonly base?: string | undefined;
  readonly remote?: string | undefined;
  /** The target of a Goal: this side's commit alone counts. */
  readonly side?: 'remote' | 'local' | undefined;
}

export interface Fetched {
  readonly status: 'fetched' | 'failed' | 'no-remote';
  readonly remote: string | null;
  readonly reason: string | null;
}

export interface CurrentPolicy {
  readonly base: ResolvedBase;
  /** The base commit of J7. */
  readonly at: BaseCommit;
  readonly loaded: LoadedPolicy;
  readonly fetch: Fetched | null;
}

/** Milliseconds that a fetch may take; `OWL_FETCH_TIMEOUT` shortens it. */
const FETCH_TIMEOUT = 60_000;
/** Milliseconds that a remote without a known default branch gets to name it (J33). */
const ASK_TIMEOUT = 5_000;

export const wishOf = (job: Pick<Job, 'base'>): BaseWish => ({
  base: job.base.name ?? undefined,
  remote: job.base.remote ?? undefined,
});

/**
 * Resolves base, commit and configuration from what this clone knows, without a fetch.
 * Throws OwlError `missing-base`, `missing-remote`, `reserved-name`, `configuration`.
 */
export async function currentPolicy(bench: Workbench, wish: BaseWish): Promise<CurrentPolicy> {
  const base = await namedBase(bench, wish);
  return load(bench, base, null, wish.side);
}

/** As `currentPolicy`, after a fetch of the base (J6). A failed fetch is recorded and the work goes on. */
export async function fetchedPolicy(bench: Workbench, wish: BaseWish): Promise<CurrentPolicy> {
  const base = await namedBase(bench, wish);
  if (base.remote === null) return load(bench, base, { status: 'no-remote', remote: null, reason: null }, wish.side);
  bench.progress.step(`fetching ${base.name} from ${base.remote}`);
  const timeout = Number(bench.environment.variables['OWL_FETCH_TIMEOUT']) || FETCH_TIMEOUT;
  const result = await fetchBranch(bench.repository, { remote: base.remote, branch: base.name, timeout });
  const fetch: Fetched =
    result.status === 'fetched'
      ? { status: 'fetched', remote: base.remote, reason: null }
      : { status: 'failed', remote: base.remote, reason: result.reason };
  if (fetch.status === 'failed')
    bench.say(`could not fetch ${base.name} from ${base.remote}: ${fetch.reason}; going on with what is known here`);
  return load(bench, base, fetch, wish.side);
}

/** Where the configuration is read from, whatever is wrong with it. Throws as `currentPolicy`, but never `configuration`. */
export async function currentBase(bench: Workbench, wish: BaseWish): Promise<BaseCommit> {
  const base = await namedBase(bench, wish);
  return resolveBaseCommit(bench.repository, base, { merges: await ourMerges(bench), side: wish.side });
}

/** `base` and `remote` alone are read first, from the default base (J33). */
async function namedBase(bench: Workbench, wish: BaseWish): Promise<ResolvedBase> {
  const option = { base: wish.base, remote: wish.remote };
  const first = await resolveOnce(bench, option, { base: null, remote: null });
  const at = await resolveBaseCommit(bench.repository, first, { merges: await ourMerges(bench) });
  const names = await loadBaseNames({
    repository: bench.repository,
    environment: bench.environment,
    commit: at.oid,
    ref: at.ref,
  });
  if (names.base === null && names.remote === null) return first;
  return resolveOnce(bench, option, names);
}

/** The same question has the same answer for the rest of this process: its Runs and its merge use one base (J33). */
function resolveOnce(
  bench: Workbench,
  option: BaseRequest['option'],
  configured: BaseRequest['configured'],
): Promise<ResolvedBase> {
  const key = JSON.stringify([option.base, option.remote, configured.base, configured.remote]);
  const known = bench.bases.get(key);
  if (known !== undefined) return known;
  const resolved = bench
    .remotes()
    .then((settings) => resolveBase(bench.repository, { option, configured, askTimeout: ASK_TIMEOUT, settings }));
  bench.bases.set(key, resolved);
  return resolved;
}

async function load(
  bench: Workbench,
  base: ResolvedBase,
  fetch: Fetched | null,
  side: BaseWish['side'],
): Promise<CurrentPolicy> {
  const at = await resolveBaseCommit(bench.repository, base, {
    merges: await ourMerges(bench),
    side,
    ...(fetch === null ? {} : { fetched: fetch.status === 'fetched' }),
  });
  const { repository, environment } = bench;
  const read = (from: BaseCommit): Promise<LoadedPolicy> =>
    loadPolicy({ repository, environment, commit: from.oid, ref: from.ref });
  const loaded = await read(at);
  const published = await publishedBase(bench, base, loaded, at);
  const policy = published === null ? loaded : await read(published);
  // The configured prefix is known only now: what lies below it is ours, too (01, Refs).
  checkBaseName(base.name, policy.policy.branch_prefix);
  return { base, at: published ?? at, loaded: policy, fetch };
}

/** Where merges are published, the base is the remote's: the local branch lends no commit (03, "The target"); null: as it is. */
async function publishedBase(
  bench: Workbench,
  base: ResolvedBase,
  loaded: LoadedPolicy,
  at: BaseCommit,
): Promise<BaseCommit | null> {
  if (!loaded.policy.execution.publish || base.remote === null) return null;
  const ref = remoteRef(base.remote, base.name);
  const oid = await (await bench.repository.engine()).resolve(ref);
  return oid === null || ref === at.ref ? null : { ref, oid, unpublished: at.unpublished };
}

/** Merges of ours, by the commit they made (J7). Closed Jobs are read only where the local base is ahead of its remote. */
const ourMerges = async (bench: Workbench): Promise<() => Promise<readonly Merged[]>> => {
  let once: Promise<readonly Merged[]> | undefined;
  return () => {
    once ??= (async () => {
      const snapshot = await bench.store.snapshot();
      const closed = await snapshot.closedJobs();
      // What somebody merged by hand is not ours, though it closed a Job (J31).
      return closed.flatMap(({ merged }) => (merged?.by === 'owl' ? [merged] : []));
    })();
    return once;
  };
};

/** What `add`, `run` and `status` say of merges that are not on the remote yet. */
export function unpublishedNote(current: CurrentPolicy): readonly string[] {
  const { unpublished } = current.at;
  if (unpublished.length === 0) return [];
  const many = unpublished.length === 1 ? '1 merge' : `${unpublished.length} merges`;
  return [
    `${many} on ${current.base.name} ${unpublished.length === 1 ? 'is' : 'are'} not on ${current.base.remote} yet: git push ${current.base.remote} ${current.base.name}`,
  ];
}

/** The ref that a Run names as its base. */
export const baseRef = (current: CurrentPolicy): { readonly ref: RefName; readonly oid: Oid } => ({
  ref: current.at.ref,
  oid: current.at.oid,
});

/** For `status`: the same note from what is known here, asking no remote; silent where no base can be named. */
export async function knownUnpublished(bench: Workbench): Promise<readonly string[]> {
  try {
    return unpublishedNote(await currentPolicy(bench, {}));
  } catch (error) {
    if (isOwlError(error)) return [];
    throw error;
  }
}
