// A Skill or handler that is at work while no step carries its Goal: it takes a place, and it ends with what stops the Goal (J4, J18, G53).

import type { Goal } from '../../domain/goal.js';
import type { Invocation } from '../../domain/invocation.js';
import type { Claim } from '../../domain/job.js';
import type { Snapshot } from '../../state/types.js';
import type { ProcessIdentity } from '../../system/environment.js';
import { isAlive } from '../../system/processes.js';
import { knownClone } from '../clone.js';
import type { Workbench } from '../workbench.js';

export type LiveInvocation = Invocation & { readonly claim: Claim };

/** Whose processes are looked at. */
export interface Here {
  readonly identity: ProcessIdentity;
  readonly clone: string | null;
}

export const whereWeAre = async (bench: Pick<Workbench, 'environment' | 'notes'>): Promise<Here> => ({
  identity: await bench.environment.process(),
  clone: await knownClone(bench),
});

/** Started by this clone, and not provably gone; null: none is. */
export async function liveInvocation(
  { identity, clone }: Here,
  snapshot: Pick<Snapshot, 'invocations'>,
  goal: Pick<Goal, 'id'>,
): Promise<LiveInvocation | null> {
  if (clone === null) return null;
  for (const one of await snapshot.invocations(goal.id)) {
    const { claim } = one;
    if (one.state !== 'started' || one.clone !== clone || claim === null) continue;
    if (isAlive(claim, identity) !== 'dead') return { ...one, claim };
  }
  return null;
}
