// The note of this clone that a revert moves the local target: while its owner lives no other decision about that unit is taken, and
// once it is dead the next writing command finishes or forgets it (G52; 07.28).

import { OwlError } from '../../domain/errors.js';
import type { ProcessIdentity } from '../../system/environment.js';
import { isOthers } from '../land/landing-note.js';
import type { PublishedUnit } from '../publish/note.js';
import type { Workbench } from '../workbench.js';
import type { RevertFacts } from './facts.js';

export interface RevertNote {
  readonly unit: PublishedUnit;
  readonly facts: RevertFacts;
  readonly owner: ProcessIdentity;
}

type Doors = Pick<Workbench, 'notes' | 'environment'>;

const nameOf = (id: string): string => `reverting/${id}`;

/** Puts itself into the note; false: another live process is there. */
export async function takeReverting(doors: Doors, note: Omit<RevertNote, 'owner'>): Promise<boolean> {
  const name = nameOf(note.unit.id);
  const found = await doors.notes.read<RevertNote>(name);
  if (found !== null && (await isOthers(doors, found.value))) return false;
  const value: RevertNote = { ...note, owner: await doors.environment.process() };
  return doors.notes.write(name, value, found?.oid ?? 'absent');
}

/** Another's note stays. */
export async function dropReverting(doors: Doors, id: string): Promise<void> {
  const found = await doors.notes.read<RevertNote>(nameOf(id));
  if (found !== null && !(await isOthers(doors, found.value))) await doors.notes.remove(nameOf(id), found.oid);
}

/** Call it inside the loop of each decision about the unit. Throws OwlError `busy`. */
export async function refuseWhileReverting(doors: Doors, unit: PublishedUnit): Promise<void> {
  const found = await doors.notes.read<RevertNote>(nameOf(unit.id));
  if (found === null || !(await isOthers(doors, found.value))) return;
  throw new OwlError('busy', `${unit.kind} ${unit.id} is being reverted by another process`, {
    preserved: ['nothing was changed'],
    next: [`git owl show ${unit.id}`],
  });
}
