// The records: are they readable, and what did a command that was killed leave behind. Reading only.

import { isOwlError } from '../../domain/errors.js';
import { isAlive } from '../../system/processes.js';
import type { Workbench } from '../workbench.js';
import { type Finding, fail, pass, warn } from './types.js';

const CODES = ['damaged-state', 'newer-state', 'foreign-state', 'unreadable-object', 'state-at-risk'] as const;

export async function checkRecords(bench: Workbench): Promise<readonly Finding[]> {
  try {
    const snapshot = await bench.store.snapshot();
    if (snapshot.tip === null) return [pass('state', 'no work was queued here yet')];
    const jobs = await snapshot.openJobs();
    const damages = await snapshot.damages();
    const first = damages[0];
    const state =
      first === undefined
        ? pass('state', `readable, ${jobs.length} open`)
        : fail(
            'state',
            `${damages.length} of its records cannot be used, the first is ${first.path}: ${first.why}`,
            'git owl fsck',
          );
    return [state, ...(await deadRuns(bench, jobs)), ...(await unfinished(bench))];
  } catch (error) {
    if (CODES.some((code) => isOwlError(error, code))) return [fail('state', (error as Error).message, 'git owl fsck')];
    throw error;
  }
}

async function deadRuns(
  bench: Workbench,
  jobs: Awaited<ReturnType<Awaited<ReturnType<Workbench['store']['snapshot']>>['openJobs']>>,
): Promise<readonly Finding[]> {
  const here = await bench.environment.process();
  return jobs
    .filter((job) => job.claim !== null && isAlive(job.claim, here) === 'dead')
    .map((job) => warn('dead-run', `the process of job ${job.id} is gone; its work is kept`, 'git owl run'));
}

async function unfinished(bench: Workbench): Promise<readonly Finding[]> {
  const here = await bench.environment.process();
  const intents = (await bench.store.intents()).filter((intent) => isAlive(intent.owner, here) !== 'alive');
  const count = intents.length;
  if (count === 0) return [];
  return [
    warn(
      'unfinished',
      `${count === 1 ? 'an operation was' : `${count} operations were`} interrupted between the record and its refs`,
      'the next command that changes something finishes it, such as git owl gc',
    ),
  ];
}
