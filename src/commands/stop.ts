// `stop`: ends live Runs, and steps of Goals, of this host (J18).

import { findWork, type Work } from '../app/goals.js';
import { settleLeftovers } from '../app/leftovers.js';
import { liveOf, liveWork, partOf, type Stopped, stopWork } from '../app/run/stop.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { EXIT } from '../domain/errors.js';
import type { Report } from '../output/report.js';
import type { Snapshot } from '../state/types.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const snapshot = await bench.store.snapshot();
  const id = request.args['id'];
  const named = id === undefined ? null : await carrierOf(snapshot, await findWork(snapshot, id));
  const live = named === null ? await liveWork(bench, snapshot) : [await liveOf(bench, snapshot, named)];
  const items: Stopped[] = [];
  if (bench.dryRun) {
    for (const work of live)
      items.push({
        kind: work.kind,
        id: work.kind === 'goal' ? work.goal.id : work.job.id,
        how: 'stopped',
        note: `${partOf(work)} would be stopped`,
      });
  } else {
    await settleLeftovers(bench);
    // One signal ends all that a process carries; a second one would end the process itself.
    const asked = named === null ? new Set<number>() : null;
    items.push(...(await Promise.all(live.map((one) => stopWork(bench, one, request.flag('force'), asked)))));
  }
  const unanswered = items.filter((item) => item.how === 'did not answer' || item.how === 'elsewhere');
  return {
    kind: 'stop',
    data: { items: items.map(({ kind, id, how, note }) => ({ [kind]: id, how, note })) },
    view: (theme) =>
      items.length === 0
        ? ['nothing is live']
        : items.map((item) => `${item.kind} ${theme.id(item.id)}: ${theme.text(item.note)}`),
    exit: unanswered.length > 0 ? EXIT.busy : EXIT.ok,
    notes: unanswered.map((item) => `next: git owl stop --force ${item.id}`),
  };
}

/** The Run of a Round is part of its Goal's step: both end together. */
async function carrierOf(snapshot: Snapshot, work: Work): Promise<Work> {
  if (work.kind === 'goal' || work.job.goal === null) return work;
  const found = await snapshot.goal(work.job.goal);
  return found.kind === 'found' && found.record.claim !== null ? { kind: 'goal', goal: found.record } : work;
}
