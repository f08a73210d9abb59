// A gate whose process is gone: what it started is ended, what an agent had made of the Candidate is kept, its checkout goes, and
// nothing of it counts: the gate is run again (G14; 01, Liveness).

import { join } from 'node:path';
import { OwlError } from '../../domain/errors.js';
import type { Oid } from '../../domain/git.js';
import { listWorktrees } from '../../git/worktree.js';
import { forget } from '../run/forget.js';
import { endStarted } from '../run/recover.js';
import { keepOnly } from '../run/settle.js';
import type { Workbench } from '../workbench.js';
import { admit } from '../workspace/admit.js';
import { cleanliness } from '../workspace/cleanliness.js';
import { disposeFresh, isFreshOf } from '../workspace/fresh.js';
import { isProvenDead, loadRegistration, type Registration, registeredIds } from '../workspace/registration.js';
import { snapshotWip } from '../workspace/snapshot.js';
import type { Workspace } from '../workspace/types.js';

/**
 * Call it when the claim with this id is provably dead. Returns why the Goal has to wait (OwlError `busy`); null: the gate may be run
 * again. What is in an unusable state, or half made, is left to `gc`.
 */
export async function settleDeadGate(bench: Workbench, goal: string, marker: string): Promise<OwlError | null> {
  const { foreign } = await endStarted(bench, marker);
  if (foreign !== null)
    return new OwlError(
      'busy',
      `goal ${goal}: process group ${foreign} cannot be proven to be the agent of its gate; the goal waits until it is gone`,
      { preserved: ['nothing was ended'], next: ['git owl status'] },
    );
  const here = await bench.environment.process();
  for (const id of await registeredIds(bench.notes)) {
    const note = isFreshOf(id, goal) ? await loadRegistration(bench.notes, id) : null;
    if (note?.value.step !== 'registered' || !isProvenDead(note.value.owner, here)) continue;
    const workspace = await openLeft(bench, id, note.value);
    if (workspace === null) continue;
    await keepWork(bench, goal, workspace);
    await disposeFresh(bench, workspace);
  }
  await forget(bench, marker);
  return null;
}

/** The checkout as it was left, on whatever commit; null: it is not what was registered. */
async function openLeft(bench: Workbench, id: string, note: Registration): Promise<Workspace | null> {
  const admin = join(bench.repository.commonDir, 'worktrees', note.admin ?? '');
  const head = (await listWorktrees(bench.repository)).find((place) => place.admin === admin)?.head ?? null;
  if (head === null) return null;
  const found = await admit(bench, { id, path: note.path, expected: { kind: 'commit', oid: head } });
  return found.kind === 'admitted' ? found.workspace : null;
}

async function keepWork(bench: Workbench, goal: string, workspace: Workspace): Promise<void> {
  const pins: { readonly commit: Oid; readonly subject: string }[] = [];
  const known = await bench.repository.git.run(['for-each-ref', '--count=1', `--contains=${workspace.head}`]);
  if (known.code !== 0 || known.stdout.length === 0)
    pins.push({ commit: workspace.head, subject: 'commits in the checkout of a gate that was killed' });
  if ((await cleanliness(bench.repository, workspace)).modified.length > 0) {
    const wip = await snapshotWip(bench.repository, workspace);
    if (wip.kind === 'taken')
      pins.push({ commit: wip.commit, subject: 'changes in the checkout of a gate that was killed' });
  }
  if (pins.length > 0) await keepOnly(bench, goal, pins);
}
