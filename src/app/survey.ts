// What `status` says, as data: what runs, what waits and why, what needs a decision, what was left unfinished. Reads only (06).

import { isOwlError } from '../domain/errors.js';
import { isAutomated } from '../domain/goal-machine.js';
import type { Unit } from '../domain/goal-queue.js';
import type { OpenCounts } from '../domain/open-counts.js';
import type { Snapshot } from '../state/types.js';
import { whyElsewhere } from './claims/elsewhere.js';
import { inOrderOfConflicts, sayLater } from './conflicts/order.js';
import { sayDamages } from './damages.js';
import type { FollowNote } from './follow-note.js';
import { wishOfGoal } from './goal/current-target.js';
import { agentOfStep } from './goal/look.js';
import { loadSchedule } from './goal/schedule.js';
import { type CurrentPolicy, currentPolicy, knownUnpublished, wishOf } from './policy.js';
import { sayOpenPublications } from './publish/note.js';
import { agentFor } from './run/agent-choice.js';
import { liveInvocation, whereWeAre } from './skill/live.js';
import { withForeign } from './sync/queue.js';
import type { Workbench } from './workbench.js';

export interface Survey {
  /** false: no state was ever made here. */
  readonly initialized: boolean;
  readonly counts: OpenCounts;
  /** All open Jobs and Goals, in the order in which they would be taken; not the Jobs of Rounds. */
  readonly units: readonly Unit[];
  /** Id -> why it waits. */
  readonly waiting: ReadonlyMap<string, string>;
  /** Id -> the command that lets it go on, of those of `waiting` that have one. */
  readonly remedies: ReadonlyMap<string, string>;
  /** Those of `waiting` that only a change here lets go on. */
  readonly mend: ReadonlySet<string>;
  /** Id -> how it goes on: Goals in the middle of a step on which nothing is at work, here or elsewhere. Empty: as `waiting` says. */
  readonly idle: ReadonlyMap<string, string>;
  /** Checkouts that a moved branch waits for (G33). */
  readonly checkouts: readonly { readonly path: string; readonly ref: string; readonly why: string }[];
  readonly unfinished: readonly string[];
  readonly notes: readonly string[];
}

export async function survey(bench: Workbench): Promise<Survey> {
  const snapshot = await bench.store.snapshot();
  const units = await inOrderOfConflicts(bench, await withForeign(bench, await loadSchedule(bench, snapshot)));
  const notToBeHad = missingHere(bench);
  const waiting = new Map<string, string>();
  const mend = new Set<string>();
  const remedies = new Map<string, string>();
  for (const unit of units) {
    const why = waitsInQueue(unit);
    const elsewhere = unit.kind === 'job' && unit.wait.kind === 'eligible' ? await whyElsewhere(bench, unit.job) : null;
    const missing = why === null && unit.wait.kind === 'eligible' ? await notToBeHad(unit) : null;
    if (missing !== null) mend.add(unit.id);
    const next = elsewhere?.next[0] ?? (unit.wait.kind === 'waits' ? unit.wait.next : undefined);
    if (next !== undefined) remedies.set(unit.id, next);
    const said = why ?? elsewhere?.message ?? missing;
    if (said !== null) waiting.set(unit.id, said);
  }
  return {
    initialized: snapshot.tip !== null,
    counts: await snapshot.openCounts(),
    units,
    waiting,
    mend,
    remedies,
    idle: await idleGoals(bench, snapshot, units, waiting),
    checkouts: await waitingCheckouts(bench),
    unfinished: [
      ...(await sayDamages(snapshot)),
      ...(await bench.notes.list('landing/')).map(
        (note) =>
          `the merge of ${note.name.slice('landing/'.length)} was interrupted; the next command that writes settles it`,
      ),
      ...(await sayOpenPublications(bench)),
    ],
    notes: [...sayLater(units), ...(await stateCheckouts(bench)), ...(await knownUnpublished(bench))],
  };
}

async function idleGoals(
  bench: Workbench,
  snapshot: Snapshot,
  units: readonly Unit[],
  waiting: Survey['waiting'],
): Promise<Survey['idle']> {
  const idle = new Map<string, string>();
  const here = await whereWeAre(bench);
  for (const unit of units) {
    // Of one that is carried the queue says nothing.
    if (unit.kind === 'job' || !isAutomated(unit.goal.status) || unit.wait.kind === 'not-queued') continue;
    if ((await liveInvocation(here, snapshot, unit.goal)) !== null) continue;
    const gone = unit.goal.claim === null ? '' : 'the process that carried it is gone; ';
    idle.set(unit.id, waiting.has(unit.id) ? '' : `${gone}"git owl run" goes on with it`);
  }
  return idle;
}

function waitsInQueue(unit: Unit): string | null {
  if (unit.wait.kind === 'waits') return unit.wait.why;
  const spent = unit.kind === 'job' && unit.job.state === 'pending' && unit.wait.kind === 'not-queued';
  return spent ? 'it has no Runs left' : null;
}

/**
 * Why `run` would pass over a Job or a Goal that may run by itself: its base, its configuration or its agent is not to be had here
 * (J2, J16). Those that want the same are asked about once; no remote is asked.
 */
export function missingHere(bench: Workbench): (unit: Unit) => Promise<string | null> {
  const policies = new Map<string, Promise<CurrentPolicy | string>>();
  const agents = new Map<string, string | null>();
  return async (unit) => {
    const [of, asks] = wantsOf(unit);
    const wish = JSON.stringify(of);
    const policy = policies.get(wish) ?? policyOf(bench, unit).catch(messageOf);
    policies.set(wish, policy);
    const current = await policy;
    if (typeof current === 'string') return current;
    const key = JSON.stringify([wish, asks]);
    if (!agents.has(key)) {
      const choice = agentOf(bench, unit, current);
      agents.set(key, choice?.kind === 'missing' ? choice.why : null);
    }
    return agents.get(key) ?? null;
  };
}

/** What decides where it stands, and what decides who works on it. */
const wantsOf = (unit: Unit): readonly [of: unknown, asks: unknown] =>
  unit.kind === 'job'
    ? [unit.job.base, [unit.job.agent, unit.job.account]]
    : [[unit.goal.target, unit.goal.wish], unit.goal.status];

/** As it is known here. Throws what `currentPolicy` throws. */
export const policyOf = async (bench: Workbench, unit: Unit): Promise<CurrentPolicy> =>
  currentPolicy(bench, unit.kind === 'job' ? wishOf(unit.job) : await wishOfGoal(bench, unit.goal));

const agentOf = (bench: Workbench, unit: Unit, { loaded }: CurrentPolicy) =>
  unit.kind === 'job' ? agentFor(bench, unit.job, loaded.policy) : agentOfStep(bench, unit.goal, loaded.policy);

function messageOf(error: unknown): string {
  if (isOwlError(error)) return error.message;
  throw error;
}

async function waitingCheckouts(bench: Workbench): Promise<Survey['checkouts']> {
  const found: { path: string; ref: string; why: string }[] = [];
  for (const { name } of await bench.notes.list('follow/')) {
    const note = await bench.notes.read<FollowNote>(name);
    if (note === null) continue;
    const { ref, places, waits } = note.value;
    const path = waits?.where ?? places[0]?.path ?? '';
    found.push({
      path,
      ref,
      why: waits?.message ?? 'a move of it was interrupted; the next command that writes finishes it',
    });
  }
  return found;
}

/** A person's checkout of the state branch: its files do not follow (01). */
async function stateCheckouts(bench: Workbench): Promise<readonly string[]> {
  const listing = await bench.repository.git.run(['worktree', 'list', '--porcelain', '-z']);
  return listing.stdout
    .toString('utf8')
    .split('\0\0')
    .filter((tree) => tree.split('\0').includes('branch refs/heads/refine/state'))
    .map(
      (tree) =>
        `refine/state is checked out in ${/^worktree ([^\0]*)/.exec(tree)?.[1] ?? 'a worktree'}; its files do not follow the state`,
    );
}
