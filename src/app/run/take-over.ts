// A Round that goes on from another one: the delta of that Round's Candidate is replayed onto the target as the branch is cut, as far as
// it applies; what does not is named in the Round and in its prompt (G44).

import type { Oid } from '../../domain/git.js';
import type { Candidate } from '../../domain/goal.js';
import { HANDOFF_PATH } from '../../domain/handoff.js';
import type { Job } from '../../domain/job.js';
import { reason } from '../../domain/reasons.js';
import { promptOf } from '../../domain/round-prompt.js';
import { replayPartly } from '../../git/replay-partly.js';
import type { Snapshot, Tx } from '../../state/types.js';
import type { Workbench } from '../workbench.js';
import type { Based, Blocked, BranchRequest } from './branch.js';

export interface TakenOver extends Based {
  /** Written together with the branch. */
  readonly record: (tx: Tx) => Promise<void>;
}

/** Null: this Job begins at the target alone. Blocked where the commits of that Candidate are not in this clone. */
export async function takeOver(bench: Workbench, request: BranchRequest): Promise<TakenOver | Blocked | null> {
  const { job, base, policy } = request;
  const snapshot = await bench.store.snapshot();
  const from = await sourceOf(snapshot, job);
  if (from === null) return null;
  const engine = await bench.repository.engine();
  if (!(await engine.exists([from.base, from.tip])).every(Boolean)) {
    const why = `the Candidate of round ${from.round}, ${from.tip}, is not in this clone`;
    return { kind: 'blocked', reason: reason('unknown-here', why), conflicts: [] };
  }
  const made = await replayPartly(bench.repository, {
    base: from.base,
    tip: from.tip,
    onto: base.oid,
    paths: { handoff: HANDOFF_PATH },
    identity: await bench.repository.identity(),
    signing: policy.signing,
  });
  const { leftOut } = made;
  const some = leftOut.length === 0 ? '' : `; left out: ${leftOut.join(', ')}`;
  return {
    kind: 'based',
    tip: made.tip,
    replayed: { commits: made.commits, flattened: 0, dropped: made.dropped },
    notes: [`what round ${from.round} changed was taken over${some}`],
    record: (tx) => recordLeftOut(tx, job, leftOut),
  };
}

/** The last Candidate that the named Round made itself. */
async function sourceOf(
  snapshot: Snapshot,
  job: Pick<Job, 'goal' | 'round'>,
): Promise<(Pick<Candidate, 'round'> & { readonly base: Oid; readonly tip: Oid }) | null> {
  if (job.goal === null) return null;
  const round = (await snapshot.rounds(job.goal)).find((one) => one.number === job.round);
  if (round === undefined || round.from === null) return null;
  const made = (await snapshot.candidates(job.goal)).filter((one) => one.round === round.from);
  return made.findLast((one) => one.made_by !== 'reconcile') ?? made.at(-1) ?? null;
}

async function recordLeftOut(tx: Tx, job: Job, leftOut: readonly string[]): Promise<void> {
  const loaded = job.goal === null ? null : await tx.goal(job.goal);
  if (loaded?.kind !== 'found') return;
  const rounds = await tx.rounds(loaded.record.id);
  const round = rounds.find((one) => one.number === job.round);
  if (round === undefined) return;
  const next = { ...round, left_out: leftOut };
  tx.putRound(next);
  tx.putPrompt(job.id, promptOf(loaded.record, next, rounds, await tx.evidence(loaded.record.id)));
}
