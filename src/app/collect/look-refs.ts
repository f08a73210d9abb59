// Refs of ours as `gc` sees them: branches below the prefix, what is kept, archives (M2, M12, J36).

import type { Item, RecordFacts } from '../../domain/collect.js';
import { decideBranch, decideKept, decideMonth, decideShared, outlives } from '../../domain/collect-refs.js';
import { branchName, type Oid, type RefName } from '../../domain/git.js';
import type { Job } from '../../domain/job.js';
import { ROUND_PREFIX } from '../../domain/names.js';
import type { Policy } from '../../domain/policy.js';
import { checkedOutAt } from '../../git/branch.js';
import { expireMonths } from '../../state/archive.js';
import {
  ARCHIVE_PREFIX,
  CANDIDATES_PREFIX,
  chainId,
  chainOf,
  isWorkId,
  KEEP_PREFIX,
  SHARED_PREFIX,
} from '../../state/layout.js';
import type { StoreEnv } from '../../state/store-env.js';
import type { Snapshot } from '../../state/types.js';
import { jobRef } from '../jobs.js';
import type { Workbench } from '../workbench.js';
import { loadRegistration } from '../workspace/registration.js';
import { mayExpire, publishedState } from './contained.js';
import { loadRecord } from './records.js';

export interface RefsListed {
  readonly branches: readonly { readonly ref: RefName; readonly oid: Oid }[];
  readonly kept: readonly { readonly ref: RefName; readonly oid: Oid }[];
  readonly shared: readonly { readonly ref: RefName; readonly oid: Oid }[];
}

/** What there is, before the state is read (M1). */
export async function listRefs(bench: Workbench): Promise<RefsListed> {
  const engine = await bench.repository.engine();
  const kept = [...(await engine.list(KEEP_PREFIX)), ...(await engine.list(CANDIDATES_PREFIX))];
  return { branches: await engine.list('refs/heads/'), kept, shared: await engine.list(SHARED_PREFIX) };
}

export interface BranchRequest {
  readonly ref: RefName;
  readonly oid: Oid;
  readonly id: string;
  /** Tip of the base, to count what a branch without a record has of its own; null: not known. */
  readonly base: Oid | null;
  /** Ids whose worktree goes before the branch. */
  readonly going: ReadonlySet<string>;
}

/** Those that are in use, longest first. */
export async function prefixesInUse(
  snapshot: Snapshot,
  policy: Pick<Policy, 'branch_prefix'>,
): Promise<readonly string[]> {
  const open = await snapshot.openJobs();
  const prefixes = [...new Set(['owl/', policy.branch_prefix, ...open.map((job) => job.prefix)])].filter(
    (prefix) => prefix.endsWith('/') && prefix !== ROUND_PREFIX,
  );
  return prefixes.sort((one, two) => two.length - one.length);
}

export interface OwnBranch {
  readonly ref: RefName;
  readonly oid: Oid;
  /** That it is named for. */
  readonly id: string;
  /** Has it the whole form of a Job's branch: prefix, id and slug? */
  readonly exact: boolean;
}

/**
 * Branches below the prefixes that are in use, and those that a record names although its prefix is in use no more. Those of Rounds stay
 * with their Goal.
 */
export async function ownBranches(
  snapshot: Snapshot,
  branches: RefsListed['branches'],
  policy: Pick<Policy, 'branch_prefix'>,
): Promise<readonly OwnBranch[]> {
  const prefixes = await prefixesInUse(snapshot, policy);
  const own: OwnBranch[] = [];
  for (const { ref, oid } of branches) {
    const name = branchName(ref) ?? '';
    if (name.startsWith(ROUND_PREFIX)) continue;
    const prefix = prefixes.find((one) => name.startsWith(one));
    const parts = name.slice(prefix?.length ?? 0).split('/');
    const id = (prefix === undefined ? parts.at(-2) : parts[0]) ?? '';
    if (prefix !== undefined || (await namesBranch(snapshot, id, ref)))
      own.push({ ref, oid, id, exact: prefix === undefined || parts.length === 2 });
  }
  return own;
}

/** Is that the branch of the Job with this id? */
export async function namesBranch(snapshot: Snapshot, id: string, ref: RefName): Promise<boolean> {
  if (!isWorkId(id)) return false;
  const loaded = await snapshot.job(id);
  return loaded.kind === 'found' && jobRef(loaded.record) === ref;
}

/** Is it a name that is retired as those of Rounds are, and not one that goes by itself (M10)? */
export async function isRetirable(
  bench: Workbench,
  snapshot: Snapshot,
  { ref, id, exact }: OwnBranch,
): Promise<boolean> {
  const record = await loadRecord(bench, snapshot, id);
  if (!outlives(record)) return false;
  return record.kind === 'job' ? jobRef(record.job) === ref : exact;
}

/** One branch as it is now; also called again at the moment of acting. */
export async function branchItem(bench: Workbench, snapshot: Snapshot, request: BranchRequest): Promise<Item> {
  const { ref, oid, id } = request;
  const record = await loadRecord(bench, snapshot, id);
  const job = record.kind === 'job' ? record.job : null;
  const mayGo = job !== null && (job.merged?.by === 'owl' || job.dropped !== null);
  return decideBranch({
    ref,
    id,
    record,
    named: job === null || job.onto === null ? null : jobRef(job),
    heldBy: mayGo ? await heldBy(bench, job, oid) : null,
    openIn: mayGo ? await openIn(bench, ref, id, request.going) : null,
    ahead: job === null ? await ahead(bench, oid, request.base) : null,
  });
}

/** Where the tip stays reachable when the branch goes. */
async function heldBy(bench: Workbench, job: Job, oid: Oid): Promise<string | null> {
  const engine = await bench.repository.engine();
  const target = job.merged === null ? null : await engine.resolve(job.merged.ref);
  if (target !== null && (await engine.isAncestor(oid, target)) === 'ancestor')
    return `merged into ${job.merged?.ref ?? ''}`;
  const kept = (await bench.store.kept(job.id)).flatMap((link) => link.kept ?? []);
  if (kept.includes(oid)) return 'kept';
  for (const one of new Set(kept)) if ((await engine.isAncestor(oid, one)) === 'ancestor') return 'kept';
  return null;
}

async function openIn(bench: Workbench, ref: RefName, id: string, going: ReadonlySet<string>): Promise<string | null> {
  const own = going.has(id) ? (await loadRegistration(bench.notes, id))?.value.path : undefined;
  return (await checkedOutAt(bench.repository, ref)).find((open) => open.path !== own)?.path ?? null;
}

async function ahead(bench: Workbench, oid: Oid, base: Oid | null): Promise<number | null> {
  if (base === null) return null;
  const counted = await bench.repository.git.run(['rev-list', '--count', '--end-of-options', oid, `^${base}`]);
  return counted.code === 0 ? Number(counted.stdout.toString('latin1').trim()) : null;
}

/** One `refs/owl/keep/<id>` or `refs/owl/candidates/<goal>`; `landed`: J31 is about to close it. */
export async function keptItem(
  bench: Workbench,
  snapshot: Snapshot,
  ref: RefName,
  month: string,
  landed: ReadonlySet<string>,
): Promise<Item> {
  const id = chainId(chainOf(ref) ?? '');
  const loaded: RecordFacts = isWorkId(id) ? await loadRecord(bench, snapshot, id) : { kind: 'unknown' };
  const record: RecordFacts =
    loaded.kind === 'job' && landed.has(id) ? { ...loaded, job: { ...loaded.job, state: 'done' } } : loaded;
  const published = record.kind === 'job' ? await publishedState(bench, record.job) : 'not-needed';
  return decideKept({ ref, id, record, published }, month);
}

/** One `refs/owl/shared/<job>`. */
export async function sharedItem(bench: Workbench, snapshot: Snapshot, ref: RefName): Promise<Item> {
  const id = ref.slice(SHARED_PREFIX.length);
  const record: RecordFacts = isWorkId(id) ? await loadRecord(bench, snapshot, id) : { kind: 'unknown' };
  return decideShared({ ref, id, record });
}

/** The archives of months, with what would expire of each. */
export async function monthItems(bench: Workbench, env: StoreEnv, keepMs: number): Promise<readonly Item[]> {
  const mayGo = (id: string, tips: readonly Oid[]): Promise<boolean> => mayExpire(bench, env, id, tips);
  const months = await expireMonths(env, keepMs, { dryRun: true, mayGo });
  return months.map((month) => decideMonth({ ...month, ref: `${ARCHIVE_PREFIX}${month.month}` }));
}
