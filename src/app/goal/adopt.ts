// `goal adopt`: a Goal in quality from standalone work, a Job's branch or any branch or linked worktree of the user's. One write makes all
// of it, or nothing is left behind (G60).

import { loadPolicy } from '../../config/load.js';
import { gatesDigest } from '../../config/policy.js';
import { isOwlError, OwlError } from '../../domain/errors.js';
import { branchRef, type Oid, type RefName, shortOid, shortRef } from '../../domain/git.js';
import type { Goal } from '../../domain/goal.js';
import { HANDOFF_PATH } from '../../domain/handoff.js';
import { roundBranch } from '../../domain/names.js';
import { promptOf } from '../../domain/round-prompt.js';
import { titleOf } from '../../domain/title.js';
import { changedFiles } from '../../git/diff.js';
import { commitLog } from '../../git/log.js';
import { CANDIDATES_PREFIX } from '../../state/layout.js';
import { readPrompt } from '../enqueue.js';
import { freshId } from '../fresh-id.js';
import { foundGoal } from '../goals.js';
import { lastPosition } from '../queue-places.js';
import { answeredBefore, updateOrTry } from '../try.js';
import type { Workbench } from '../workbench.js';
import { type GoalRequest, newGoal, newRound, readTitle } from './add.js';
import { committedTip, findSource, type Source } from './adopt-source.js';
import { type CurrentTarget, currentTarget, pinOf } from './current-target.js';
import { newRoundJob } from './start.js';
import { namedWish } from './target.js';

export interface AdoptRequest extends Omit<GoalRequest, 'title' | 'queue'> {
  /** A branch, or the path of a linked worktree. */
  readonly source: string;
  readonly title: string | undefined;
  /** Uncommitted work is taken along as a commit of its own. */
  readonly commit: boolean;
}

export interface AdoptedGoal {
  readonly goal: Goal;
  readonly source: string;
  readonly repeated: boolean;
}

/** Throws OwlError `missing-branch`, `reserved-name`, `is-live`, `uncommitted`, `refused` (nothing of its own, no base), `remote`, `usage`. */
export async function adoptWork(bench: Workbench, asked: AdoptRequest): Promise<AdoptedGoal> {
  const given = asked.request === undefined ? undefined : readPrompt(asked.request);
  const request =
    bench.requestId === undefined
      ? undefined
      : { id: bench.requestId, content: { verb: 'goal adopt', ...asked, request: given } };
  const before = await answeredBefore<{ id: string; source: string }>(bench, request);
  if (before !== null) {
    const goal = foundGoal(before.id, await (await bench.store.snapshot()).goal(before.id));
    return { goal, source: before.source, repeated: true };
  }
  const source = await findSource(bench, asked.source);
  const now = await targetFor(bench, asked);
  const { target, remote } = namedWish(wishOf(asked), now.current);
  if (source.ref === branchRef(now.current.base.name)) throw refused(source, 'is the target itself', ['git branch']);
  const tip = await committedTip(bench, source, asked.commit);
  const base = await baseOf(bench, source, tip, now);
  const [last] = await commitLog(bench.repository, base, tip, { limit: 1 });
  const title = titleOf(readTitle(asked.title ?? last?.subject ?? source.name));
  const text = given ?? `Adopted from ${source.name} as it is.`;
  const named = { ...asked, target: target ?? undefined, remote: remote ?? undefined };
  return record(bench, { asked: named, source, now, pair: { base, tip }, title, text, request });
}

const wishOf = ({ target, remote }: AdoptRequest): Goal['wish'] => ({ target: target ?? null, remote: remote ?? null });

/** As `goal add` would resolve it, fetched. */
async function targetFor(bench: Workbench, asked: AdoptRequest): Promise<CurrentTarget> {
  try {
    return await currentTarget(bench, { id: '', target: null, wish: wishOf(asked) });
  } catch (error) {
    if (!isOwlError(error, 'remote')) throw error;
    const next = ['git owl doctor'];
    throw new OwlError('remote', error.message, { preserved: ['nothing was changed'], next, cause: error });
  }
}

/** The merge base with the target; the work has something that the target lacks. */
async function baseOf(bench: Workbench, source: Source, tip: Oid, { at }: CurrentTarget): Promise<Oid> {
  const shared = await (await bench.repository.engine()).mergeBases(tip, at.oid);
  const where = shortRef(at.ref);
  if (typeof shared === 'string')
    throw refused(source, `cannot be compared with ${where}: history is missing here`, ['git fetch --unshallow']);
  const [base] = shared;
  if (base === undefined) throw refused(source, `has no commit in common with ${where}`, [`git log -3 ${tip}`]);
  if (shared.length > 1)
    throw refused(source, `has ${shared.length} merge bases with ${where}; rebase it first`, [
      `git merge-base --all ${tip} ${at.oid}`,
    ]);
  const changed = await changedFiles(bench.repository, base, tip, { renames: false });
  if (changed.some(({ path }) => path !== HANDOFF_PATH)) return base;
  throw refused(source, `has nothing that ${where} lacks`, [`git log --oneline ${shortOid(base)}..${shortOid(tip)}`]);
}

const refused = ({ name }: Source, why: string, next: readonly string[]): OwlError =>
  new OwlError('refused', `${name} ${why}`, { preserved: ['nothing was changed'], next });

interface Adoption {
  readonly asked: AdoptRequest;
  readonly source: Source;
  readonly now: CurrentTarget;
  readonly pair: { readonly base: Oid; readonly tip: Oid };
  readonly title: string;
  readonly text: string;
  readonly request: { readonly id: string; readonly content: unknown } | undefined;
}

async function record(bench: Workbench, adoption: Adoption): Promise<AdoptedGoal> {
  const { asked, source, now, pair, title, text, request } = adoption;
  const base = { ref: now.at.ref, oid: pair.base };
  const { repository, environment } = bench;
  // Its gates are those of its base; a refresh brings those of the target (G22).
  const loaded = await loadPolicy({ repository, environment, commit: pair.base, ref: now.at.ref as RefName });
  const target = { ...pinOf(now), config: loaded.commit, gates: gatesDigest(loaded.policy) };
  let made: Goal | undefined;
  const tried = new Set<string>();
  const step = { step: 'goal-adopt', ...(request === undefined ? {} : { request }) };
  const updated = await updateOrTry<{ id: string; source: string }>(bench, step, async (tx) => {
    const fresh = await newGoal(bench, tx, title, { ...asked, queue: false, round: 1 });
    const candidate = { id: bench.ids.run(), ...pair };
    const goal: Goal = { ...fresh, status: 'quality', target, base, candidate };
    tried.add(goal.id);
    const ref = branchRef(roundBranch(goal.id, 1));
    const round = newRound(goal.id, 1, text, 'adopt', tx.now);
    const queued = newRoundJob(await freshId(bench, tx), goal, round, now, await lastPosition(tx), tx);
    tx.putGoal(goal);
    tx.putJob({
      ...queued,
      planned: false,
      phase: 'execute',
      state: 'review',
      closure: 'resolved',
      onto: base,
      tip: pair.tip,
    });
    tx.putPrompt(queued.id, promptOf(goal, round, [round], []));
    tx.putRound({ ...round, job: queued.id });
    const { id, ...commits } = candidate;
    const of = { schema: 1, kind: 'candidate', goal: goal.id, round: 1 } as const;
    tx.putCandidate({ ...of, id, ...commits, made_by: 'adopt', replaces: null, made: tx.now });
    tx.move({ ref, old: 'absent', new: pair.tip }, `owl: adopt ${source.name}`);
    tx.event({
      event: 'goal.adopted',
      subject: `goal ${goal.id}: adopted from ${source.name} at ${pair.tip}: ${title}`,
      goal: goal.id,
      job: queued.id,
      round: 1,
    });
    made = goal;
    return { id: goal.id, source: source.name };
  }).finally(() => unpin(bench, tried));
  const { id } = updated.result;
  const [lost] = updated.refused;
  if (lost !== undefined) await takeAway(bench, id, lost.message);
  const goal = made?.id === id ? made : foundGoal(id, await (await bench.store.snapshot()).goal(id));
  return { goal, source: source.name, repeated: updated.repeated };
}

/** What is pinned before a write that then fails is of no Goal: each try has its own id. */
async function unpin(bench: Workbench, tried: ReadonlySet<string>): Promise<void> {
  if (bench.dryRun) return;
  const engine = await bench.repository.engine();
  const snapshot = await bench.store.snapshot();
  for (const id of tried) {
    if ((await snapshot.goal(id)).kind !== 'unknown') continue;
    const ref = `${CANDIDATES_PREFIX}${id}` as RefName;
    const old = await engine.resolve(ref);
    if (old !== null) await engine.swap({ ref, old, new: 'absent' }, 'owl: not adopted');
  }
}

/** Its branch could not be made: without it there is no Round. Throws OwlError `name-blocked`. */
async function takeAway(bench: Workbench, id: string, why: string): Promise<never> {
  await bench.store.update({ step: 'goal-adopt' }, async (tx) => {
    for (const { job } of await tx.rounds(id)) if (job !== null) tx.bury(job);
    tx.buryGoal(id);
    tx.event({ event: 'goal.deleted', subject: `goal ${id}: deleted: its branch could not be made`, goal: id });
  });
  throw new OwlError('name-blocked', `nothing was adopted: the branch ${roundBranch(id, 1)} was not made: ${why}`, {
    preserved: ['what was to be adopted is as it was'],
    next: ['git branch --list'],
  });
}
