// What `gc` does with refs of ours: branches below the prefix, what is kept, archives of months (M1, M2, M12, J36). Pure.

import {
  type Item,
  isOpen,
  judge,
  keepIt,
  type RecordFacts,
  recordStep,
  step,
  type Verdict,
  verdict,
} from './collect.js';
import type { RefName } from './git.js';
import type { Job } from './job.js';

export interface BranchFacts {
  readonly ref: RefName;
  readonly id: string;
  readonly record: RecordFacts;
  /** The branch that the record names for its Job; null without a record, or when none was cut. */
  readonly named: RefName | null;
  /** Where its tip is held beside the branch: `merged into refs/heads/main`, `kept`; null: nowhere. */
  readonly heldBy: string | null;
  /** A checkout that has it open, or an operation that will come back to it; the Job's own worktree does not count when it goes first. */
  readonly openIn: string | null;
  /** Commits that the base does not have; null: not counted. */
  readonly ahead: number | null;
}

/**
 * Does the branch of a Job outlive it as a name, to be retired like one of a Round (M10)? One that a merge of ours or `drop` should have
 * taken goes by `decideBranch`.
 */
export const outlives = (record: RecordFacts): boolean =>
  record.kind === 'deleted' ||
  (record.kind === 'job' &&
    !isOpen(record) &&
    record.job.dropped === null &&
    !(record.job.state === 'done' && record.job.merged?.by === 'owl'));

/** A branch below the prefix: only one that a killed merge or drop left goes, and only when its tip is held elsewhere. */
export function decideBranch(facts: BranchFacts): Item {
  const { record, ref, id } = facts;
  const of = { kind: 'branch', subject: ref, owner: id } as const;
  if (record.kind === 'goal')
    return judge(of, [], keepIt('other-name', `${id} is a goal; the branches of its rounds lie below refine/`));
  if (record.kind !== 'job')
    return judge(
      of,
      [recordStep(record, `${ref} is named for ${id}`, ahead(facts))],
      verdict('report', 'unique-commits', `${id} was deleted, and its branch is there${ahead(facts)}`),
    );
  const { job } = record;
  const gone =
    job.state === 'done' && job.merged?.by === 'owl' ? 'job-done' : job.dropped !== null ? 'job-dropped' : null;
  return judge(
    of,
    [
      step('there is a record of its Job', true, keepIt('no-record', '')),
      step(
        'it is the branch that the record names',
        facts.named === ref,
        keepIt('other-name', `job ${id} has ${facts.named === null ? 'no branch yet' : `the branch ${facts.named}`}`),
      ),
      step('its Job is closed', !isOpen(record), keepIt('open-job', `job ${id} is ${job.state}`)),
      step('its Job was merged by git owl, or dropped', gone !== null, stays(job)),
      step(
        'it is checked out nowhere',
        facts.openIn === null,
        keepIt('checked-out', `${facts.openIn ?? ''} has it open`),
      ),
      step(
        'its tip is held elsewhere',
        facts.heldBy !== null,
        verdict(
          'report',
          'unique-commits',
          `job ${id} is ${job.state}, and the branch has commits that nothing else holds`,
        ),
      ),
    ],
    verdict(
      'delete-branch',
      gone ?? 'job-done',
      `job ${id} is ${job.state}; its tip is ${facts.heldBy ?? 'held elsewhere'}`,
    ),
  );
}

const stays = (job: Job): Verdict =>
  job.state === 'done'
    ? keepIt('accepted-branch', `job ${job.id} is done; git owl merged nothing, so the branch is yours to delete`)
    : keepIt('cancelled-branch', `job ${job.id} is cancelled; git owl reopen ${job.id} goes on with it`);

function ahead(facts: BranchFacts): string {
  if (facts.ahead === null) return '';
  return facts.ahead === 0
    ? '; the base has all its commits'
    : `; ${facts.ahead} ${facts.ahead === 1 ? 'commit' : 'commits'} that the base does not have`;
}

export interface KeptFacts {
  readonly ref: RefName;
  readonly id: string;
  readonly record: RecordFacts;
  /** Is a merge of ours under the remote's base (J36)? `not-needed`: nothing was merged, or there is no remote. */
  readonly published: 'yes' | 'no' | 'unknown' | 'not-needed';
}

/** `refs/owl/keep/<id>`, `refs/owl/candidates/<goal>`: folded once its work is closed and, where it was merged, published (M12, J36). */
export function decideKept(facts: KeptFacts, month: string): Item {
  const { ref, id, record, published } = facts;
  const of = record.kind === 'goal' ? 'goal' : 'job';
  const closed = record.kind === 'deleted' || ((record.kind === 'job' || record.kind === 'goal') && !isOpen(record));
  return judge(
    { kind: 'kept', subject: ref, owner: id },
    [
      recordStep(record, `it keeps things of ${id}`, ''),
      step('its work is closed', closed, keepIt('open-job', sayOpen(record, id))),
      step(
        "its merge is under the remote's base",
        published === 'yes' || published === 'not-needed',
        keepIt(
          'not-published',
          published === 'no'
            ? `job ${id} is merged here and not on the remote yet`
            : `it cannot be told whether the remote has the merge of job ${id}`,
        ),
      ),
    ],
    verdict('fold', 'closed-work', `${of} ${id} is closed; what it keeps goes into refs/owl/archive/${month}`),
  );
}

/** `refs/owl/shared/<job>`, here as last seen or sent: never gone by `gc`, since the remote's name goes by `sync` alone (S1). */
export function decideShared({ ref, id, record }: Pick<KeptFacts, 'ref' | 'id' | 'record'>): Item {
  const closed = record.kind === 'deleted' || (record.kind === 'job' && !isOpen(record));
  return judge(
    { kind: 'kept', subject: ref, owner: id },
    [
      recordStep(record, `it is the tip of ${id} for other clones`, ''),
      step('its work is closed', closed, keepIt('open-job', sayOpen(record, id))),
    ],
    keepIt('shared-tip', `job ${id} is closed; git owl sync folds it into the archive of the remote`),
  );
}

function sayOpen(record: RecordFacts, id: string): string {
  if (record.kind === 'goal') return `goal ${id} is ${record.goal.status}`;
  return record.kind === 'job' ? `job ${id} is ${record.job.state}` : '';
}

export interface MonthFacts {
  readonly ref: string;
  readonly outcome: 'expired' | 'not-ended' | 'too-young' | 'moved-meanwhile';
  readonly gone: readonly string[];
  readonly movedOn: readonly string[];
}

export function decideMonth(facts: MonthFacts): Item {
  const { gone, movedOn } = facts;
  const moved =
    movedOn.length === 0
      ? ''
      : `; ${movedOn.length} that are open, closed too lately or hold commits of their own move on`;
  return judge(
    { kind: 'archive', subject: facts.ref, owner: null },
    [
      step('the month has ended', facts.outcome !== 'not-ended', keepIt('too-young', 'the month has not ended')),
      step(
        'the month ended gc.keep ago',
        facts.outcome !== 'too-young',
        keepIt('too-young', 'the month ended less than gc.keep ago'),
      ),
    ],
    verdict('expire', 'older-than-keep', `${gone.length === 1 ? '1 entry goes' : `${gone.length} entries go`}${moved}`),
  );
}
