// After an agent, whatever the reason it ended: where its worktree stands, what it left uncommitted, what it touched outside
// (J16b, J19). Everything is kept before it is judged.

import type { AgentEnd } from '../../domain/closure.js';
import type { Oid } from '../../domain/git.js';
import { HANDOFF_PATH } from '../../domain/handoff.js';
import type { Reason } from '../../domain/job.js';
import { changeNote } from '../../domain/observation.js';
import { reason } from '../../domain/reasons.js';
import { changedFiles } from '../../git/diff.js';
import { makeBranchAgain } from '../branch-again.js';
import { jobBranch, jobRef } from '../jobs.js';
import { compareWithNow, type RepositoryObservation, type WatchRequest } from '../watch-repository.js';
import type { Workbench } from '../workbench.js';
import { admit } from '../workspace/admit.js';
import { type Cleanliness, cleanliness } from '../workspace/cleanliness.js';
import { commitAll } from '../workspace/commit-all.js';
import { removeLeftLocks } from '../workspace/left-locks.js';
import { snapshotWip } from '../workspace/snapshot.js';
import type { Admission } from '../workspace/types.js';
import { keepLost } from './keep-lost.js';
import type { Ready } from './prepare.js';
import { keepOnly } from './settle.js';

export interface Aftermath {
  readonly tip: Oid;
  /** What alone stops the Job; null: nothing. */
  readonly obstacle: Reason | null;
  readonly degraded: boolean;
  /** What the worktree was found to be, where nothing was uncommitted in it; else null. */
  readonly clean: Cleanliness | null;
  readonly notes: readonly string[];
}

/** What is watched while the agent of this Run is at work. */
export const watchOf = (ready: Ready): WatchRequest => ({
  branch: jobRef(ready.job),
  admin: ready.workspace.admin,
  prefix: ready.current.loaded.policy.branch_prefix,
});

export async function lookAfter(
  bench: Workbench,
  ready: Ready,
  before: RepositoryObservation,
  end: AgentEnd,
): Promise<Aftermath> {
  const { job, run, workspace } = ready;
  const notes: string[] = [];
  let obstacle: Reason | null = null;
  let degraded = false;
  // The agent's group is ended: a lock that it left behind holds nobody's work any more.
  notes.push(...(await removeLeftLocks(workspace)));
  const engine = await bench.repository.engine();
  let tip = await engine.resolve(jobRef(job));
  // Side by side: neither writes. Without its branch the worktree is looked at once that is there again.
  const [{ differences, lost }, early] = await Promise.all([
    compareWithNow(bench.repository, before, watchOf(ready)),
    tip === null ? null : lookAtPlace(bench, ready),
  ]);
  for (const difference of differences) {
    notes.push(changeNote(difference));
    if (difference.escaped) {
      obstacle ??= reason('escaped', `the agent changed what is not its own: ${difference.what}`);
      degraded = true;
    }
  }
  notes.push(...(await keepLost(bench, { id: job.id, work: `run ${run.number}` }, lost)));

  if (tip === null) {
    const branch = { ref: jobRef(job), oid: ready.tip, work: job.goal ?? job.id };
    const again = await makeBranchAgain(bench, branch, 'owl: the branch was gone after the agent');
    const name = jobBranch(job);
    const how = again === 'closed' ? 'stays so: its work is closed' : 'was made again at the tip before the agent';
    notes.push(`the branch ${name} was gone and ${how}`);
    obstacle ??= reason(
      'wrong-branch',
      again === 'closed'
        ? `the branch ${name} is gone, and its work is closed`
        : `the agent removed the branch ${name}`,
    );
    tip = (await engine.resolve(jobRef(job))) ?? ready.tip;
  } else if (tip !== ready.tip && (await engine.isAncestor(ready.tip, tip)) === 'not-ancestor') {
    await keepOnly(bench, job.id, [
      { commit: ready.tip, subject: `tip before the agent of run ${run.number} rewrote the branch` },
    ]);
    notes.push('the agent rewrote the branch; the tip before it is kept');
  }

  const { place, state } = early ?? (await lookAtPlace(bench, ready));
  if (state === null) {
    degraded = true;
    const strayed = await strayCommits(bench, ready);
    if (strayed !== null) {
      await keepOnly(bench, job.id, [{ commit: strayed, subject: `commits of run ${run.number} outside its branch` }]);
      notes.push(`commits outside the branch are kept: ${strayed}`);
    }
    if (obstacle !== null && place.kind === 'refused') notes.push(place.message);
    obstacle ??=
      place.kind === 'missing'
        ? reason('workspace', 'the worktree is gone')
        : reason(
            place.code === 'operation'
              ? 'operation-in-progress'
              : place.code === 'wrong-branch'
                ? 'wrong-branch'
                : 'workspace',
            place.message,
          );
    return { tip, degraded, clean: null, ...(await withCarried(bench, ready, tip, { obstacle, notes })) };
  }

  if (!state.clean) {
    const wip = await snapshotWip(bench.repository, place.workspace, { base: ready.base.oid, copied: ready.copied });
    if (wip.kind === 'taken')
      await keepOnly(bench, job.id, [{ commit: wip.commit, subject: `wip of run ${run.number}` }]);
    if (end.kind === 'succeeded' && obstacle === null) {
      const committed = await commitAll(bench, place.workspace, {
        message: `Uncommitted work of run ${run.number}`,
        exclude: [],
        signing: ready.current.loaded.policy.signing,
        base: ready.base.oid,
        copied: ready.copied,
      });
      if (committed.kind === 'committed') {
        tip = committed.tip;
        notes.push('what the agent left uncommitted was committed', ...committed.notes);
      } else if (committed.kind === 'too-much') {
        obstacle = reason(
          'too-much-uncommitted',
          `the agent left ${committed.files} uncommitted files of ${committed.bytes} bytes, too much to commit unseen`,
          { paths: committed.paths },
        );
      } else if (committed.kind === 'locked') {
        obstacle = reason('workspace', `the worktree stayed locked after the agent had ended: ${committed.by}`);
      } else if (committed.kind === 'lost') {
        obstacle = reason('wrong-branch', `the branch ${jobBranch(job)} moved after the agent had ended`);
      }
    }
  }
  const clean = state.clean ? state : null;
  return { tip, degraded, clean, ...(await withCarried(bench, ready, tip, { obstacle, notes })) };
}

type Place =
  | { readonly place: Extract<Admission, { kind: 'admitted' }>; readonly state: Cleanliness }
  | { readonly place: Exclude<Admission, { kind: 'admitted' }>; readonly state: null };

/** Whether the worktree still is this Job's, and what is uncommitted in it. */
async function lookAtPlace(bench: Workbench, { job, workspace }: Ready): Promise<Place> {
  const place = await admit(bench, {
    id: job.id,
    path: workspace.path,
    expected: { kind: 'sole-branch', ref: jobRef(job) },
  });
  return place.kind === 'admitted'
    ? { place, state: await cleanliness(bench.repository, place.workspace) }
    : { place, state: null };
}

/** A copied file on the branch goes before any other obstacle: the Run's reason is what keeps that tip in this clone (J15). */
async function withCarried(
  bench: Workbench,
  ready: Ready,
  tip: Oid,
  { obstacle, notes }: Pick<Aftermath, 'obstacle' | 'notes'>,
): Promise<Pick<Aftermath, 'obstacle' | 'notes'>> {
  const carried = await copiedFile(bench, ready, tip);
  if (carried === null) return { obstacle, notes };
  return { obstacle: carried, notes: obstacle === null ? notes : [...notes, obstacle.text] };
}

/** HEAD of a worktree that is not on its branch any more, where it holds commits that the branch does not have. */
async function strayCommits(bench: Workbench, ready: Ready): Promise<Oid | null> {
  const head = await bench.repository.git.run(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], {
    checkout: ready.workspace.checkout,
  });
  const oid = head.stdout.toString('utf8').trim();
  if (head.code !== 0 || oid === '') return null;
  const engine = await bench.repository.engine();
  const tip = (await engine.resolve(jobRef(ready.job))) ?? ready.tip;
  return (await engine.isAncestor(oid as Oid, tip)) === 'ancestor' ? null : (oid as Oid);
}

/** A tip that carries a copied file, or a blob equal to one, is never landed (J15). */
export async function copiedFile(
  bench: Workbench,
  ready: Pick<Ready, 'copied' | 'base'>,
  tip: Oid,
): Promise<Reason | null> {
  if (ready.copied.length === 0) return null;
  const blobs = new Map(ready.copied.map((file) => [file.oid, file.path]));
  const carried = (await changedFiles(bench.repository, ready.base.oid, tip, { renames: false })).filter(
    (file) => file.path !== HANDOFF_PATH && file.newOid !== null && blobs.has(file.newOid),
  );
  if (carried.length === 0) return null;
  return reason('copied-file', `the branch carries a copied file: ${carried.map((file) => file.path).join(', ')}`, {
    paths: carried.map((file) => file.path),
  });
}
