// Is an integration still delivered? The one test that refresh, publication, approval and reconciliation share (03, "Contained").

import type { Oid } from '../../domain/git.js';
import { isReverted } from '../../git/reverts.js';
import type { Workbench } from '../workbench.js';

export type Containment =
  | 'contained'
  /** The target does not have the merge: it was rewound, or never came there. */
  | 'missing'
  | 'reverted'
  /** History is missing here; never taken for a yes. */
  | 'unknown';

export interface Integration {
  /** The merge that the Round's own integration evidence names. */
  readonly merge: Oid;
  /** There is evidence of our own that it was reverted (G52). */
  readonly reverted: boolean;
}

export async function lookContained(
  bench: Pick<Workbench, 'repository'>,
  integration: Integration,
  target: Oid,
): Promise<Containment> {
  if (integration.reverted) return 'reverted';
  const { merge } = integration;
  const there = merge === target ? 'ancestor' : await (await bench.repository.engine()).isAncestor(merge, target);
  if (there === 'not-ancestor') return 'missing';
  // A merge that is not even here cannot be in a target that is.
  if (there !== 'ancestor') return 'unknown';
  const reverted = await isReverted(bench.repository, merge, target);
  if (reverted === null) return 'unknown';
  return reverted ? 'reverted' : 'contained';
}
