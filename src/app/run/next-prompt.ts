// What the next Run of a Job would be told, from what is known here: nothing is fetched, replayed or written (06, `show --prompt`).

import { markedHandoff, seededHandoff } from '../../domain/handoff.js';
import type { Job } from '../../domain/job.js';
import { boundaryFor } from '../../git/boundary.js';
import { ownHandoff } from '../handoff.js';
import { ownTip } from '../jobs.js';
import { baseRef, currentPolicy, wishOf } from '../policy.js';
import type { Workbench } from '../workbench.js';
import { type Foreseen, makePrompt, type PromptRequest } from './prompt.js';

/** Throws as `currentPolicy`. */
export async function nextPrompt(bench: Workbench, job: Job): Promise<string> {
  const current = await currentPolicy(bench, wishOf(job));
  const base = baseRef(current);
  const work = (await (await bench.store.snapshot()).prompt(job.id)) ?? '';
  return makePrompt(bench, {
    job,
    run: { id: '', number: job.runs + 1, phase: job.phase },
    work,
    policy: current.loaded.policy,
    base,
    ...(await foreseeBranch(bench, job, base)),
  });
}

/** The branch as a Run would find it after J8 to J12, where nothing conflicts. */
async function foreseeBranch(
  bench: Workbench,
  job: Job,
  base: PromptRequest['base'],
): Promise<Pick<PromptRequest, 'tip' | 'foreseen'>> {
  const { repository } = bench;
  const engine = await repository.engine();
  const own = await ownTip(bench, job);
  const start = own ?? (job.from === null ? null : await engine.resolve(job.from));
  if (start === null) return withSeed(bench, job, base.oid, base.oid);
  const recorded = job.onto?.oid ?? base.oid;
  if (job.restart && own !== null) {
    const found = await ownHandoff(repository, own, recorded);
    const handoff = markedHandoff(job.id, found.kind === 'ok' ? found.text : seededHandoff(job));
    return { tip: own, foreseen: { since: base.oid, begunAgain: true, handoff } };
  }
  return withSeed(bench, job, start, await boundaryFor(repository, { recorded, tip: start, newBase: base.oid }));
}

/** A Job without a plan gets a Handoff of ours where it has none (J24). */
async function withSeed(
  bench: Workbench,
  job: Job,
  tip: PromptRequest['tip'],
  since: Foreseen['since'],
): Promise<Pick<PromptRequest, 'tip' | 'foreseen'>> {
  const absent = !job.planned && (await ownHandoff(bench.repository, tip, since)).kind === 'absent';
  return { tip, foreseen: { since, begunAgain: false, handoff: absent ? seededHandoff(job) : null } };
}
