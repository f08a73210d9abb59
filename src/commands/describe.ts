// A Job as commands publish it: its record with what is looked up in this clone.

import { baseNow, basesNow } from '../app/base-now.js';
import { elsewhereOf, isElsewhere } from '../app/claims/elsewhere.js';
import { workTip } from '../app/claims/standing.js';
import { jobBranch, jobRef } from '../app/jobs.js';
import { isDead } from '../app/run/dead.js';
import type { Workbench } from '../app/workbench.js';
import { loadRegistration, registeredIds } from '../app/workspace/registration.js';
import type { Oid } from '../domain/git.js';
import type { Job } from '../domain/job.js';
import { jobFields, type PublishedJob } from '../output/job-fields.js';

/** Many Jobs: branches and notes are listed once, not looked up one by one. */
export async function describeJobs(bench: Workbench, jobs: readonly Job[]): Promise<readonly PublishedJob[]> {
  if (jobs.length < 4) return Promise.all(jobs.map((job) => describeJob(bench, job)));
  const engine = await bench.repository.engine();
  const prefixes = new Set(jobs.filter((job) => job.onto !== null).map((job) => `refs/heads/${job.prefix}`));
  const tips = new Map<string, Oid>();
  for (const prefix of prefixes) for (const { ref, oid } of await engine.list(prefix)) tips.set(ref, oid);
  const registered = new Set(await registeredIds(bench.notes));
  const base = basesNow(bench);
  const away = await elsewhereOf(bench, jobs, (job) => tips.get(jobRef(job)) ?? null);
  const described: PublishedJob[] = [];
  for (const job of jobs) {
    const note = registered.has(job.id) ? await loadRegistration(bench.notes, job.id) : null;
    const branch = job.onto === null ? undefined : tips.get(jobRef(job));
    described.push(
      jobFields(job, {
        branch: jobBranch(job),
        tip: branch === undefined || branch === job.tip ? (branch ?? null) : await workTip(bench, job),
        base: (await base(job)) ?? job.onto,
        worktree: note?.value.step === 'registered' ? note.value.path : null,
        dead: await isDead(bench, job),
        elsewhere: away.has(job.id),
      }),
    );
  }
  return described;
}

/** One Job, with its branch, worktree and liveness looked up. */
export async function describeJob(bench: Workbench, job: Job): Promise<PublishedJob> {
  const note = await loadRegistration(bench.notes, job.id);
  return jobFields(job, {
    branch: jobBranch(job),
    tip: await workTip(bench, job),
    base: (await baseNow(bench, job)) ?? job.onto,
    worktree: note?.value.step === 'registered' ? note.value.path : null,
    dead: await isDead(bench, job),
    elsewhere: await isElsewhere(bench, job),
  });
}
