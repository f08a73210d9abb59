// Is what is kept held elsewhere: reached by a branch, or its change contained in a later tip (M12, J36)?

import { isOwlError } from '../../domain/errors.js';
import { isOid, type Oid, type RefName, remoteRef } from '../../domain/git.js';
import { HANDOFF_PATH } from '../../domain/handoff.js';
import type { Job } from '../../domain/job.js';
import { findLanded } from '../../git/landed.js';
import { notReached } from '../../git/reached.js';
import { readChain } from '../../state/chain.js';
import { chainId } from '../../state/layout.js';
import type { StoreEnv } from '../../state/store-env.js';
import type { Workbench } from '../workbench.js';
import { baseOf } from './landed.js';

/** Those of the commits that no branch, remote-tracking branch or tag reaches. In doubt a commit is among them. */
export async function unreached(bench: Workbench, commits: readonly Oid[]): Promise<ReadonlySet<Oid>> {
  const { git } = bench.repository;
  return (await notReached(git, commits, ['--branches', '--remotes', '--tags'])) ?? new Set(commits);
}

/** Full refs that hold a commit so that letting it go here would change nothing: branches, tags, targets, archives. */
export async function holders(bench: Workbench, commit: Oid): Promise<readonly string[]> {
  const prefixes = [
    'refs/heads/',
    'refs/remotes/',
    'refs/tags/',
    'refs/owl/archive/',
    'refs/owl/candidates/',
    'refs/owl/shared/',
  ];
  const found = await bench.repository.git.text([
    'for-each-ref',
    `--contains=${commit}`,
    '--format=%(refname)',
    ...prefixes,
  ]);
  return found === '' ? [] : found.split('\n');
}

/**
 * May all that these chains keep go by itself? Logs may; a commit only when a branch reaches it, or when a tip that a branch
 * reaches contains its change. In doubt it stays.
 */
export async function mayExpire(bench: Workbench, env: StoreEnv, id: string, tips: readonly Oid[]): Promise<boolean> {
  const kept = new Set<Oid>();
  for (const tip of tips)
    for (const link of await readChain(env.objects, tip)) if (link.kept !== null) kept.add(link.kept);
  const alone = await unreached(bench, [...kept]);
  if (alone.size === 0) return true;
  const loaded = await (await bench.store.snapshot()).job(chainId(id));
  if (loaded.kind !== 'found') return false;
  const later = await laterTip(bench, loaded.record);
  if (later === null) return false;
  for (const oid of alone) if (!(await isContained(bench, oid, later))) return false;
  return true;
}

/** The tip that the Job ended with, when a branch reaches it. */
async function laterTip(bench: Workbench, job: Job): Promise<Oid | null> {
  if (job.tip === null || !(await (await bench.repository.engine()).exists([job.tip]))[0]) return null;
  return (await unreached(bench, [job.tip])).size === 0 ? job.tip : null;
}

/** Has the later tip each change of this commit's side, by patch; or would merging it add nothing? */
async function isContained(bench: Workbench, oid: Oid, later: Oid): Promise<boolean> {
  const engine = await bench.repository.engine();
  const bases = await engine.mergeBases(oid, later);
  const base = Array.isArray(bases) ? (bases as readonly Oid[])[0] : undefined;
  if (base === undefined) return false;
  const { git } = bench.repository;
  const merges = await git.run(['rev-list', '--count', '--merges', '--end-of-options', oid, `^${base}`]);
  if (merges.code !== 0 || merges.stdout.toString('latin1').trim() !== '0') return false;
  const cherry = await git.run(['cherry', later, oid]);
  if (cherry.code === 0 && !/^\+/m.test(cherry.stdout.toString('latin1'))) return true;
  try {
    const found = await findLanded(bench.repository, { base, tip: oid, target: later, handoffPath: HANDOFF_PATH });
    return found.kind === 'ancestor' || found.kind === 'squash' || found.kind === 'patch-ids';
  } catch (error) {
    if (!isOwlError(error)) throw error;
    return false;
  }
}

/** Is a merge of ours under the base of the remote, as that is known here (J36)? */
export async function publishedState(bench: Workbench, job: Job): Promise<'yes' | 'no' | 'unknown' | 'not-needed'> {
  if (job.merged === null || job.merged.by !== 'owl') return 'not-needed';
  try {
    const settings = await bench.remotes();
    const { name, remote } = baseOf(
      { ...job, onto: { ref: job.merged.ref, oid: job.onto?.oid ?? ('' as Oid) } },
      settings,
    );
    if (remote === null) return 'not-needed';
    return await isUnder(bench, job, remoteRef(remote, name));
  } catch (error) {
    if (!isOwlError(error)) throw error;
    return 'unknown';
  }
}

async function isUnder(bench: Workbench, job: Job, ref: RefName): Promise<'yes' | 'no' | 'unknown'> {
  const engine = await bench.repository.engine();
  const target = await engine.resolve(ref);
  const tip = job.tip ?? job.merged?.after ?? null;
  if (target === null || tip === null) return 'no';
  const answer = await engine.isAncestor(tip, target);
  if (answer === 'ancestor') return 'yes';
  if (job.onto === null || !isOid(job.onto.oid)) return 'no';
  const found = await findLanded(bench.repository, { base: job.onto.oid, tip, target, handoffPath: HANDOFF_PATH });
  if (found.kind === 'ancestor' || found.kind === 'squash' || found.kind === 'patch-ids') return 'yes';
  return answer === 'not-ancestor' ? 'no' : 'unknown';
}
