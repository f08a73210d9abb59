// Jobs whose branch somebody merged by ordinary Git tooling: they count as accepted (J31). Known refs only, nothing is fetched.

import { decideRemote, parseBaseOption } from '../../domain/base.js';
import { isOwlError, OwlError } from '../../domain/errors.js';
import { branchRef, type Oid, type RefName, remoteRef } from '../../domain/git.js';
import { HANDOFF_PATH } from '../../domain/handoff.js';
import type { Job, Merged } from '../../domain/job.js';
import { mayHappen, moveJob, stands } from '../../domain/machine.js';
import { boundaryFor } from '../../git/boundary.js';
import { changedFiles } from '../../git/diff.js';
import { findLanded, type Landed } from '../../git/landed.js';
import type { RemoteSettings } from '../../git/remote.js';
import { failpoint } from '../../system/failpoint.js';
import { foundJob, jobRef } from '../jobs.js';
import { isLanding } from '../land/landing-note.js';
import type { JobRequest } from '../try.js';
import type { Workbench } from '../workbench.js';

export interface FoundLanded {
  readonly job: Job;
  readonly tip: Oid;
  /** The base that has the work. */
  readonly target: { readonly ref: RefName; readonly oid: Oid };
  /** Where the Job's own commits begin. */
  readonly boundary: Oid;
  readonly how: Extract<Landed, { kind: 'ancestor' | 'squash' | 'patch-ids' }>;
}

/**
 * Open Jobs, not live ones, whose work their base has, as it is known here. Only looks. Where an agent moved the base itself nobody
 * accepted anything: that waits for a person.
 */
export async function findLandedJobs(bench: Workbench): Promise<readonly FoundLanded[]> {
  const open = await (await bench.store.snapshot()).openJobs();
  const jobs = open.filter((job) => mayHaveLanded(job) && job.reason?.code !== 'escaped');
  if (jobs.length === 0) return [];
  const settings = await bench.remotes();
  const found: FoundLanded[] = [];
  for (const job of jobs) {
    const looked = await lookForWork(bench, job, settings);
    if (looked.kind === 'found') found.push(looked.found);
  }
  return found;
}

/** As `findLandedJobs`, for one Job; also for one that was accepted and not merged. */
export const findLandedJob = async (bench: Workbench, job: Job): Promise<FoundLanded | null> => {
  const looked = await lookForJob(bench, job);
  return looked.kind === 'found' ? looked.found : null;
};

/** `reverted`: it landed, and was taken back there. */
export const lookForJob = async (bench: Workbench, job: Job): Promise<Looked> =>
  mayHaveLanded(job) ? lookForWork(bench, job, await bench.remotes()) : { kind: 'no' };

type Looked =
  | { readonly kind: 'found'; readonly found: FoundLanded }
  | { readonly kind: 'reverted'; readonly ref: RefName }
  | { readonly kind: 'no' };

/**
 * A Job that no execute Run has worked on has nothing that could have landed; one that began at somebody's branch has that
 * branch's work until a Run of its own ended.
 */
function mayHaveLanded(job: Job): boolean {
  if (!mayHappen(job.state, landingEvent(job)) || job.onto === null || job.goal !== null || job.merged !== null)
    return false;
  if (job.planned && job.phase === 'plan') return false;
  return job.from === null || job.closure !== null;
}

/** An accepted Job is merged late; any other one is found to have landed. */
const landingEvent = (job: Pick<Job, 'state'>): 'merge' | 'landed' => (job.state === 'done' ? 'merge' : 'landed');

async function lookForWork(bench: Workbench, job: Job, settings: RemoteSettings): Promise<Looked> {
  const engine = await bench.repository.engine();
  const tip = await engine.resolve(jobRef(job));
  if (tip === null || job.onto === null) return { kind: 'no' };
  for (const target of await targetsOf(bench, job, settings)) {
    if (target.oid === job.onto.oid) continue;
    try {
      const boundary = await boundaryOf(bench, job, tip, target.oid);
      const how = await findLanded(bench.repository, {
        base: boundary,
        tip,
        target: target.oid,
        handoffPath: HANDOFF_PATH,
      });
      if (how.kind !== 'no' && how.kind !== 'unknown')
        return { kind: 'found', found: { job, tip, target, boundary, how } };
      // A revert anywhere counts: the work is not wanted there, whatever another copy of the base still has.
      if (how.kind === 'no' && how.because === 'reverted') return { kind: 'reverted', ref: target.ref };
    } catch (error) {
      // One branch that cannot be looked at never stops the others; nothing found is nothing changed.
      if (!isOwlError(error)) throw error;
    }
  }
  return { kind: 'no' };
}

/** The recorded base commit, or a later merge base where somebody rebased the branch by hand; never one that holds the tip itself. */
async function boundaryOf(bench: Workbench, job: Job, tip: Oid, target: Oid): Promise<Oid> {
  const recorded = job.onto?.oid ?? tip;
  const engine = await bench.repository.engine();
  if ((await engine.isAncestor(recorded, tip)) === 'ancestor') return recorded;
  const boundary = await boundaryFor(bench.repository, { recorded, tip, newBase: target });
  return boundary === tip ? recorded : boundary;
}

/** The base of the Job's last Run as it is now: on its remote, and here. */
async function targetsOf(
  bench: Workbench,
  job: Job,
  settings: RemoteSettings,
): Promise<readonly { readonly ref: RefName; readonly oid: Oid }[]> {
  const { name, remote } = baseOf(job, settings);
  const refs = [remote === null ? null : remoteRef(remote, name), branchRef(name)];
  const engine = await bench.repository.engine();
  const targets: { ref: RefName; oid: Oid }[] = [];
  for (const ref of refs) {
    const oid = ref === null ? null : await engine.resolve(ref);
    if (ref !== null && oid !== null && !targets.some((other) => other.oid === oid)) targets.push({ ref, oid });
  }
  return targets;
}

/** Branch and remote behind a ref that a Run recorded as its base. */
export function baseOf(
  job: Pick<Job, 'onto' | 'base'>,
  settings: RemoteSettings,
): { readonly name: string; readonly remote: string | null } {
  const named = parseBaseOption(job.onto?.ref ?? '', { remotes: settings.remotes, isLocal: () => false });
  if (named.remote !== null) return named;
  const { remotes, ofBranch } = settings;
  const option = job.base.remote !== null && remotes.includes(job.base.remote) ? job.base.remote : null;
  return {
    name: named.name,
    remote: decideRemote({ option, configured: null, ofBranch: ofBranch.get(named.name) ?? null, remotes }),
  };
}

export const sayLanded = ({ job, target, how }: FoundLanded): string => {
  const as =
    how.kind === 'ancestor'
      ? 'merged'
      : how.kind === 'squash'
        ? `squashed${how.commit === null ? '' : ` as ${how.commit.slice(0, 10)}`}`
        : 'commit by commit';
  return `the work of job ${job.id} is on ${target.ref} (${as})`;
};

/** Closes one such Job as `done`; its branch stays, as after `accept`. Null: it was decided otherwise meanwhile. */
export async function landByHand(bench: Workbench, found: FoundLanded, request?: JobRequest): Promise<Job | null> {
  const { job, tip, target } = found;
  const merged = await mergedBy(bench, found);
  await failpoint('gc.before-land');
  const updated = await bench.store.update<Job | null>({ step: 'landed', request }, async (tx) => {
    const now = foundJob(job.id, await tx.job(job.id));
    const event = landingEvent(now);
    // A merge of ours, under way in another process: it says so itself.
    if (await isLanding(bench, job.id)) {
      if (request !== undefined) throw superseded(now);
      return null;
    }
    if (!stands(now, job.occurrence) || !mayHappen(now.state, event)) {
      // Not an answer to be remembered.
      if (request !== undefined) throw superseded(now);
      return null;
    }
    const landed = moveJob(
      now,
      { event, to: 'done', op: tx.op, at: tx.now },
      { reason: null, tip, merged: { ...merged, at: tx.now } },
    );
    tx.putJob(landed);
    tx.event({
      event: 'job.landed',
      subject: `job ${job.id}: ${sayLanded(found)} at ${target.oid.slice(0, 10)}; accepted`,
      job: job.id,
    });
    return landed;
  });
  await failpoint('gc.after-land');
  return updated.result;
}

const superseded = (job: Job): OwlError =>
  new OwlError('superseded', `job ${job.id} was decided otherwise meanwhile; it is ${job.state}`, {
    preserved: ['nothing was changed'],
    next: [`git owl show ${job.id}`],
  });

export async function mergedBy(
  bench: Workbench,
  { tip, target, boundary, how }: FoundLanded,
): Promise<Omit<Merged, 'at'>> {
  const counted = await bench.repository.git.run(['rev-list', '--count', '--end-of-options', tip, `^${boundary}`]);
  const files = await changedFiles(bench.repository, boundary, tip, { renames: false });
  return {
    by: 'hand',
    ref: target.ref,
    before: null,
    after: how.kind === 'squash' ? how.commit : null,
    commits: counted.code === 0 ? Number(counted.stdout.toString('latin1').trim()) : 0,
    files: files.filter((file) => file.path !== HANDOFF_PATH).length,
  };
}

/** Closes all such Jobs (J31). Returns one sentence for each. */
export async function settleLanded(bench: Workbench): Promise<readonly string[]> {
  const said: string[] = [];
  for (const found of await findLandedJobs(bench)) {
    if (await landByHand(bench, found)) said.push(`${sayLanded(found)}; it is done`);
  }
  return said;
}
