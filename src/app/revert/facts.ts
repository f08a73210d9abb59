// What is taken back, and what a revert came to (G52): the same for the merge of a Job and the integration of a Goal's Round. Types only.

import type { Oid, RefName } from '../../domain/git.js';
import type { Goal } from '../../domain/goal.js';
import type { Job } from '../../domain/job.js';
import type { LeaseUnit } from '../../domain/lease.js';
import type { Policy } from '../../domain/policy.js';
import type { JobRequest } from '../try.js';

export interface Taken {
  readonly unit: LeaseUnit;
  readonly title: string;
  readonly merge: Oid;
  /** What comes back: the commit that the target was at before. Null: the first parent of the merge. */
  readonly before: Oid | null;
  /** `remote` null: the local branch is the target. */
  readonly target: { readonly name: string; readonly remote: string | null };
  readonly signing: Policy['signing'];
  /** Lines of the commit's message that name whose revert it is. */
  readonly trailers: readonly string[];
  readonly request?: JobRequest | undefined;
}

export interface RevertFacts {
  /** Where the revert is. */
  readonly ref: RefName;
  /** The merge that was taken back. */
  readonly merge: Oid;
  /** The target that it was made on. */
  readonly onto: Oid;
  /** The commit that did it; null: nothing of the merge was there any more. */
  readonly commit: Oid | null;
  /** Of the lease; null: without one. */
  readonly token: number | null;
  /** Id of the Evidence that a Goal's is recorded as; operation and time of its record. */
  readonly evidence: string;
  readonly op: string;
  readonly at: string;
  readonly request?: JobRequest | undefined;
  /** The record as it was published with the revert. */
  readonly record?: Job | undefined;
}

/** The record after it. */
export type Reverted = { readonly kind: 'job'; readonly job: Job } | { readonly kind: 'goal'; readonly goal: Goal };
