// Publications whose process died, or whose push was never answered: the remote is looked at before anything else (G32).
// What is there is settled and never published again.

import { isOwlError } from '../../domain/errors.js';
import { endOfPatience } from '../../domain/publication.js';
import type { Workbench } from '../workbench.js';
import { isProvenDead } from '../workspace/registration.js';
import { whereabouts } from './look.js';
import {
  allPublications,
  forgetExactly,
  type PublishNote,
  type Sent,
  type StoredNote,
  sayUntil,
  writePublication,
} from './note.js';
import { settlePublication, voidPublication } from './settle.js';

/** Called by writing commands first. Returns one sentence for each thing found or still unknown. */
export async function resumePublications(bench: Workbench): Promise<readonly string[]> {
  const said: string[] = [];
  const here = await bench.environment.process();
  for (const stored of await allPublications(bench)) {
    const { step, owner } = stored.value;
    if (step === 'sending' && !isProvenDead(owner, here)) continue;
    said.push(...(await resumeOne(bench, stored)));
  }
  return said;
}

async function resumeOne(bench: Workbench, stored: StoredNote): Promise<readonly string[]> {
  const { value: note } = stored;
  const { unit, act, remote, branch } = note;
  const found = await whereabouts(bench, note);
  switch (found.kind) {
    case 'there':
      return settled(bench, note, found.sent);
    case 'unknown':
      return [
        `${unit.kind} ${unit.id} was sent to ${branch} of ${remote}, and whether it arrived is not known: ${found.why}`,
      ];
    case 'gone':
      if (!(await forgetExactly(bench, stored))) return [];
      await voidPublication(bench, note);
      return [
        `${unit.kind} ${unit.id}: its ${act} was interrupted; ${remote} does not have it, and it cannot arrive any more; nothing was published`,
      ];
    case 'late':
      return isWaitedFor(bench, stored);
  }
}

async function settled(bench: Workbench, note: PublishNote, sent: Sent): Promise<readonly string[]> {
  const { unit, remote, act } = note;
  const left = await settlePublication(bench, note, sent);
  return [`${unit.kind} ${unit.id}: its ${act} was interrupted; ${remote} has it, and it is finished`, ...left];
}

/** Not there, and it may still arrive, from a connection that hangs or a server that takes its time: not for ever. */
async function isWaitedFor(bench: Workbench, stored: StoredNote): Promise<readonly string[]> {
  const { value: note } = stored;
  const { unit, remote, act } = note;
  if (note.step === 'looked') {
    if (bench.clock.now() >= endOfPatience(note.since)) await forgetExactly(bench, stored);
    return [];
  }
  const looked = await nowLooked(bench, stored);
  if (looked === null) return [];
  return [
    `${unit.kind} ${unit.id}: its ${act} was interrupted; ${remote} does not have it, and it may still arrive until ${sayUntil(looked)}`,
  ];
}

/** Null: somebody carries it on meanwhile. */
async function nowLooked(bench: Workbench, { value, oid }: StoredNote): Promise<PublishNote | null> {
  try {
    return (await writePublication(bench, { ...value, since: undefined, step: 'looked' }, oid)).value;
  } catch (error) {
    if (isOwlError(error, 'busy')) return null;
    throw error;
  }
}
