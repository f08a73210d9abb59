// The note of this clone that a merge of a Job is being made: while its owner lives no other decision about that Job is taken, and
// once it is dead the next writing command finishes or takes back the merge (J34, J36; 07.28).

import { OwlError } from '../../domain/errors.js';
import type { Oid, RefName } from '../../domain/git.js';
import type { Job, Merged } from '../../domain/job.js';
import type { ProcessIdentity } from '../../system/environment.js';
import type { JobRequest } from '../try.js';
import type { Workbench } from '../workbench.js';
import { isProvenDead } from '../workspace/registration.js';

export interface LandingNote {
  readonly job: string;
  readonly ref: RefName;
  readonly merged: Omit<Merged, 'at'>;
  readonly tip: Oid;
  readonly owner: ProcessIdentity;
  readonly request?: JobRequest | undefined;
  /** What was published as the Job's record: taken as it is where the Job is still the one that it was made from. */
  readonly record?: Job | undefined;
  /** The remote is served first: what was sent there, and whether it arrived, is in the note of the publication (G32). */
  readonly published?: true | undefined;
}

const landingNote = (job: string): string => `landing/${job}`;

type Doors = Pick<Workbench, 'notes' | 'environment'>;

/** Is somebody else merging this Job just now? A dead owner's note is settled by `resumeLandings`. */
export async function isLanding(doors: Doors, job: string): Promise<boolean> {
  const note = await doors.notes.read<LandingNote>(landingNote(job));
  return note !== null && (await isOthers(doors, note.value));
}

/** Is it the note of a process that is not proven dead, and not this one? */
export async function isOthers(doors: Doors, note: Pick<LandingNote, 'owner'>): Promise<boolean> {
  const here = await doors.environment.process();
  const { owner } = note;
  if (owner.pid === here.pid && owner.start === here.start && owner.boot === here.boot) return false;
  return !isProvenDead(owner, here);
}

/**
 * Call it inside the loop of each decision about a Job: the merge writes its note before it changes the record, so that of the two
 * one always sees the other. Throws OwlError `busy`.
 */
export async function refuseWhileLanding(doors: Doors, job: string): Promise<void> {
  if (!(await isLanding(doors, job))) return;
  throw new OwlError('busy', `job ${job} is being merged by another process`, {
    preserved: ['nothing was changed'],
    next: [`git owl show ${job}`],
  });
}

/** Puts itself into the note; false: another live process is there. */
export async function takeLanding(doors: Doors, note: LandingNote): Promise<boolean> {
  const found = await doors.notes.read<LandingNote>(landingNote(note.job));
  if (found !== null && (await isOthers(doors, found.value))) return false;
  return doors.notes.write(landingNote(note.job), note, found?.oid ?? 'absent');
}

/** Another's note stays. */
export async function dropLanding(doors: Doors, job: string): Promise<void> {
  const written = await doors.notes.read<LandingNote>(landingNote(job));
  if (written !== null && !(await isOthers(doors, written.value)))
    await doors.notes.remove(landingNote(job), written.oid);
}
