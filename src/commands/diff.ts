// `diff`: the change of a Job against the base of its last Run, or a Goal's Candidate, with the base's attributes and no external
// program (06).

import { realpathSync } from 'node:fs';
import { isAbsolute, join, normalize, relative, sep } from 'node:path';
import { needGoalCommits, needJobCommits } from '../app/claims/elsewhere.js';
import { workTip } from '../app/claims/standing.js';
import { currentRoundJob } from '../app/goal/round-jobs.js';
import { workOrImplied } from '../app/goals.js';
import { lookAt } from '../app/place.js';
import { openWorkbench, type Workbench } from '../app/workbench.js';
import { snapshotWip } from '../app/workspace/snapshot.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { OwlError } from '../domain/errors.js';
import type { Oid } from '../domain/git.js';
import type { Job } from '../domain/job.js';
import { diffText } from '../git/diff.js';
import { diffLines } from '../output/diff-lines.js';
import type { Report } from '../output/report.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const shown = await changeOf(bench, request.args['id']);
  const { base, of } = shown;
  const tip = request.flag('worktree') ? await uncommitted(bench, shown) : shown.tip;
  const within = folderWithin(bench);
  const { text, code } = await diffText(bench.repository, base.oid, tip, {
    args: request.unknown ?? [],
    paths: request.passed.map((path) => pathFrom(bench, within, path)),
    within,
  });
  if (!context.options.json && !context.streams.stdout.terminal) {
    // A pipe gets the bytes of Git: `git owl diff <id> | git apply` must work.
    context.streams.stdout.write(text);
    return { kind: 'diff', data: null, view: () => [], streamed: true, exit: code };
  }
  return {
    kind: 'diff',
    data: { ...of, base, tip, text: text.toString('utf8') },
    view: (theme) => diffLines(text.toString('utf8'), theme),
    exit: code,
  };
}

interface Change {
  /** Whose it is, as it is published. */
  readonly of: { readonly goal?: string; readonly job?: string };
  readonly base: { readonly ref: string; readonly oid: Oid };
  readonly tip: Oid;
  /** In whose worktree more of it may lie; null: in none. */
  readonly job: Job | null;
}

/** Of a Goal its Candidate; before there is one, what the Job of its Round has committed so far. */
async function changeOf(bench: Workbench, id: string | undefined): Promise<Change> {
  const snapshot = await bench.store.snapshot();
  const work = await workOrImplied(bench, snapshot, id);
  if (work.kind === 'goal') {
    const { goal } = work;
    const job = await currentRoundJob(snapshot, goal);
    const of = { goal: goal.id, ...(job === null ? {} : { job: job.id }) };
    const { candidate, base } = goal;
    if (candidate !== null) {
      await needGoalCommits(bench, goal, candidate.tip);
      return { of, base: { ref: base?.ref ?? '', oid: candidate.base }, tip: candidate.tip, job };
    }
    const found = job === null ? null : await committed(bench, job);
    if (found !== null) return { of, ...found, job };
    throw new OwlError('missing-branch', `goal ${goal.id} has no branch yet: it is ${goal.status}`, {
      next: [`git owl show ${goal.id}`],
    });
  }
  const { job } = work;
  const found = await committed(bench, job);
  if (found !== null) return { of: { job: job.id }, ...found, job };
  throw new OwlError('missing-branch', `job ${job.id} has no branch yet`, { next: [`git owl run ${job.id} --step`] });
}

async function committed(bench: Workbench, job: Job): Promise<Pick<Change, 'base' | 'tip'> | null> {
  const tip = (await workTip(bench, job)) ?? job.tip;
  if (tip === null || job.onto === null) return null;
  await needJobCommits(bench, job);
  return { base: job.onto, tip };
}

/** The tip with what is not committed in the worktree, as a commit. */
async function uncommitted(bench: Workbench, { job, of, tip }: Change): Promise<Oid> {
  const place = job === null ? null : await lookAt(bench, job, null);
  if (place?.kind !== 'admitted') {
    const id = of.goal ?? of.job ?? '';
    const noun = of.goal === undefined ? 'job' : 'goal';
    const how = place === null || place.kind === 'missing' ? 'not there' : 'not usable';
    throw new OwlError('workspace', `the worktree of ${noun} ${id} is ${how}`, { next: [`git owl show ${id}`] });
  }
  const wip = await snapshotWip(bench.repository, place.workspace);
  return wip.kind === 'taken' ? wip.commit : tip;
}

/** Where the person stands, from the top of the checkout: as in Git, paths are meant from there. */
function folderWithin(bench: Workbench): string {
  const top = bench.repository.workTree;
  const path = top === null ? '' : relative(top, realpathSync(bench.environment.cwd));
  return isOutside(path) || path.split(sep)[0] === '.git' ? '' : path;
}

/** The difference is made elsewhere than in this checkout: an absolute path is made one from `within`, what is outside is refused here. */
function pathFrom(bench: Workbench, within: string, path: string): string {
  if (path.startsWith(':')) return path;
  const top = bench.repository.workTree ?? '/';
  const from = isAbsolute(path) ? relative(join(top, within), path) : path;
  if (isOutside(normalize(join(within, from)))) {
    throw new OwlError('usage', `${JSON.stringify(path)} is outside the repository`, { next: ['git owl diff -h'] });
  }
  return from === '' ? '.' : from;
}

const isOutside = (path: string): boolean => path === '..' || path.startsWith(`..${sep}`);
