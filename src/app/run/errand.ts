// For whom a process runs: what setup commands, checks and agents are told about it, and the one branch they may write (J16).

import type { Gate } from '../../domain/gates.js';
import type { Oid, RefName } from '../../domain/git.js';
import type { Job, Phase } from '../../domain/job.js';
import { jobRef } from '../jobs.js';

export interface Errand {
  /** The Job's id, or the Goal's in a gate: `OWL_JOB`, the name of checkouts, and what outputs are kept for. */
  readonly id: string;
  /** `skill`: a Skill or an Error handler. */
  readonly phase: Phase | Gate | 'skill';
  readonly base: Oid;
  /** What a commit in its checkout moves; null: only a detached HEAD. */
  readonly branch: RefName | null;
  readonly goal?: { readonly id: string; readonly round: number; readonly candidate?: Oid | undefined } | undefined;
  /** Further variables of ours, all `OWL_…`: what a Skill is told about its event. */
  readonly told?: Readonly<Record<string, string>> | undefined;
}

export const errandOf = (
  job: Pick<Job, 'id' | 'prefix' | 'slug' | 'goal' | 'round'>,
  phase: Phase,
  base: Oid,
): Errand => ({
  id: job.id,
  phase,
  base,
  branch: jobRef(job),
  ...(job.goal === null ? {} : { goal: { id: job.goal, round: job.round ?? 1 } }),
});
