// What a merge looks at before it makes anything: another decision, another process that merges, work that is on the base already.

import type { Job } from '../../domain/job.js';
import { stands } from '../../domain/machine.js';
import { reason } from '../../domain/reasons.js';
import { landByHand, lookForJob } from '../collect/landed.js';
import { findJob, foundJob } from '../jobs.js';
import type { Workbench } from '../workbench.js';
import { isLanding } from './landing-note.js';
import { escalate, type Landed, type LandRequest } from './outcome.js';

/** Another decision about the Job since it was chosen for this merge, or another process that merges it; null: neither. */
export async function overtaken(bench: Workbench, job: Job): Promise<Landed | null> {
  const now = foundJob(job.id, await (await bench.store.snapshot()).job(job.id));
  if (!stands(now, job.occurrence) || now.merged !== null) return { kind: 'superseded', job: now };
  return (await isLanding(bench, job.id)) ? { kind: 'busy', why: 'another process is merging it' } : null;
}

/** The base holds the very tip: somebody merged it by ordinary tooling, and perhaps took it back since (J31). */
export async function contained(bench: Workbench, request: LandRequest, ref: string): Promise<Landed> {
  const { job } = request;
  const looked = await lookForJob(bench, job);
  if (looked.kind === 'found') {
    const done = await landByHand(bench, looked.found, request.request);
    if (done !== null) return { kind: 'landed', job: done };
    return { kind: 'superseded', job: await findJob(await bench.store.snapshot(), job.id) };
  }
  if (looked.kind === 'reverted' && !request.byItself) return { kind: 'reverted', ref: looked.ref };
  const why = looked.kind === 'reverted' ? 'has its commits, and they were reverted there' : 'has its commits already';
  return escalate(bench, request, reason('landing-failed', `${ref} ${why}`), 'merge_failed_escalated');
}
