// `review`: what must not be overlooked, intent, Handoff, change, checks and open questions of one Job or Goal in one place, for people,
// as JSON, or as one page (06, G50).

import { needJobCommits } from '../app/claims/elsewhere.js';
import { workTip } from '../app/claims/standing.js';
import { workOrImplied } from '../app/goals.js';
import { currentPolicy, wishOf } from '../app/policy.js';
import { failuresOfJob } from '../app/run/failures.js';
import { openWorkbench, type Workbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { OwlError } from '../domain/errors.js';
import type { Job, Run } from '../domain/job.js';
import { nextCommands } from '../domain/next.js';
import { undoJob } from '../domain/undo.js';
import { diffLines } from '../output/diff-lines.js';
import { checkFields, failureFields } from '../output/job-fields.js';
import type { Report } from '../output/report.js';
import type { ReviewData } from '../output/review-fields.js';
import { reviewView } from '../output/views/review.js';
import type { Snapshot } from '../state/types.js';
import { describeJob } from './describe.js';
import { lookAtChange, notesOf, type Reviewed, summaryOf } from './review-change.js';
import { reviewGoal } from './review-goal.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const snapshot = await bench.store.snapshot();
  const work = await workOrImplied(bench, snapshot, request.args['id']);
  const { data, diff } =
    work.kind === 'goal' ? await reviewGoal(bench, snapshot, work.goal) : await reviewJob(bench, snapshot, work.job);
  const published = { ...data, diff };
  if (request.flag('html')) return pageReport(context, data, published);
  return {
    kind: 'review',
    data: published,
    view: (theme) => [...reviewView(data, theme), '', theme.heading('Diff'), ...diffLines(diff, theme)],
  };
}

/** The page itself on standard output; with `--json` it is a field of the one document. */
async function pageReport(
  context: Context,
  data: ReviewData,
  published: ReviewData & { readonly diff: string },
): Promise<Report> {
  const { reviewPage } = await import('../output/html/review.js');
  const page = reviewPage(data, published.diff);
  if (context.options.json) return { kind: 'review', data: { ...published, html: page }, view: () => [] };
  context.streams.stdout.write(page);
  return { kind: 'review', data: null, view: () => [], streamed: true };
}

async function reviewJob(bench: Workbench, snapshot: Snapshot, job: Job): Promise<Reviewed> {
  const tip = (await workTip(bench, job)) ?? job.tip;
  if (tip === null || job.onto === null) {
    throw new OwlError('missing-branch', `job ${job.id} has no work to review yet`, {
      next: [`git owl run ${job.id}`],
    });
  }
  const pair = { base: job.onto.oid, tip };
  await needJobCommits(bench, job);
  const runs = await snapshot.runs(job.id);
  const { diff, unknown, ...change } = await lookAtChange(
    bench,
    pair,
    async () => (await currentPolicy(bench, wishOf(job))).loaded,
  );
  const data: ReviewData = {
    job: await describeJob(bench, job),
    prompt: await snapshot.prompt(job.id),
    ...change,
    summaries: summaryOf(runs, pair),
    checks: (job.verification?.checks ?? []).map(checkFields),
    failures: (await failuresOfJob(bench.store, job, runs)).map(failureFields),
    questions: [...unknown, ...questionsOf(job, runs.at(-1))],
    undo: undoJob(job),
    next: nextCommands(job, { guarded: change.guarded.length > 0 }).filter(
      (command) => command !== `git owl review ${job.id}`,
    ),
  };
  return { data, diff };
}

/** What a reviewer should know before deciding. */
function questionsOf(job: Job, last: Run | undefined): readonly string[] {
  return [
    ...(job.verification === null || job.verification.checks.length === 0
      ? ['not verified: no checks ran on this tip']
      : []),
    ...(job.no_change === null ? [] : [`the agent says that nothing had to change: ${job.no_change}`]),
    ...notesOf(job, last),
  ];
}
