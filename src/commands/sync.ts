// `sync`: brings the state of this clone and of a remote together, and settles what is contested (05).

import { settleLeftovers } from '../app/leftovers.js';
import { namedRecord } from '../app/sync/settle.js';
import { takeCommands } from '../app/sync/sides.js';
import { type Synced, syncState } from '../app/sync/sync.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { EXIT, OwlError } from '../domain/errors.js';
import type { Report } from '../output/report.js';
import { syncView } from '../output/views/sync.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const take = request.text('take');
  const named = request.text('record');
  if (take === undefined && named !== undefined)
    throw new OwlError('usage', '--record goes with --take', { next: ['git owl sync -h'] });
  if (take !== undefined && !/^(?:local|remote|[0-9a-f]{4,10})$/.test(take))
    throw new OwlError('usage', '--take is local, remote, or the name of a version', { next: ['git owl sync -h'] });
  const record =
    named === undefined || bench.requestId !== undefined ? (named ?? null) : await namedRecord(bench, named);
  if (!bench.dryRun) await settleLeftovers(bench);
  const synced = await syncState(bench, {
    remote: request.text('remote'),
    take: take === undefined ? null : { take, record },
  });
  bench.progress.done();
  return report(synced, bench.dryRun);
}

function report(synced: Synced, dry: boolean): Report {
  const { contested, damaged, rewritten, remote } = synced;
  const [first] = contested;
  const notes =
    rewritten === null
      ? []
      : [`the history of refine/state on ${remote} was rewritten; what it had, ${rewritten}, is kept in the state`];
  return {
    kind: 'sync',
    data: { ...synced, contested },
    view: (theme) => syncView(synced, theme, dry),
    notes: [
      ...notes,
      ...damaged.map(({ path, why }) => `${path} cannot be read: ${why}; git owl fsck says how to mend it`),
    ],
    ...(first === undefined
      ? {}
      : {
          exit: EXIT.conflict,
          error: {
            code: 'contested',
            message: `two clones decided differently about ${contested.map(({ id }) => id).join(', ')}`,
            preserved: ['both versions are kept; nothing acts on either'],
            next: takeCommands(first),
          },
        }),
  };
}
