// The failure part of a report about a Job or a Goal that did not end well: what, what was kept, what to run next (06).

import { currentRoundJob } from '../app/goal/round-jobs.js';
import { EXIT, type OwlError } from '../domain/errors.js';
import type { Goal } from '../domain/goal.js';
import { goalCommands } from '../domain/goal-next.js';
import type { Job, Reason } from '../domain/job.js';
import { nextCommands } from '../domain/next.js';
import { pathsBeside } from '../domain/reasons.js';
import type { Report, ReportError } from '../output/report.js';
import type { Snapshot } from '../state/types.js';

/** Exit status and error of a report whose data are about this Job. */
export function stoppedJob(job: Job, exit: number): Pick<Report, 'exit' | 'error'> {
  return {
    exit,
    error: {
      code: job.reason?.code ?? job.state,
      message: `job ${job.id} is ${job.state}: ${job.reason?.text ?? 'no reason was recorded'}${sayPaths(job.reason)}`,
      preserved: ['its branch, worktree and commits are kept'],
      next: nextCommands(job),
    },
  };
}

/** As `stoppedJob`; one that ended well has no error. */
export async function stoppedGoal(
  snapshot: Snapshot,
  goal: Goal,
  exit: number,
): Promise<Pick<Report, 'exit' | 'error'>> {
  if (exit === EXIT.ok) return { exit };
  const evidence = await snapshot.evidence(goal.id);
  const job = await currentRoundJob(snapshot, goal);
  const there = [
    ...(job === null || job.tip === null ? [] : ['branch']),
    ...(goal.candidate === null ? [] : ['Candidate']),
    ...(evidence.length === 0 ? [] : ['evidence']),
  ];
  const why = goal.reason?.text ?? 'another decision came meanwhile';
  return {
    exit,
    error: {
      code: goal.reason?.code ?? goal.status,
      message: `goal ${goal.id} is ${goal.status}: ${why}${sayPaths(goal.reason)}`,
      preserved: [sayKept(there)],
      next: goalCommands(goal, evidence),
    },
  };
}

/** Of branch, Candidate and evidence those that are there. */
function sayKept(there: readonly string[]): string {
  const [first, ...others] = [...there].reverse();
  if (first === undefined) return 'what it asks for is kept';
  if (others.length > 0) return `its ${others.reverse().join(', ')} and ${first} are kept`;
  return `its ${first} is kept`;
}

function sayPaths(why: Reason | null): string {
  const paths = why === null ? [] : pathsBeside(why.text, why.paths);
  return paths.length === 0 ? '' : ` (${paths.join(', ')})`;
}

export const partsOf = ({ code, message, preserved, next }: OwlError): ReportError => ({
  code,
  message,
  preserved,
  next,
});
