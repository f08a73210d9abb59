// What a command that writes does first: finish, or take back, what a killed one left (01, Writes; J5; G33; J36).

import { AUTOMATED } from '../domain/goal.js';
import { checkoutsOnFile } from '../git/worktree-files.js';
import { STATE_REF } from '../state/layout.js';
import type { Workbench } from './workbench.js';

/**
 * Intents, then checkouts that wait, then merges here and on the remote, each said in one sentence, after a checkout of the state
 * that will not follow; last, in silence, notes of settled Runs. What settles
 * them is loaded when there is something to settle. Reading commands never call this.
 */
export async function settleLeftovers(bench: Workbench): Promise<void> {
  for (const path of checkoutsOnFile(bench.repository, STATE_REF))
    bench.say(`refine/state is checked out in ${path}; its files do not follow the state`);
  await bench.notes.tidy();
  const local = await bench.notes.list('');
  if (local.length === 0) return settlePassed(bench);
  for (const line of await bench.store.recover()) bench.say(line);
  const has = (prefix: string): boolean => local.some((note) => note.name.startsWith(prefix));
  if (has('follow/') || has('locks/') || has('lock/')) {
    const { resumeFollows } = await import('./resume-follows.js');
    for (const line of await resumeFollows(bench)) bench.say(line);
  }
  if (has('landing/')) {
    const { resumeLandings } = await import('./land/move-base.js');
    for (const line of await resumeLandings(bench)) bench.say(line);
  }
  if (has('reverting/')) {
    const { resumeReverts } = await import('./revert/resume.js');
    for (const line of await resumeReverts(bench)) bench.say(line);
  }
  if (has('publish/')) {
    const { resumePublications } = await import('./publish/resume.js');
    for (const line of await resumePublications(bench)) bench.say(line);
  }
  if (has('lease/')) {
    const { resumeLeases } = await import('./lease/resume.js');
    await resumeLeases(bench);
  }
  if (has('runs/')) {
    const { forgetSettled } = await import('./run/recover.js');
    await forgetSettled(
      bench,
      local.map((note) => note.name),
    );
  }
  await settlePassed(bench);
}

/** Windows of Error events that are due (G41): only a Goal in one of its steps has one, and two small blobs say whether there is any. */
async function settlePassed(bench: Workbench): Promise<void> {
  const counts = await bench.store.openCounts();
  if (![...AUTOMATED].some((status) => (counts[`goal-${status}`] ?? 0) > 0)) return;
  const { settleWindows } = await import('./goal/windows.js');
  for (const line of await settleWindows(bench)) bench.say(line);
}
