// What governance finds by itself: guarded and protected paths, and how much the Candidate changes (G31, J37).

import { matchedPaths, sayGuarded } from '../../config/guard.js';
import { type Delta, deltaFindings, gateChecks, isUngated, ungatedFinding } from '../../domain/gates.js';
import type { CandidatePair, Finding } from '../../domain/goal.js';
import { HANDOFF_PATH } from '../../domain/handoff.js';
import type { LoadedPolicy } from '../../domain/policy.js';
import { changedFiles, countLines } from '../../git/diff.js';
import type { Repository } from '../../git/repository.js';
import { guardedIn } from '../guarded.js';
import type { Workbench } from '../workbench.js';

/** Findings that need neither a check nor an agent. */
export async function ownFindings(
  bench: Pick<Workbench, 'repository'>,
  loaded: Pick<LoadedPolicy, 'policy' | 'path'>,
  candidate: CandidatePair,
  allowed: boolean,
): Promise<readonly Finding[]> {
  const { policy } = loaded;
  const found = deltaFindings(policy, await loadDelta(bench, loaded, candidate), allowed);
  return isUngated(policy) ? [ungatedFinding, ...found] : found;
}

async function loadDelta(
  bench: Pick<Workbench, 'repository'>,
  loaded: Pick<LoadedPolicy, 'policy' | 'path'>,
  { base, tip }: CandidatePair,
): Promise<Delta> {
  const [changed, guarded] = await Promise.all([
    changedFiles(bench.repository, base, tip, { renames: false }),
    guardedIn(bench, loaded, base, tip),
  ]);
  const paths = changed.map((file) => file.path).filter((path) => path !== HANDOFF_PATH);
  return {
    paths,
    lines:
      loaded.policy.governance.max_changed.lines === null ? 0 : await changedLines(bench.repository, { base, tip }),
    guarded,
    guardedFor: sayGuarded(loaded.policy, guarded),
    protected: matchedPaths(loaded.policy.governance.protect, paths),
  };
}

/** Lines added and removed, the Handoff's left out. Attributes of the base say what is binary, so that a branch hides nothing. */
async function changedLines(repository: Repository, { base, tip }: CandidatePair): Promise<number> {
  const counts = (await countLines(repository, base, tip)).filter(({ path }) => path !== HANDOFF_PATH);
  return counts.reduce((sum, { added, removed }) => sum + (added ?? 0) + (removed ?? 0), 0);
}

/** Has this gate a check or an agent of its own to run? */
export const asksAnybody = (policy: LoadedPolicy['policy'], gate: 'quality' | 'governance'): boolean =>
  gateChecks(policy, gate).length > 0 || policy[gate].agent !== null;
