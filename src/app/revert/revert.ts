// What was merged is taken back, a Job's or a Goal's: by a commit for each merge, all in one move of the target, with the lease,
// publication and checkouts of a merge (G52).

import { branchRef, type Oid, type RefName, remoteRef } from '../../domain/git.js';
import { byHand } from '../../domain/undo.js';
import { failpoint } from '../../system/failpoint.js';
import { moveBranchWithCheckouts } from '../follow.js';
import { fetchTarget } from '../land/target.js';
import type { Lease } from '../lease/hold.js';
import { withLease } from '../lease/lease.js';
import { findBelow } from '../publish/look.js';
import { readPublication, refuseUnknown, type Sent } from '../publish/note.js';
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
  await refuseUnknown(bench, unit, { continuing: 'revert' });
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
    const earlier = await readPublication<RevertFacts>(bench, unit);
    const late = earlier === null ? null : await findBelow(bench, earlier.value, found.oid);
    if (late?.kind === 'there') return published(bench, taken, target, late.sent);
    const at = { ref, onto: found.oid, token: lease?.token ?? null };
    const again = earlier?.value.sent.find((one) => isSame(one, taken, found.oid));
    const facts = again === undefined ? factsOf(bench, taken, at, await makeRevert(bench, taken, at)) : again.detail;
    const { commit } = facts;
    if (commit === null) return settled(bench, taken, facts);
    const unconfirmed = await lease?.confirm();
    if (unconfirmed?.kind === 'unreachable') throw remoteError(taken, unconfirmed.why);
    if (unconfirmed?.kind === 'lost') throw busy(taken, unconfirmed.why);
    const pushed = await publishRevert(bench, taken, target, commit, { ...facts, request: taken.request });
    if (pushed.kind === 'moved') continue;
    if (pushed.kind !== 'published') throw notPublished(taken, pushed, byHand(taken.merges.map(({ merge }) => merge)));
    return published(bench, taken, target, pushed.sent);
  }
  throw busy(taken, `${target.branch} of ${target.remote} moves faster than it can be reverted on`);
}

async function published(
  bench: Workbench,
  taken: Taken,
  target: Target,
  sent: Sent<RevertFacts>,
): Promise<RevertResult> {
  const note = { unit: { kind: taken.unit.kind, id: taken.unit.id }, ...target };
  const { work, left } = await settlePublishedRevert(bench, note, sent);
  if (work === null) throw decidedSince(taken);
  const { ref, undone } = sent.detail;
  return { work, ref, commit: sent.commit, undone, left };
}

/** A revert of the same merges that was sent, and did not arrive so far: it is sent once more (G32). */
const isSame = ({ expected, detail }: Sent<RevertFacts>, { merges }: Taken, onto: Oid): boolean =>
  expected === onto &&
  detail.undone.length === merges.length &&
  detail.undone.every(({ merge }, at) => merge === merges[at]?.merge);

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
