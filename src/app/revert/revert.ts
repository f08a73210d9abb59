// What was merged is taken back, a Job's or a Goal's: by a commit for each merge, all in one move of the target, with the lease,
// publication and checkouts of a merge (G52).

import { branchRef, type Oid, type RefName, remoteRef } from '../../domain/git.js';
import { byHand } from '../../domain/undo.js';
import { failpoint } from '../../system/failpoint.js';
import { moveBranchWithCheckouts } from '../follow.js';
import { fetchTarget } from '../land/target.js';
import type { Lease } from '../lease/hold.js';
import { withLease } from '../lease/lease.js';
import { refuseUnknown } from '../publish/note.js';
import { type Published, publishCommit, type Target } from '../publish/publish.js';
import { settlePublishedRevert } from '../publish/settle.js';
import type { Workbench } from '../workbench.js';
import { type Made, makeRevert } from './commit.js';
import type { Reverted, RevertFacts, Taken, Undone } from './facts.js';
import { goalPart } from './goal.js';
import { jobPart } from './job.js';
import { dropReverting, takeReverting } from './note.js';
import { busy, decidedSince, inTheWay, noTarget, notPublished, remoteError } from './refusals.js';
import { isDelivered, settleRevert } from './settle.js';

export interface RevertResult {
  readonly work: Reverted;
  readonly ref: RefName;
  /** The last of its commits; null: nothing of any merge was there any more. */
  readonly commit: Oid | null;
  readonly undone: readonly Undone[];
  /** What stays behind. */
  readonly left: readonly string[];
}

/** How often the target may move under a revert. */
const TRIES = 4;

/**
 * Takes merges back, all that the target has or none. Throws OwlError `refused` (not on the target, declined), `conflict`, `busy`, `uncommitted` (files in the way),
 * `superseded`, `remote`.
 */
export async function takeBack(bench: Workbench, taken: Taken): Promise<RevertResult> {
  const { unit, target } = taken;
  await refuseUnknown(bench, unit);
  const work = (lease: Lease | null): Promise<RevertResult> =>
    target.remote === null
      ? revertHere(bench, taken, lease)
      : revertThere(bench, taken, { remote: target.remote, branch: target.name }, lease);
  const leased = await withLease(bench, { target: target.name, remote: target.remote, unit }, work);
  switch (leased.kind) {
    case 'worked':
      return leased.value;
    case 'held':
      throw busy(taken, leased.why);
    case 'unreachable':
      throw remoteError(taken, leased.why);
    case 'impossible':
      if (leased.damaged) throw busy(taken, leased.why);
      return work(null);
  }
}

/** While the lease was waited for, somebody may have decided otherwise, or taken it back. Throws OwlError `superseded`. */
async function checkStill(bench: Workbench, taken: Taken): Promise<void> {
  if (!(await isDelivered(await bench.store.snapshot(), taken.unit, taken))) throw decidedSince(taken);
}

const factsOf = (
  bench: Workbench,
  taken: Taken,
  at: { readonly ref: RefName; readonly onto: Oid; readonly token: number | null },
  made: Made,
): RevertFacts => ({
  ...at,
  commit: made.commit,
  undone: made.undone.map((one) => ({ ...one, evidence: bench.ids.run() })),
  integration: taken.integration,
  op: bench.ids.operation(),
  at: bench.clock.timestamp(),
  request: taken.request,
});

/** Without a remote to publish to: the local branch, with the checkouts that have it open. */
async function revertHere(bench: Workbench, taken: Taken, lease: Lease | null): Promise<RevertResult> {
  const { unit, target } = taken;
  const ref = branchRef(target.name);
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const onto = await (await bench.repository.engine()).resolve(ref);
    if (onto === null) throw noTarget(taken, ref);
    const at = { ref, onto, token: lease?.token ?? null };
    const made = await makeRevert(bench, taken, at);
    const facts = factsOf(bench, taken, at, made);
    if (!(await takeReverting(bench, { unit: { kind: unit.kind, id: unit.id }, facts })))
      throw busy(taken, 'another process is reverting it');
    try {
      await checkStill(bench, taken);
      if (made.commit === null) return await settled(bench, taken, facts);
      await failpoint('revert.before-target');
      const move = { ref, old: onto, new: made.commit, reason: `owl: revert ${unit.kind} ${unit.id}` };
      const moved = await moveBranchWithCheckouts(bench, move);
      await failpoint('revert.after-target');
      if (moved.kind === 'moved') return await settled(bench, taken, facts);
      if (moved.kind === 'waits') throw inTheWay(taken, moved.message, moved.why === 'collision' ? moved.paths : null);
    } finally {
      await dropReverting(bench, unit.id);
    }
  }
  throw busy(taken, `${target.name} moves faster than it can be reverted on`);
}

async function settled(bench: Workbench, taken: Taken, facts: RevertFacts): Promise<RevertResult> {
  const work = await settleRevert(bench, taken.unit, facts);
  if (work === null) throw decidedSince(taken);
  return { work, ref: facts.ref, commit: facts.commit, undone: facts.undone, left: [] };
}

/** On the remote first; what is here follows. */
async function revertThere(bench: Workbench, taken: Taken, target: Target, lease: Lease | null): Promise<RevertResult> {
  const { unit } = taken;
  const ref = remoteRef(target.remote, target.branch);
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const found = await fetchTarget(bench, target);
    if ('why' in found) throw remoteError(taken, found.why);
    await checkStill(bench, taken);
    const at = { ref, onto: found.oid, token: lease?.token ?? null };
    const made = await makeRevert(bench, taken, at);
    const facts = factsOf(bench, taken, at, made);
    if (made.commit === null) return settled(bench, taken, facts);
    if (lease !== null && !(await lease.confirm())) throw busy(taken, `the lease of ${target.branch} was lost`);
    const published = await publishRevert(bench, taken, target, made.commit, facts);
    if (published.kind === 'moved') continue;
    if (published.kind !== 'published')
      throw notPublished(taken, published, byHand(taken.merges.map(({ merge }) => merge)));
    const note = { unit: { kind: unit.kind, id: unit.id }, ...target };
    const { work, left } = await settlePublishedRevert(bench, note, published.sent);
    if (work === null) throw decidedSince(taken);
    const { commit, detail } = published.sent;
    return { work, ref, commit, undone: detail.undone, left };
  }
  throw busy(taken, `${target.branch} of ${target.remote} moves faster than it can be reverted on`);
}

async function publishRevert(
  bench: Workbench,
  taken: Taken,
  target: Target,
  commit: Oid,
  facts: RevertFacts,
): Promise<Published<RevertFacts>> {
  const { kind, id } = taken.unit;
  const part =
    kind === 'job'
      ? await jobPart(bench, taken, target.remote, facts)
      : { record: undefined, state: await goalPart(bench, id, target.remote, facts) };
  return publishCommit<RevertFacts>(bench, {
    unit: { kind, id },
    act: 'revert',
    target,
    send: { commit, expected: facts.onto, detail: { ...facts, record: part.record } },
    state: part.state,
  });
}
