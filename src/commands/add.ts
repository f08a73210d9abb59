// `add`: queues a Job (J1).

import { addedLine, enqueue } from '../app/enqueue.js';
import { settleLeftovers } from '../app/leftovers.js';
import { type CurrentPolicy, currentPolicy, unpublishedNote } from '../app/policy.js';
import { sayUnseen } from '../app/sync/unseen.js';
import { openWorkbench, type Workbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import { configurationElsewhere } from '../config/elsewhere.js';
import { loadTaste } from '../config/taste.js';
import type { Context } from '../context.js';
import { OwlError } from '../domain/errors.js';
import { isRefName, type RefName } from '../domain/git.js';
import type { Job } from '../domain/job.js';
import type { Repository } from '../git/repository.js';
import type { Report } from '../output/report.js';
import { describeJob } from './describe.js';
import { readPromptWords } from './prompt-input.js';
import { sayUnnamed } from './unnamed-agent.js';

export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const prompt = await readPromptWords(context, request);
  // Asked of Git while the base is looked up.
  const taste = loadTaste(bench.repository.git);
  taste.catch(() => {});
  if (!context.options.dryRun) void bench.repository.identity();
  const current = await currentPolicy(bench, { base: request.text('base'), remote: request.text('remote') });
  if (context.environment.insideJob !== null && !current.loaded.policy.execution.agents_may_add) {
    throw new OwlError('inside-a-run', 'an agent may not add jobs here: execution.agents_may_add is off', {
      preserved: ['nothing was queued'],
    });
  }
  // The opt-in to merge comes from the base, the user's own file or a person (J27), never from an agent.
  if (context.environment.insideJob !== null && request.flag('auto-merge')) {
    throw new OwlError('inside-a-run', 'an agent may not add a job that is merged by itself', {
      preserved: ['nothing was queued'],
    });
  }
  const from = request.text('from');
  if (!context.options.dryRun) await settleLeftovers(bench);
  const asked = {
    prompt,
    planned: pair(request, 'plan', 'no-plan'),
    ttl: request.number('ttl'),
    mode: request.text('mode'),
    autoMerge: pair(request, 'auto-merge', 'no-auto-merge'),
    agent: request.text('agent'),
    base: current.base.asked?.name,
    remote: request.text('remote') ?? current.base.asked?.remote ?? undefined,
    from: from === undefined ? undefined : await branchOf(bench.repository, from),
    labels: [...new Set([...(await taste).labels, ...request.list('label')])],
    needs: request.list('needs'),
    slug: request.text('slug'),
  };
  const added = await enqueue(bench, asked, current.loaded.policy);
  const data = { ...(await describeJob(bench, added.job)), place: added.place };
  const elsewhere = await configurationElsewhere({
    repository: bench.repository,
    loaded: current.loaded,
    ref: current.at?.ref ?? null,
    remotes: (await bench.remotes()).remotes,
  });
  return {
    kind: 'job',
    data,
    ...(bench.dryRun ? {} : { effect: `the job was queued: ${added.job.id}` }),
    view: (theme) => {
      if (bench.dryRun) return [theme.text(`would be queued at place ${added.place}: ${added.job.title}`)];
      return context.streams.stdout.terminal ? [theme.text(addedLine(added))] : [added.job.id];
    },
    notes: [
      ...(elsewhere.length === 0 ? sayUnnamed(current.loaded, added.job.agent) : []),
      ...(await unknownAgent(bench, added.job, current)),
      ...unpublishedNote(current),
      ...elsewhere,
      ...current.loaded.warnings,
      ...(await sayUnseen(bench)),
      ...(context.streams.stdout.terminal && !bench.dryRun ? ['next: git owl run'] : []),
    ],
  };
}

/** It may be defined by the time it is needed: the Job is queued, and waits until then (J16). */
async function unknownAgent(bench: Workbench, job: Job, { loaded }: CurrentPolicy): Promise<readonly string[]> {
  if (job.agent === null) return [];
  const { agentFor } = await import('../app/run/agent-choice.js');
  const choice = agentFor(bench, job, loaded.policy);
  return choice.kind === 'agent' ? [] : [`${choice.why}: job ${job.id} waits until it can be started here`];
}

/** `--x` and `--no-x` exclude each other (J20). */
function pair(request: Request, yes: string, no: string): boolean | undefined {
  if (request.flag(yes) && request.flag(no))
    throw new OwlError('usage', `--${yes} and --${no} exclude each other`, { next: ['git owl add -h'] });
  return request.flag(yes) ? true : request.flag(no) ? false : undefined;
}

/** `--from`: a branch of this repository, by name or full ref. */
async function branchOf(repository: Repository, name: string): Promise<RefName> {
  const engine = await repository.engine();
  const full = name.startsWith('refs/') ? name : `refs/heads/${name}`;
  // What lies there is ours, as it is no base either.
  if (/^refs\/(?:owl\/|heads\/refine\/|remotes\/[^/]+\/refine\/)/.test(full) || /^[^/]+\/refine\//.test(name))
    throw new OwlError('reserved-name', `${name} is a name that git owl uses itself: no work begins there`, {
      preserved: ['nothing was queued'],
      next: ['git branch --all'],
    });
  const candidates = [full, `refs/remotes/${name}`].filter((ref) => isRefName(ref)) as RefName[];
  for (const ref of candidates) if ((await engine.resolve(ref)) !== null) return ref;
  throw new OwlError('missing-branch', `no branch '${name}' to begin from`, {
    preserved: ['nothing was queued'],
    next: ['git branch --all'],
  });
}
