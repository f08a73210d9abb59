// What `gc` says of one thing: an item with its reason and its proof (04). Pure. The decisions themselves: collect-worktree.ts,
// collect-refs.ts, collect-scratch.ts.

import type { CollectReason } from './collect-reasons.js';
import { CLOSED_GOALS, type Goal } from './goal.js';
import type { Job } from './job.js';
import type { Policy } from './policy.js';

export type ItemKind =
  | 'run'
  | 'job'
  | 'worktree'
  | 'branch'
  | 'remote-branch'
  | 'kept'
  | 'archive'
  | 'claim'
  | 'commit'
  | 'scratch'
  | 'note'
  | 'record';

/** `none`: left alone. `report`: unfinished work that a person should know of; never deleted (M2). */
export type Action =
  | 'none'
  | 'report'
  | 'settle-run'
  | 'settle'
  | 'land'
  | 'remove-worktree'
  | 'delete-branch'
  | 'retire'
  | 'remove-claim'
  | 'remove-scratch'
  | 'remove-note'
  | 'fold'
  | 'expire';

/** One thing that must hold before the action, and whether it does (`--explain`). */
export interface Proof {
  readonly what: string;
  readonly holds: boolean;
}

export interface Item {
  readonly kind: ItemKind;
  /** A full ref, an absolute path, or an object id. */
  readonly subject: string;
  /** Id of the Job or Goal that it belongs to; null: of none. */
  readonly owner: string | null;
  /** Of a `remote-branch`: where it lies. */
  readonly remote?: string | undefined;
  readonly action: Action;
  readonly reason: CollectReason;
  /** One sentence about this very thing, without a trailing period. */
  readonly detail: string;
  /** In the order looked at, up to the first that is lacking. */
  readonly proof: readonly Proof[];
}

export interface Verdict {
  readonly action: Action;
  readonly reason: CollectReason;
  readonly detail: string;
}

/** A condition, and what follows where it does not hold. */
export interface Step {
  readonly proof: Proof;
  /** A function where to say it costs something, and there are many of them. */
  readonly otherwise: Verdict | (() => Verdict);
}

export const verdict = (action: Action, reason: CollectReason, detail: string): Verdict => ({ action, reason, detail });

type Subject = Pick<Item, 'kind' | 'subject' | 'owner' | 'remote'>;

/** Goes through the steps to the first that does not hold; all hold: `then`. */
export function judge(of: Subject, steps: readonly Step[], then: Verdict): Item {
  const lacking = steps.findIndex(({ proof }) => !proof.holds);
  const looked = lacking < 0 ? steps : steps.slice(0, lacking + 1);
  const otherwise = steps[lacking]?.otherwise ?? then;
  return itemOf(
    of,
    typeof otherwise === 'function' ? otherwise() : otherwise,
    looked.map(({ proof }) => proof),
  );
}

/** Each field by its name: there are many of them. */
function itemOf(of: Subject, { action, reason, detail }: Verdict, proof: readonly Proof[]): Item {
  const { kind, subject, owner, remote } = of;
  return remote === undefined
    ? { kind, subject, owner, action, reason, detail, proof }
    : { kind, subject, owner, remote, action, reason, detail, proof };
}

/** What the state says of an id. `unknown`: absent without a tombstone, which is not "gone" (00, rule 4). */
export type RecordFacts =
  | { readonly kind: 'job'; readonly job: Job; readonly live: boolean }
  /** `live`: a process carries it, or it cannot be told that none does. */
  | { readonly kind: 'goal'; readonly goal: Goal; readonly live: boolean }
  | { readonly kind: 'deleted'; readonly at: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unreadable'; readonly why: string };

export interface Limits {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly gc: Policy['gc'];
}

export const isOpen = (record: RecordFacts): boolean =>
  record.kind === 'job'
    ? record.job.state !== 'done' && record.job.state !== 'cancelled'
    : record.kind === 'goal' && !CLOSED_GOALS.has(record.goal.status);

export const step = (what: string, holds: boolean, otherwise: Step['otherwise']): Step => ({
  proof: { what, holds },
  otherwise,
});

/** One that was looked at, and holds. */
export const proven = (what: string): Step => step(what, true, NEVER);
const NEVER = verdict('none', 'changed', '');

export const keepIt = (reason: CollectReason, detail: string): Verdict => verdict('none', reason, detail);

const RECORDED = proven('there is a record of it');

/** There is a record, or a tombstone, and it can be read. */
export function recordStep(record: RecordFacts, what: string, more: string): Step {
  if (record.kind === 'job' || record.kind === 'goal' || record.kind === 'deleted') return RECORDED;
  const otherwise =
    record.kind === 'unreadable'
      ? keepIt('damaged-record', `${what}, and its record cannot be read: ${record.why}`)
      : verdict('report', 'no-record', `${what}, of which there is no record here${more}`);
  return step(RECORDED.proof.what, false, otherwise);
}
