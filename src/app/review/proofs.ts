// What a gate printed, found again beside its proof: the output of its checks, its agent's log, and what was noted (G13, J17).

import type { Evidence } from '../../domain/goal.js';
import type { CheckResult } from '../../domain/job.js';
import type { StateStore } from '../../state/types.js';
import { proofLink } from '../gates/evidence.js';
import type { FailedCheck } from '../run/failures.js';
import { checkOutput, keptLog } from '../run/kept-log.js';

export const isProof = ({ type }: Pick<Evidence, 'type'>): boolean => type === 'quality' || type === 'governance';

export interface ProofOutput {
  /** Of each check, in their order. */
  readonly checks: readonly FailedCheck[];
  /** Of its agent; null: there was none, or nothing is kept. */
  readonly log: Buffer | null;
  readonly notes: readonly string[];
}

/** Reads what is kept; what has expired is null. `log`: false leaves the agent's log alone. */
export async function loadProof(
  store: StateStore,
  proof: Evidence,
  which: { readonly log: boolean; readonly checks: (check: CheckResult) => boolean },
): Promise<ProofOutput> {
  const link = await proofLink(store, proof);
  const notes = link === null ? null : await store.keptFile(link, 'notes');
  return {
    checks: await Promise.all(
      proof.checks
        .filter(which.checks)
        .map(async (check) => ({ check, output: await checkOutput(store, link, check) })),
    ),
    log: which.log && link !== null ? await keptLog(store, link) : null,
    notes: (notes?.toString('utf8') ?? '').split('\n').filter((line) => line !== ''),
  };
}
