// `worktree`: where the worktree of a Job, or of a Goal's current Round, is (M5, G9), and the list of all of ours.

import { needJobBranch } from '../app/claims/follow-record.js';
import { currentRoundJob } from '../app/goal/round-jobs.js';
import { openRound } from '../app/goal/round-workspace.js';
import { workOrImplied } from '../app/goals.js';
import { jobBranch, ownTip } from '../app/jobs.js';
import { settleLeftovers } from '../app/leftovers.js';
import { lookAt, openWorktree, placeOf, refusedPlace } from '../app/place.js';
import { currentPolicy, wishOf } from '../app/policy.js';
import { openWorkbench, type Workbench } from '../app/workbench.js';
import { loadRegistration, registeredIds } from '../app/workspace/registration.js';
import type { RefusalCode } from '../app/workspace/types.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { OwlError } from '../domain/errors.js';
import type { Goal } from '../domain/goal.js';
import type { Job, JobState } from '../domain/job.js';
import type { Report } from '../output/report.js';
import { type Cell, table } from '../output/table.js';
import type { Snapshot } from '../state/types.js';

/** What a person asked about, and the Job that works there. */
interface Asked {
  readonly job: Job;
  /** Whose current Round the Job does; null: the Job was asked about. */
  readonly goal: Goal | null;
}

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const id = request.args['id'];
  if (id === 'list') return list(bench);
  const asked = await askedOf(await bench.store.snapshot(), bench, id);
  const { path, notes } = request.flag('ensure')
    ? { path: await ensure(bench, asked), notes: [] }
    : await existing(bench, asked);
  const { job, goal } = asked;
  const data = { ...(goal === null ? {} : { goal: goal.id }), job: job.id, path, branch: jobBranch(job) };
  return { kind: 'worktree', data, view: (theme) => [theme.text(path)], notes };
}

async function askedOf(snapshot: Snapshot, bench: Workbench, id: string | undefined): Promise<Asked> {
  const work = await workOrImplied(bench, snapshot, id);
  if (work.kind === 'job') return { job: work.job, goal: null };
  const { goal } = work;
  const job = await currentRoundJob(snapshot, goal);
  if (job !== null) return { job, goal };
  const what = goal.round === 0 ? 'has no round yet' : `has no worktree: round ${goal.round} was not started`;
  throw new OwlError('missing-branch', `goal ${goal.id} ${what}`, { next: [`git owl show ${goal.id}`] });
}

const nameOf = ({ job, goal }: Asked): string => (goal === null ? `job ${job.id}` : `goal ${goal.id}`);

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
  asked: Asked,
): Promise<{ readonly path: string; readonly notes: readonly string[] }> {
  const { job, goal } = asked;
  const place = await lookAt(bench, job, null);
  if (place.kind === 'admitted') return { path: place.workspace.path, notes: [] };
  if (place.kind === 'refused' && THERE.has(place.code))
    return {
      path: await placeOf(bench, job, null),
      notes: [place.message, ...place.next.map((one) => `next: ${one}`)],
    };
  if (place.kind === 'refused') throw refusedPlace(job, place);
  throw new OwlError('missing-branch', `${nameOf(asked)} has no worktree`, {
    next: [`git owl worktree ${goal?.id ?? job.id} --ensure`],
  });
}

async function ensure(bench: Workbench, asked: Asked): Promise<string> {
  const { job, goal } = asked;
  await settleLeftovers(bench);
  if (goal === null) await needJobBranch(bench, job);
  const tip = await ownTip(bench, job);
  if (tip === null) {
    const next = goal === null ? `git owl run ${job.id} --step` : `git owl show ${goal.id}`;
    throw new OwlError('missing-branch', `${nameOf(asked)} has no branch${goal === null ? ' yet' : ' here'}`, {
      next: [next],
    });
  }
  const { policy } = (await currentPolicy(bench, wishOf(job))).loaded;
  if (goal === null) return (await openWorktree(bench, job, policy, tip)).path;
  const found = await openRound(bench, job, policy, tip);
  if (found.kind === 'admitted') return found.workspace.path;
  throw refusedPlace(job, found);
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
