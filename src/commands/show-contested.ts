// `show` of what two clones decided differently: what each says, and the commands that settle it (05, S3).

import { contestedHere } from '../app/sync/settle.js';
import { publishContest, takeCommands } from '../app/sync/sides.js';
import type { Workbench } from '../app/workbench.js';
import { EXIT, type OwlError } from '../domain/errors.js';
import { runFields } from '../output/job-fields.js';
import type { Report } from '../output/report.js';
import { section } from '../output/views/fields.js';
import { runLines } from '../output/views/show.js';
import { contestLines } from '../output/views/sync.js';
import type { Snapshot } from '../state/types.js';
import { partsOf } from './stopped.js';

/** `error`: why it cannot be read as one record. Throws it where it is settled by now. */
export async function showContested(bench: Workbench, snapshot: Snapshot, error: OwlError): Promise<Report> {
  const work = (await contestedHere(bench)).find(({ id }) => id === error.data['id']);
  if (work === undefined) throw error;
  const contest = await publishContest(bench, work);
  // Each Run has a record of its own: those of all versions are known.
  const history = work.of === 'job' ? (await snapshot.runs(work.id)).map(runFields) : [];
  const next = takeCommands(contest);
  const now = bench.clock.now();
  return {
    kind: 'show',
    data: { ...contest, contested: true, history, next },
    view: (theme) => [
      ...contestLines(contest, theme),
      ...section(
        theme,
        'Runs',
        history.flatMap((run) => runLines(run, theme, now)),
      ),
    ],
    exit: EXIT.conflict,
    error: { ...partsOf(error), next },
  };
}
