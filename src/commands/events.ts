// `events`: the audit log, read from the commits of refine/state (01, Writes).

import { openWorkbench, type Workbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { OwlError } from '../domain/errors.js';
import type { Oid } from '../domain/git.js';
import { encodeJson, success } from '../output/json.js';
import type { Report } from '../output/report.js';
import { EVENT_FIELDS, eventFields, eventsView, type PublishedEvent } from '../output/views/events.js';
import { resolveGoalId, resolveJobId, resolveWorkId } from '../state/resolve-id.js';
import type { Snapshot } from '../state/types.js';

/** Milliseconds between two looks of `-f`. */
const INTERVAL = 500;

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const of = await whose(bench, request);
  if (request.flag('follow')) return follow(context, bench, () => whose(bench, request));
  const limit = request.number('limit');
  const found = await bench.store.events({
    // In another order than theirs the first ones are known only when all are there.
    ...(limit === undefined || request.list('sort').length > 0 ? {} : { limit }),
    ...of,
  });
  const items = found.map(eventFields);
  return {
    kind: 'events',
    data: { items },
    fields: EVENT_FIELDS,
    rows: items as unknown as readonly Readonly<Record<string, unknown>>[],
    view: (theme, width, rows) => eventsView(rows as readonly PublishedEvent[], theme, width, bench.clock.now()),
  };
}

interface Whose {
  readonly job?: string;
  readonly goal?: string;
  readonly jobs?: readonly string[];
}

/** An id of either kind, `--job` or `--goal`: those of one piece of work; of a deleted one, too. */
async function whose(bench: Workbench, request: Request): Promise<Whose> {
  const id = request.args['id'];
  const [job, goal] = [request.text('job'), request.text('goal')];
  if (id !== undefined && (job ?? goal) !== undefined) {
    throw new OwlError('usage', 'an id was given twice', { next: ['git owl events -h'] });
  }
  const snapshot = await bench.store.snapshot();
  if (job !== undefined) return { job: await resolveJobId(snapshot, job) };
  if (goal !== undefined) return ofGoal(snapshot, await resolveGoalId(snapshot, goal));
  if (id === undefined) return {};
  const found = await resolveWorkId(snapshot, id);
  return found.of === 'job' ? { job: found.id } : ofGoal(snapshot, found.id);
}

const ofGoal = async (snapshot: Snapshot, goal: string): Promise<Whose> => ({
  goal,
  jobs: (await snapshot.rounds(goal)).flatMap(({ job }) => (job === null ? [] : [job])),
});

/** New ones as they come, oldest first, until the reader or the person ends it. */
async function follow(context: Context, bench: Workbench, of: () => Promise<Whose>): Promise<Report> {
  const out = context.streams.stdout;
  const signal = AbortSignal.any([context.signal, out.closed]);
  let since: Oid | null = (await bench.store.snapshot()).tip;
  while (!signal.aborted) {
    const { tip } = await bench.store.snapshot();
    if (tip !== null && tip !== since) {
      const found = await bench.store.events({ ...(since === null ? {} : { since }), ...(await of()) });
      for (const item of [...found].reverse().map(eventFields)) print(context, item, bench);
      since = tip;
    }
    await bench.clock.sleep(INTERVAL, signal).catch(() => undefined);
  }
  return { kind: 'events', data: null, view: () => [], streamed: true };
}

function print(context: Context, item: PublishedEvent, bench: Workbench): void {
  const out = context.streams.stdout;
  if (context.options.json) out.write(encodeJson(success('event', item)));
  else
    for (const line of eventsView([item], { ...out.theme, terminal: false }, out.width, bench.clock.now()))
      out.line(line);
}
