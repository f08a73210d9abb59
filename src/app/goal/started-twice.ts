// A Round that two clones started, each with a Job of its own: once its record says which one is its Job, the other is closed (05, S4).
// What that came to is kept, and the branch of the Round here holds nothing that counts any more.

import type { Oid } from '../../domain/git.js';
import type { Goal, Round } from '../../domain/goal.js';
import type { Job } from '../../domain/job.js';
import { mayHappen, moveJob } from '../../domain/machine.js';
import { isRoundJob } from '../../domain/names.js';
import { reason } from '../../domain/reasons.js';
import type { Snapshot, Tx } from '../../state/types.js';
import { failpoint } from '../../system/failpoint.js';
import { isAlive } from '../../system/processes.js';
import { addTips } from '../claims/known-tips.js';
import { ownTip } from '../jobs.js';
import type { Workbench } from '../workbench.js';

export interface StartedTwice {
  readonly job: Job & { readonly goal: string };
  readonly round: Round;
  /** The Job of the Round. */
  readonly counts: string;
}

/** Jobs of a start that does not count. One that lives here settles first; while it is not decided which start counts there is none. */
export async function findStartedTwice(
  bench: Pick<Workbench, 'environment'>,
  snapshot: Pick<Snapshot, 'openJobs' | 'goal' | 'rounds'>,
): Promise<readonly StartedTwice[]> {
  const found: StartedTwice[] = [];
  for (const job of await snapshot.openJobs()) {
    if (!isRoundJob(job)) continue;
    const { goal: id } = job as Job & { readonly goal: string };
    const goal = await snapshot.goal(id);
    const round = goal.kind === 'found' ? roundOf(await snapshot.rounds(id), goal.record, job) : null;
    if (round === null || round.job === null || round.job === job.id) continue;
    if (job.claim !== null && isAlive(job.claim, await bench.environment.process()) === 'alive') continue;
    found.push({ job: job as StartedTwice['job'], round, counts: round.job });
  }
  return found;
}

const roundOf = (rounds: readonly Round[], goal: Goal, { round }: Job): Round | null =>
  rounds.find(({ goal: of, number }) => of === goal.id && number === round) ?? null;

export const sayStartedTwice = ({ job, round, counts }: StartedTwice): string =>
  `round ${round.number} of goal ${job.goal} is job ${counts}: two clones started it, and that start counts`;

/** Closes them in one write. Returns what was done, a sentence for each. Throws what the store throws. */
export async function closeStartedTwice(bench: Workbench): Promise<readonly string[]> {
  const snapshot = await bench.store.snapshot();
  const first = await findStartedTwice(bench, snapshot);
  if (first.length === 0) return [];
  const tips = new Map<string, Oid>();
  for (const one of first) {
    const tip = await ownTip(bench, one.job);
    const counts = await snapshot.job(one.counts);
    // Where the start that counts was made the branch is its own.
    if (tip === null || (counts.kind === 'found' && counts.record.tip === tip)) continue;
    tips.set(one.job.id, tip);
    // Both have the branch of the Round: that of the other start is not the work of the one that counts.
    await addTips(bench, new Map([[one.counts, tip]]));
  }
  await failpoint('goal.before-close-start');
  const { result } = await bench.store.update<readonly string[]>({ step: 'close-start' }, async (tx) => {
    const closed: string[] = [];
    for (const one of await findStartedTwice(bench, tx)) closed.push(...close(tx, one, tips.get(one.job.id) ?? null));
    return closed;
  });
  await failpoint('goal.after-close-start');
  return result;
}

function close(tx: Tx, one: StartedTwice, tip: Oid | null): readonly string[] {
  const { job } = one;
  if (!mayHappen(job.state, 'cancel')) return [];
  if (tip !== null) tx.keep({ job: job.id, commit: tip, subject: 'tip of a start that does not count' });
  const why = reason('started-twice', sayStartedTwice(one));
  tx.putJob(moveJob(job, { event: 'cancel', to: 'cancelled', op: tx.op, at: tx.now }, { claim: null, reason: why }));
  const said = `job ${job.id}: cancelled, ${why.text}`;
  tx.event({ event: 'job.cancelled', subject: said, job: job.id, goal: job.goal });
  return [said];
}
