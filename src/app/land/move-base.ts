// The base moves to the merge commit; then the state says so, then worktree and branch go, in that order. A note of this clone
// lets the next writing command finish what was interrupted (J34, J36).

import type { EventDraft } from '../../domain/events.js';
import { type Oid, type RefName, shortOid, shortRef } from '../../domain/git.js';
import type { Job, Merged } from '../../domain/job.js';
import { sayMerged } from '../../domain/landing.js';
import { mayHappen, moveJob, stands } from '../../domain/machine.js';
import { reason } from '../../domain/reasons.js';
import type { LandingCommit } from '../../git/merge.js';
import { failpoint } from '../../system/failpoint.js';
import { moveBranchWithCheckouts } from '../follow.js';
import { foundJob } from '../jobs.js';
import { deleteBranch, removeWorktreeOf } from '../place.js';
import type { Workbench } from '../workbench.js';
import { isProvenDead } from '../workspace/registration.js';
import { dropLanding, isOthers, type LandingNote, takeLanding } from './landing-note.js';
import { escalate, type Landed, type LandRequest } from './outcome.js';

type Moved = { readonly kind: 'moved'; readonly note: LandingNote } | { readonly kind: 'lost' } | Landed;

/** The base moves by compare-and-swap, with the checkouts that have it open; a note says what it was, should we die here. */
export async function moveBase(
  bench: Workbench,
  landing: LandRequest,
  move: { readonly ref: RefName; readonly local: Oid | null; readonly tip: Oid; readonly made: LandingCommit },
): Promise<Moved> {
  const { job, request } = landing;
  const { ref, local, made, tip } = move;
  const note: LandingNote = {
    job: job.id,
    ref,
    tip,
    merged: { by: 'owl', ref, before: local, after: made.commit, commits: made.commits, files: made.files },
    owner: await bench.environment.process(),
    ...(request === undefined ? {} : { request }),
  };
  const begun = await beginLanding(bench, job, note);
  if (begun.kind !== 'begun') return begun;
  await failpoint('merge.before-base');
  const result = await swapBase(bench, { ref, local, after: made.commit, job: job.id });
  await failpoint('merge.after-base');
  if (result.kind === 'moved') return { kind: 'moved', note };
  await dropLanding(bench, job.id);
  if (result.kind === 'lost') return { kind: 'lost' };
  if (result.collision && !landing.byItself) return { kind: 'in-the-way', why: result.message, paths: result.paths };
  if (result.collision)
    return escalate(
      bench,
      landing,
      reason('landing-failed', result.message, { paths: result.paths }),
      'merge_failed_escalated',
    );
  return { kind: 'busy', why: result.message };
}

type Begun = { readonly kind: 'begun'; readonly job: Job } | Extract<Landed, { readonly kind: 'busy' | 'superseded' }>;

/** Notes that this Job is being merged, and keeps its tip. From here to `dropLanding` no other decision about it is taken. */
export async function beginLanding(bench: Workbench, job: Job, note: LandingNote): Promise<Begun> {
  if (!(await takeLanding(bench, note))) return { kind: 'busy', why: 'another process is merging it' };
  const into = shortRef(note.ref);
  const { result } = await bench.store.update<Job>({ step: 'keep' }, async (tx) => {
    const found = foundJob(job.id, await tx.job(job.id));
    if (!stands(found, job.occurrence) || found.merged !== null) return found;
    // Until the tip is under the remote's base too it stays kept (J36).
    tx.keep({ job: job.id, commit: note.tip, subject: 'merged tip' });
    // A write, so that a decision that was under way is tried again, and then sees the note.
    const next = { ...found, revision: found.revision + 1, updated: tx.now };
    tx.putJob(next);
    tx.event({ event: 'job.landing', subject: `job ${job.id}: its merge into ${into} begins`, job: job.id });
    return next;
  });
  if (stands(result, job.occurrence) && result.merged === null) return { kind: 'begun', job: result };
  await dropLanding(bench, job.id);
  return { kind: 'superseded', job: result };
}

type SwapBase =
  | { readonly kind: 'moved' }
  | { readonly kind: 'lost' }
  | {
      readonly kind: 'waits';
      readonly message: string;
      readonly paths: readonly string[];
      readonly collision: boolean;
    };

async function swapBase(
  bench: Workbench,
  move: { readonly ref: RefName; readonly local: Oid | null; readonly after: Oid; readonly job: string },
): Promise<SwapBase> {
  const why = `owl: merge job ${move.job}`;
  if (move.local === null) {
    const made = await (await bench.repository.engine()).swap({ ref: move.ref, old: 'absent', new: move.after }, why);
    if (made.kind === 'moved') return { kind: 'moved' };
    return made.kind === 'lost'
      ? { kind: 'lost' }
      : { kind: 'waits', message: made.message, paths: [], collision: made.kind === 'impossible' };
  }
  const moved = await moveBranchWithCheckouts(bench, { ref: move.ref, old: move.local, new: move.after, reason: why });
  if (moved.kind !== 'waits') return { kind: moved.kind };
  return { kind: 'waits', message: moved.message, paths: moved.paths, collision: moved.why === 'collision' };
}

const short = (oid: Oid | null): string => (oid === null ? 'nothing' : shortOid(oid));

// Whole ids are in the record that this commit writes: a subject has no room for two.
export const mergedEvent = (job: Pick<Job, 'id'>, note: Pick<LandingNote, 'ref' | 'merged'>): EventDraft => ({
  event: 'task_merged',
  subject: `job ${job.id}: merged ${sayMerged(note.merged)} into ${shortRef(note.ref)}: ${short(note.merged.before)}..${short(note.merged.after)}`,
  job: job.id,
});

/** Was the record made from exactly this one? */
const isNextOf = (next: Job, now: Job): boolean =>
  next.revision === now.revision + 1 &&
  next.occurrence.number === now.occurrence.number + 1 &&
  next.created === now.created;

/** The state says that it is merged; then worktree and branch go, in that order (J36). Repeatable. */
export async function finishLanding(bench: Workbench, job: Job, note: Omit<LandingNote, 'owner'>): Promise<Landed> {
  const { request } = note;
  const updated = await bench.store.update<Job>({ step: 'merged', request }, async (tx) => {
    const now = foundJob(job.id, await tx.job(job.id));
    if (now.merged?.after === note.merged.after) return now;
    const merged: Merged = { ...note.merged, at: tx.now };
    const done = { merged, reason: null, tip: note.tip };
    if (note.record !== undefined && isNextOf(note.record, now)) {
      tx.putJob(note.record);
      tx.event(mergedEvent(job, note));
      return note.record;
    }
    // A decision that came in between does not undo what is on the base: the effect is recorded.
    const next =
      now.merged === null && (now.state === 'review' || now.state === 'done')
        ? moveJob(now, { event: 'merge', to: 'done', op: tx.op, at: tx.now }, done)
        : { ...now, ...done, revision: now.revision + 1, updated: tx.now };
    tx.putJob(next);
    tx.event(mergedEvent(job, note));
    return next;
  });
  await failpoint('merge.after-state');
  const left: string[] = [];
  const worktree = await removeWorktreeOf(bench, updated.result, null);
  if (worktree !== null) left.push(worktree);
  await failpoint('merge.after-worktree');
  if (worktree === null) {
    const branch = await deleteBranch(bench, updated.result, note.tip);
    if (branch !== null) left.push(branch);
  }
  await dropLanding(bench, note.job);
  await failpoint('merge.after-branch');
  const merged = updated.result.merged;
  if (merged === null) return { kind: 'gone' };
  return { kind: 'merged', job: updated.result, merged, left };
}

/** A merge that somebody was making when they died: finished when the base has it, else void. Returns one sentence for each. */
export async function resumeLandings(bench: Workbench): Promise<readonly string[]> {
  const said: string[] = [];
  const engine = await bench.repository.engine();
  const here = await bench.environment.process();
  for (const { name, oid } of await bench.notes.list('landing/')) {
    const note = await bench.notes.read<LandingNote>(name);
    // A live owner finishes its merge itself.
    if (note === null || (await isOthers(bench, note.value))) continue;
    const { value } = note;
    if (value.published === true) {
      if (isProvenDead(value.owner, here)) await bench.notes.remove(name, oid);
      continue;
    }
    const loaded = await (await bench.store.snapshot()).job(value.job);
    const tip = await engine.resolve(value.ref);
    const after = value.merged.after;
    const there =
      tip !== null && after !== null && (tip === after || (await engine.isAncestor(after, tip)) === 'ancestor');
    if (there && loaded.kind === 'found') {
      const landed = await finishLanding(bench, loaded.record, value);
      const left = landed.kind === 'merged' ? landed.left : [];
      said.push([`job ${value.job}: its merge was interrupted and is finished`, ...left].join('; '));
    } else if (loaded.kind !== 'found' || !mayHappen(loaded.record.state, 'merge') || tip !== value.merged.before) {
      await bench.notes.remove(name, oid);
    }
  }
  return said;
}
