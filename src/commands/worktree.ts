// `worktree`: where the worktree of a Job is, and the list of all of ours.

import { needJobBranch } from '../app/claims/follow-record.js';
import { jobBranch, jobOrImplied, ownTip } from '../app/jobs.js';
import { settleLeftovers } from '../app/leftovers.js';
import { lookAt, openWorktree, placeOf, refusedPlace } from '../app/place.js';
import { currentPolicy, wishOf } from '../app/policy.js';
import { openWorkbench, type Workbench } from '../app/workbench.js';
import { loadRegistration, registeredIds } from '../app/workspace/registration.js';
import type { RefusalCode } from '../app/workspace/types.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { OwlError } from '../domain/errors.js';
import type { Job, JobState } from '../domain/job.js';
import type { Report } from '../output/report.js';
import { type Cell, table } from '../output/table.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const id = request.args['id'];
  if (id === 'list') return list(bench);
  const job = await jobOrImplied(bench, await bench.store.snapshot(), id);
  const { path, notes } = request.flag('ensure')
    ? { path: await ensure(bench, job), notes: [] }
    : await existing(bench, job);
  const data = { job: job.id, path, branch: jobBranch(job) };
  return { kind: 'worktree', data, view: (theme) => [theme.text(path)], notes };
}

/** In our place, and not as a Run needs it: the way there is what a person asks for, to look at it or to mend it. */
const THERE: ReadonlySet<RefusalCode> = new Set<RefusalCode>([
  'wrong-branch',
  'wrong-commit',
  'operation',
  'locked',
  'configuration',
  'replaced',
  'backlink',
  'unregistered',
]);

async function existing(
  bench: Workbench,
  job: Job,
): Promise<{ readonly path: string; readonly notes: readonly string[] }> {
  const place = await lookAt(bench, job, null);
  if (place.kind === 'admitted') return { path: place.workspace.path, notes: [] };
  if (place.kind === 'refused' && THERE.has(place.code))
    return {
      path: await placeOf(bench, job, null),
      notes: [place.message, ...place.next.map((one) => `next: ${one}`)],
    };
  if (place.kind === 'refused') throw refusedPlace(job, place);
  throw new OwlError('missing-branch', `job ${job.id} has no worktree`, {
    next: [`git owl worktree ${job.id} --ensure`],
  });
}

async function ensure(bench: Workbench, job: Job): Promise<string> {
  await settleLeftovers(bench);
  await needJobBranch(bench, job);
  const tip = await ownTip(bench, job);
  if (tip === null)
    throw new OwlError('missing-branch', `job ${job.id} has no branch yet`, { next: [`git owl run ${job.id} --step`] });
  const { policy } = (await currentPolicy(bench, wishOf(job))).loaded;
  return (await openWorktree(bench, job, policy, tip)).path;
}

interface WorktreeRow {
  readonly job: string;
  readonly path: string;
  /** null: the Job's record cannot be read here. */
  readonly branch: string | null;
  readonly state: JobState | null;
}

const WORKTREE_FIELDS = ['job', 'path', 'branch', 'state'] as const satisfies readonly (keyof WorktreeRow)[];

async function list(bench: Workbench): Promise<Report> {
  const snapshot = await bench.store.snapshot();
  const rows: WorktreeRow[] = [];
  for (const id of await registeredIds(bench.notes)) {
    const note = await loadRegistration(bench.notes, id);
    const loaded = await snapshot.job(id);
    if (note === null) continue;
    rows.push({
      job: id,
      path: note.value.path,
      branch: loaded.kind === 'found' ? jobBranch(loaded.record) : null,
      state: loaded.kind === 'found' ? loaded.record.state : null,
    });
  }
  return {
    kind: 'worktrees',
    data: { items: rows },
    rows,
    fields: WORKTREE_FIELDS,
    view: (theme, width, chosen) =>
      table(
        theme,
        width,
        [{ title: 'job' }, { title: 'state' }, { title: 'path' }],
        (chosen as typeof rows).map((row): readonly Cell[] => [
          { text: row.job, role: 'id' },
          { text: row.state ?? 'unknown', role: 'state' },
          { text: row.path, role: 'path' },
        ]),
      ),
  };
}
