// What `gc` does with what commands leave in this clone alone, and with Jobs that wait for a person (J17, M2). Pure.

import { type Item, judge, keepIt, type Limits, step, verdict } from './collect.js';
import type { RefName } from './git.js';
import type { Job } from './job.js';

export interface ScratchFacts {
  readonly kind: 'scratch' | 'note';
  readonly subject: string;
  readonly id: string;
  /** The Job of the Run, where one is known. */
  readonly job: string | null;
  /** `output`: no Run's, but outputs of checks; `none`: a Run of which no record is known. */
  readonly run: 'settled' | 'unsettled' | 'none' | 'unreadable' | 'output';
  /** For `output`: was it written lately, or does a process carry its mark? */
  readonly used: 'yes' | 'no' | 'unknown';
}

/** The scratch folder of a Run, or the note that names its process group: needed only until the Run is settled (J17). */
export function decideScratch(facts: ScratchFacts): Item {
  const { kind, id, run } = facts;
  const of = { kind, subject: facts.subject, owner: facts.job } as const;
  const act = kind === 'scratch' ? 'remove-scratch' : 'remove-note';
  if (run === 'output') {
    return judge(
      of,
      [
        step(
          'processes can be looked at',
          facts.used !== 'unknown',
          keepIt('inspection-failed', 'processes cannot be looked at here'),
        ),
        step(
          'nothing was written to it lately, and no process belongs to it',
          facts.used === 'no',
          keepIt('in-use', 'a command may still write to it'),
        ),
      ],
      verdict(act, 'left-output', 'a command that was killed left its output'),
    );
  }
  return judge(
    of,
    [
      step(
        'there is a record of the Run',
        run !== 'none',
        verdict('report', 'no-record', `there is no record of a Run ${id} here`),
      ),
      step(
        'the record can be read',
        run !== 'unreadable',
        verdict('report', 'damaged-record', `the record of Run ${id} cannot be read`),
      ),
      step('the Run is settled', run === 'settled', keepIt('live-run', `Run ${id} is not settled`)),
    ],
    verdict(act, 'run-settled', `Run ${id} is settled; what it wrote is stored`),
  );
}

/** A Job that waits for a person for too long (M2); null: nothing to say. */
export function decideReview(job: Job, ref: RefName, limits: Limits): Item | null {
  const { review_after } = limits.gc;
  if (job.state !== 'review' || limits.now - Date.parse(job.updated) <= review_after.ms) return null;
  return {
    kind: 'job',
    subject: ref,
    owner: job.id,
    action: 'report',
    reason: 'waits-for-review',
    detail: `job ${job.id} is in review and nothing happened since ${job.updated}, longer than ${review_after.text}`,
    proof: [],
  };
}
