// After the remote has it, what is here follows: the remote-tracking ref, the local branch by fast-forward, and the checkouts
// that have it open (G32, G33). What cannot follow now is noted and follows later; nothing here undoes a publication.

import { branchRef, type Oid, type RefName, remoteRef } from '../../domain/git.js';
import { failpoint } from '../../system/failpoint.js';
import { moveBranchWithCheckouts } from '../follow.js';
import type { Workbench } from '../workbench.js';
import type { Target } from './publish.js';

const TRIES = 3;

/** Returns one sentence for what stays behind. Repeatable. */
export async function followTarget(bench: Workbench, target: Target, commit: Oid): Promise<readonly string[]> {
  await failpoint('publish.before-follow');
  const tracking = remoteRef(target.remote, target.branch);
  const engine = await bench.repository.engine();
  // Git moves it only where the user's own refspec covers the branch.
  const seen = await engine.resolve(tracking);
  if (seen !== commit && (seen === null || (await engine.isAncestor(seen, commit)) === 'ancestor'))
    await engine.swap({ ref: tracking, old: seen ?? 'absent', new: commit }, 'owl: published');
  const said = await followLocal(bench, branchRef(target.branch), commit, target);
  await failpoint('publish.after-follow');
  return said;
}

async function followLocal(bench: Workbench, ref: RefName, commit: Oid, target: Target): Promise<readonly string[]> {
  const engine = await bench.repository.engine();
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const local = await engine.resolve(ref);
    if (local === null || local === commit || (await engine.isAncestor(commit, local)) === 'ancestor') return [];
    if ((await engine.isAncestor(local, commit)) !== 'ancestor')
      return [`${target.branch} here has commits that ${target.remote} does not; it was not moved`];
    const reason = `owl: follow ${target.remote}`;
    const moved = await moveBranchWithCheckouts(bench, { ref, old: local, new: commit, reason, whenBusy: 'note' });
    if (moved.kind === 'moved') return [];
    if (moved.kind === 'waits') return [`${target.branch} here follows later: ${moved.message}`];
  }
  return [`${target.branch} here moves all the time; git pull brings it up`];
}
