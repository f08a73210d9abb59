// `show`: everything of one Job or Goal: policy with where each value came from, Runs, checks, what is kept, what to type next (06).

import { workTip } from '../app/claims/standing.js';
import { workOrImplied } from '../app/goals.js';
import { guardedIn } from '../app/guarded.js';
import { currentPolicy, wishOf } from '../app/policy.js';
import { sayOpenPublications } from '../app/publish/note.js';
import { failuresOf, failuresOfJob } from '../app/run/failures.js';
import { linkOf } from '../app/run/kept-log.js';
import { nextPrompt } from '../app/run/next-prompt.js';
import { openWorkbench, type Workbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import type { Context } from '../context.js';
import { isOwlError, OwlError } from '../domain/errors.js';
import type { Job, Run } from '../domain/job.js';
import { autoMergeOf } from '../domain/landing.js';
import { nextCommands } from '../domain/next.js';
import type { LoadedPolicy } from '../domain/policy.js';
import { escapeLines } from '../output/escape.js';
import { failureFields, runFields } from '../output/job-fields.js';
import type { Report } from '../output/report.js';
import type { Lines, Theme } from '../output/theme.js';
import { failureLines, runLines, type ShowData, type ShowPolicy, showView } from '../output/views/show.js';
import { describeJob } from './describe.js';
import { showGoal } from './show-goal.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const snapshot = await bench.store.snapshot();
  const work = await workOrImplied(bench, snapshot, request.args['id']).catch((error: unknown) => {
    if (isOwlError(error, 'contested')) return error;
    throw error;
  });
  if (work instanceof OwlError) return (await import('./show-contested.js')).showContested(bench, snapshot, work);
  if (work.kind === 'goal') {
    refuseRunOptions(work.goal.id, request);
    return showGoal(bench, snapshot, work.goal);
  }
  const { job } = work;
  const runs = await snapshot.runs(job.id);
  const number = request.number('run');
  const chosen = number === undefined ? undefined : runs.find((one) => one.number === number);
  if (number !== undefined && chosen === undefined) {
    throw new OwlError('nothing-kept', `job ${job.id} has had no run ${number}`, { next: [`git owl show ${job.id}`] });
  }
  if (request.flag('prompt')) return promptReport(bench, job, chosen);
  const now = bench.clock.now();
  if (chosen !== undefined) {
    const data = { ...runFields(chosen), failures: (await failuresOf(bench.store, chosen)).map(failureFields) };
    const view = (theme: Theme): Lines => [...runLines(data, theme, now), ...failureLines(data.failures, theme)];
    return { kind: 'run', data, view };
  }
  const data = await gather(bench, job, runs);
  const { job: described, runs: history, ...rest } = data;
  return {
    kind: 'show',
    data: { ...described, history, ...rest },
    view: (theme, width) => showView(data, theme, width, now),
    notes: await sayOpenPublications(bench, job),
  };
}

/** A Goal has no Runs of its own: the Jobs of its Rounds have. */
function refuseRunOptions(goal: string, request: Request): void {
  const given = request.flag('prompt') ? '--prompt' : request.number('run') === undefined ? null : '--run';
  if (given === null) return;
  throw new OwlError('usage', `${goal} is a goal; ${given} is of the job of one of its rounds`, {
    next: [`git owl list --goal ${goal}`],
  });
}

async function gather(bench: Workbench, job: Job, runs: readonly Run[]): Promise<ShowData> {
  const snapshot = await bench.store.snapshot();
  const loaded = await policyOf(bench, job);
  const tip = await workTip(bench, job);
  const isHere = tip !== null && (await (await bench.repository.engine()).exists([tip]))[0] === true;
  const guarded =
    loaded === null || !isHere || job.onto === null ? [] : await guardedIn(bench, loaded, job.onto.oid, tip);
  const described = await describeJob(bench, job);
  const seen = {
    guarded: guarded.length > 0,
    dead: described.live?.dead,
    elsewhere: described.elsewhere,
    waits: isLater(job, bench.clock.now()),
  };
  return {
    job: { ...described, prompt: await snapshot.prompt(job.id) },
    runs: runs.map(runFields),
    failures: (await failuresOfJob(bench.store, job, runs)).map(failureFields),
    policy: loaded === null ? [] : policyRows(job, loaded),
    guarded,
    branchless: tip === null,
    kept: (await bench.store.kept(job.id)).map((link) => ({ subject: link.subject, oid: link.kept })),
    // Where one stands already is no next step.
    next: nextCommands(job, seen).filter((command) => command !== `git owl show ${job.id}`),
  };
}

const isLater = (job: Pick<Job, 'not_before'>, now: number): boolean =>
  job.not_before !== null && Date.parse(job.not_before) > now;

/** Null where the base cannot be named or its configuration cannot be read: `show` shows what it can. */
async function policyOf(bench: Workbench, job: Job): Promise<LoadedPolicy | null> {
  try {
    return (await currentPolicy(bench, wishOf(job))).loaded;
  } catch (error) {
    if (isOwlError(error)) return null;
    throw error;
  }
}

function policyRows(job: Job, loaded: LoadedPolicy): readonly ShowPolicy[] {
  const { policy, origins } = loaded;
  const from = (key: string): string => {
    for (let at = key; at !== ''; at = at.includes('.') ? at.slice(0, at.lastIndexOf('.')) : '') {
      const origin = origins.get(at);
      if (origin !== undefined) return origin.where === '' ? origin.kind : origin.where;
    }
    return 'built-in';
  };
  const merge = autoMergeOf(job, policy);
  return [
    {
      key: 'agent',
      value: job.agent ?? policy.agent ?? 'none',
      origin: job.agent === null ? from('agent') : 'the job',
    },
    {
      key: 'checks',
      value: policy.checks.length === 0 ? 'none' : policy.checks.map((check) => check.name).join(', '),
      origin: from('checks'),
    },
    { key: 'auto_merge', value: merge.on ? 'on' : 'off', origin: merge.from },
    {
      key: 'timeout',
      value: `plan ${policy.phases.plan.timeout.text}, execute ${policy.phases.execute.timeout.text}`,
      origin: from('phases'),
    },
    {
      key: 'stall',
      value: `plan ${policy.phases.plan.stall.text}, execute ${policy.phases.execute.stall.text}`,
      origin: from('phases'),
    },
    { key: 'signing', value: policy.signing, origin: from('signing') },
  ];
}

/** The exact text that a Run got, or that the next one would get. */
async function promptReport(bench: Workbench, job: Job, chosen: Run | undefined): Promise<Report> {
  const text = chosen === undefined ? await nextPrompt(bench, job) : await keptPrompt(bench, chosen);
  return { kind: 'prompt', data: { job: job.id, run: chosen?.number ?? null, text }, view: () => escapeLines(text) };
}

async function keptPrompt(bench: Workbench, chosen: Run): Promise<string> {
  const link = await linkOf(bench.store, chosen);
  const bytes = link === null ? null : await bench.store.keptFile(link, 'prompt');
  if (bytes === null)
    throw new OwlError(
      'nothing-kept',
      `run ${chosen.number} of job ${chosen.job} got no prompt: no agent was started`,
      { next: [`git owl show ${chosen.job}`] },
    );
  return bytes.toString('utf8');
}
