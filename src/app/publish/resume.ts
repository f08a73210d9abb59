// Publications whose process died, or whose push was never answered: the remote is looked at before anything else (G32).
// What is there is settled and never published again.

import { failpoint } from '../../system/failpoint.js';
import type { Workbench } from '../workbench.js';
import { isProvenDead } from '../workspace/registration.js';
import { allPublications, forgetPublication, type PublishNote, type Sent, writePublication } from './note.js';
import { findSent } from './publish.js';
import { settlePublication } from './settle.js';

/** Milliseconds after which a push that was never answered, and was not there when it was looked for, is not waited for any more. */
const PATIENCE = 10 * 60_000;

/** Called by writing commands first. Returns one sentence for each thing found or still unknown. */
export async function resumePublications(bench: Workbench): Promise<readonly string[]> {
  const said: string[] = [];
  const here = await bench.environment.process();
  for (const { value } of await allPublications(bench)) {
    const { owner } = value;
    if (value.step === 'sending' && !isProvenDead(owner, here)) continue;
    if (value.step === 'looked' && bench.clock.now() - Date.parse(value.since) < PATIENCE) continue;
    said.push(...(await resumeOne(bench, value)));
  }
  return said;
}

async function resumeOne(bench: Workbench, note: PublishNote): Promise<readonly string[]> {
  const { unit, remote, branch } = note;
  const found = await findSent(bench, unit);
  await failpoint('publish.after-look');
  switch (found.kind) {
    case 'there':
      return settled(bench, note, found.sent);
    case 'unknown':
      return [
        `${unit.kind} ${unit.id} was sent to ${branch} of ${remote}, and whether it arrived is not known: ${found.why}`,
      ];
    case 'not-there':
      return givenUp(bench, note);
  }
}

async function settled(bench: Workbench, note: PublishNote, sent: Sent): Promise<readonly string[]> {
  const { unit, remote, act } = note;
  const left = await settlePublication(bench, note, sent);
  return [`${unit.kind} ${unit.id}: its ${act} was interrupted; ${remote} has it, and it is finished`, ...left];
}

/** Not there. It may still arrive from a connection that hangs, so that it is looked for once more, later. */
async function givenUp(bench: Workbench, note: PublishNote): Promise<readonly string[]> {
  const { unit, remote, act } = note;
  if (note.step === 'looked') {
    await forgetPublication(bench, unit);
    return [];
  }
  const stored = (await allPublications(bench)).find(({ value }) => value.unit.id === unit.id);
  if (stored !== undefined) await writePublication(bench, { ...note, step: 'looked' }, stored.oid);
  return [`${unit.kind} ${unit.id}: its ${act} was interrupted, and ${remote} does not have it; nothing was published`];
}
