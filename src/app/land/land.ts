// The merge of a Job: a step of its own after the Run is settled, made from objects outside every worktree (J32 to J37).

import { sayGuarded } from '../../config/guard.js';
import { type ErrorCode, isOwlError } from '../../domain/errors.js';
import { branchRef, type Oid, type RefName } from '../../domain/git.js';
import { HANDOFF_PATH } from '../../domain/handoff.js';
import type { Job } from '../../domain/job.js';
import { needsVerifying } from '../../domain/landing.js';
import { reason } from '../../domain/reasons.js';
import { landingCommit } from '../../git/merge.js';
import { guardedIn } from '../guarded.js';
import { ownTip } from '../jobs.js';
import { baseRef, type CurrentPolicy } from '../policy.js';
import { loadForeign } from '../sync/foreign.js';
import type { Workbench } from '../workbench.js';
import { contained, overtaken } from './before.js';
import { mergeMessage } from './message.js';
import { finishLanding, moveBase } from './move-base.js';
import { escalate, type Landed, type LandRequest } from './outcome.js';
import { publishJob } from './publish-job.js';
import { publishTarget } from './target.js';
import { checkAgain } from './verify-again.js';

/** How often the base may move under a merge before it is given up. */
const TRIES = 3;

/** Failures of the merge itself: a signer, a worktree that cannot be used, Git. What the state or the machine refuse is none. */
const FAILURES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'git-failed',
  'timeout',
  'unreadable-object',
  'refused',
  'workspace',
]);

/** Merges a Job that may land (domain/landing.ts said so). The state is written whatever comes of it; any failure escalates (J35). */
export async function landJob(bench: Workbench, asked: LandRequest): Promise<Landed> {
  const job = (await loadForeign(bench)).stripped(asked.job, asked.current.loaded.policy);
  const provenElsewhere = asked.job.verification?.passed === true && job.verification === null;
  const request = { ...asked, job, provenElsewhere };
  try {
    const target = publishTarget(request);
    return await (target === null ? attemptLanding(bench, request) : publishJob(bench, request, target));
  } catch (error) {
    if (!isOwlError(error) || !FAILURES.has(error.code)) throw error;
    return escalate(bench, request, reason('landing-failed', error.message), 'merge_failed_escalated');
  }
}

async function attemptLanding(bench: Workbench, request: LandRequest): Promise<Landed> {
  const { current } = request;
  const { policy } = current.loaded;
  let { job } = request;
  const engine = await bench.repository.engine();
  const ref = branchRef(current.base.name);
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const other = await overtaken(bench, request.job);
    if (other !== null) return other;
    const tip = await ownTip(bench, job);
    if (tip === null) return { kind: 'gone' };
    const local = await engine.resolve(ref);
    const target = await landingBase(bench, job, current, { ref, oid: local });
    if (target.kind === 'diverged')
      return escalate(bench, request, reason('landing-failed', target.why), 'merge_failed_escalated');
    if (tip === target.base.oid || (await engine.isAncestor(tip, target.base.oid)) === 'ancestor')
      return contained(bench, { ...request, job }, target.base.ref);
    if (needsVerifying(job, { tip, base: target.base.oid }, policy)) {
      const again = await checkAgain(bench, { ...request, job }, tip, target.base);
      if (again.kind !== 'ready') return again;
      job = again.job;
      if (request.byItself && job.verification?.checks.length === 0) return { kind: 'unverified', job };
      continue;
    }
    const guarded = await guardedIn(bench, current.loaded, target.base.oid, tip);
    if (guarded.length > 0 && !request.allowGuarded)
      return { kind: 'guarded', paths: guarded, said: sayGuarded(current.loaded.policy, guarded) };
    const made = await landingCommit(bench.repository, {
      base: target.base.oid,
      tip,
      message: mergeMessage(job, null),
      identity: await bench.repository.identity(),
      signing: policy.signing,
      handoffPath: HANDOFF_PATH,
    });
    const moved = await moveBase(bench, { ...request, job }, { ref, local, tip, made });
    if (moved.kind === 'lost') continue;
    if (moved.kind !== 'moved') return moved;
    return finishLanding(bench, job, moved.note);
  }
  return { kind: 'busy', why: `${current.base.name} moves faster than it can be merged into` };
}

type Target =
  | { readonly kind: 'base'; readonly base: { readonly ref: string; readonly oid: Oid } }
  | { readonly kind: 'diverged'; readonly why: string };

/**
 * The commit that becomes the first parent (J34): the newest of the base as just read, the base that was verified, and the local
 * base where it is ahead of them. A local base behind follows in the same move; one that diverged is somebody's to settle.
 */
async function landingBase(
  bench: Workbench,
  job: Job,
  current: CurrentPolicy,
  local: { readonly ref: RefName; readonly oid: Oid | null },
): Promise<Target> {
  const now = baseRef(current);
  const engine = await bench.repository.engine();
  const within = async (one: Oid, other: Oid): Promise<boolean> =>
    one === other || (await engine.isAncestor(one, other)) === 'ancestor';
  const verified = job.onto;
  let base: Extract<Target, { kind: 'base' }>['base'] = now;
  // Only where the remote could not be asked is the local base older knowledge; a base that was read anew and lies behind was
  // rewound, and what was dropped from it does not come back.
  const older = current.fetch?.status === 'failed';
  if (older && verified !== null && verified.oid !== now.oid && (await within(now.oid, verified.oid))) base = verified;
  if (local.oid === null || (await within(local.oid, base.oid))) return { kind: 'base', base };
  if (await within(base.oid, local.oid)) return { kind: 'base', base: { ref: local.ref, oid: local.oid } };
  return { kind: 'diverged', why: `the local ${local.ref.slice('refs/heads/'.length)} has diverged from ${base.ref}` };
}
