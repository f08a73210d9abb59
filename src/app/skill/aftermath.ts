// What a Skill or handler left in its checkout: kept before anything else is done there, never judged and never taken back (00, rule 1).

import type { Oid } from '../../domain/git.js';
import type { SkillEvent } from '../../domain/skill-event.js';
import { makeBranchAgain } from '../branch-again.js';
import { keepOnly } from '../run/settle.js';
import type { Workbench } from '../workbench.js';
import { admit } from '../workspace/admit.js';
import { cleanliness } from '../workspace/cleanliness.js';
import { snapshotWip } from '../workspace/snapshot.js';
import type { Workspace } from '../workspace/types.js';

export interface LeftCheckout {
  readonly workspace: Workspace;
  readonly event: Pick<SkillEvent, 'goal' | 'skill'>;
  readonly base: Oid;
}

/** Sentences for its notes. What stands where it may not is left so: the next step refuses it by name (G8). */
export async function keepCheckout(bench: Workbench, left: LeftCheckout): Promise<readonly string[]> {
  const { workspace, event } = left;
  const { branch } = workspace;
  const notes: string[] = [];
  if (branch !== null) {
    const engine = await bench.repository.engine();
    if ((await engine.resolve(branch)) === null) {
      const at = { ref: branch, oid: workspace.head, work: event.goal };
      const again = await makeBranchAgain(bench, at, 'owl: the branch was gone after a Skill');
      notes.push(`the branch ${branch} was gone${again === 'made' ? ' and was made again where it was' : ''}`);
      if (again === 'closed') {
        await keepOnly(bench, event.goal, [{ commit: workspace.head, subject: `where ${event.skill} began` }]);
        notes.push(`its goal is closed: what it held is kept, ${workspace.head}`);
      }
    }
  }
  const expected =
    branch === null ? ({ kind: 'commit', oid: workspace.head } as const) : ({ kind: 'branch', ref: branch } as const);
  const found = await admit(bench, { id: workspace.id, path: workspace.path, expected });
  if (found.kind !== 'admitted') {
    notes.push(found.kind === 'missing' ? 'its checkout is gone' : found.message);
    return notes;
  }
  if ((await cleanliness(bench.repository, found.workspace)).clean) return notes;
  const wip = await snapshotWip(bench.repository, found.workspace, { base: left.base });
  if (wip.kind !== 'taken') return notes;
  await keepOnly(bench, event.goal, [{ commit: wip.commit, subject: `wip of ${event.skill}` }]);
  notes.push(`what it left uncommitted is kept, and stays there: ${wip.commit}`);
  return notes;
}
