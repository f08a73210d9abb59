// What is taken back, and what a revert came to (G52): the same for the merge of a Job and the integration of a Goal's Round.

import { type Oid, type RefName, shortOid, shortRef } from '../../domain/git.js';
import type { Goal } from '../../domain/goal.js';
import type { Job } from '../../domain/job.js';
import type { LeaseUnit } from '../../domain/lease.js';
import type { Policy } from '../../domain/policy.js';
import type { JobRequest } from '../try.js';

export interface TakenMerge {
  readonly merge: Oid;
  /** What comes back: the commit that the target was at before. Null: the first parent of the merge. */
  readonly before: Oid | null;
  /** Lines of the commit's message that name whose revert it is. */
  readonly trailers: readonly string[];
}

export interface Taken {
  readonly unit: LeaseUnit;
  readonly title: string;
  /** The newest first: of a Goal, one of each Round that merged. */
  readonly merges: readonly TakenMerge[];
  /** Of a Goal: id of the Evidence that its record names as its integration; null: none. */
  readonly integration: string | null;
  /** `remote` null: the local branch is the target. */
  readonly target: { readonly name: string; readonly remote: string | null };
  readonly signing: Policy['signing'];
  readonly request?: JobRequest | undefined;
}

export interface Undone {
  readonly merge: Oid;
  /** The commit that did it; null: nothing of the merge was there any more. */
  readonly commit: Oid | null;
  /** Id of the Evidence that a Goal's is recorded as. */
  readonly evidence: string;
}

export interface RevertFacts {
  /** Where the revert is. */
  readonly ref: RefName;
  /** The target that it was made on. */
  readonly onto: Oid;
  /** What the target is at then, the last of the commits; null: nothing of any merge was there any more. */
  readonly commit: Oid | null;
  /** Each merge that the target had, the newest first. */
  readonly undone: readonly Undone[];
  /** As in `Taken`. */
  readonly integration: string | null;
  /** Of the lease; null: without one. */
  readonly token: number | null;
  /** Operation and time of its record. */
  readonly op: string;
  readonly at: string;
  readonly request?: JobRequest | undefined;
  /** The record as it was published with the revert. */
  readonly record?: Job | undefined;
}

/** The record after it. */
export type Reverted = { readonly kind: 'job'; readonly job: Job } | { readonly kind: 'goal'; readonly goal: Goal };

/** For the log: `its merge <id> was taken back on main by <id>`. */
export function sayUndone({ undone, ref, commit }: Pick<RevertFacts, 'undone' | 'ref' | 'commit'>): string {
  const merges = undone.map(({ merge }) => shortOid(merge)).join(', ');
  const [what, were] = undone.length === 1 ? ['merge', 'was'] : ['merges', 'were'];
  return `its ${what} ${merges} ${were} taken back on ${shortRef(ref)}${commit === null ? '' : ` by ${shortOid(commit)}`}`;
}
