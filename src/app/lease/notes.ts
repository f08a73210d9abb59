// What this clone knows of leases: when it first saw a value, and which acquisitions are its own (01, `refs/owl/local`; G30).

import type { RefName } from '../../domain/git.js';
import type { LeaseRead, LeaseSight, LeaseUnit, LeaseValue } from '../../domain/lease.js';
import { sightOf } from '../../domain/lease.js';
import type { ProcessIdentity } from '../../system/environment.js';
import type { Workbench } from '../workbench.js';
import { isProvenDead } from '../workspace/registration.js';
import type { LeasePlace } from './place.js';

/** One acquisition of this clone. */
export interface Acquisition {
  readonly target: string;
  readonly remote: string | null;
  readonly ref?: RefName | undefined;
  readonly holder: string;
  readonly unit: LeaseUnit;
  readonly owner: ProcessIdentity;
  /** The work under it ended, and the remote could not be told, or did not say whether it has it. */
  readonly over?: boolean | undefined;
}

type Doors = Pick<Workbench, 'notes' | 'environment' | 'clock'>;

const seenName = (name: string): string => `lease-seen/${name}`;
const ownName = (name: string, holder: string): string => `lease/${name}/${holder}`;

/** The first sight of what the ref holds, without noting it. */
export async function knownSight(doors: Doors, name: string, read: LeaseRead): Promise<LeaseSight> {
  const before = await doors.notes.read<LeaseSight>(seenName(name));
  return sightOf(before?.value ?? null, read, doors.clock.now());
}

/** The same, noted. What could not be read is no sight. */
export async function noteSight(doors: Doors, name: string, read: LeaseRead): Promise<LeaseSight> {
  if (read.kind === 'failed') return knownSight(doors, name, read);
  for (;;) {
    const before = await doors.notes.read<LeaseSight>(seenName(name));
    const sight = sightOf(before?.value ?? null, read, doors.clock.now());
    if (before !== null && sight === before.value) return sight;
    if (await doors.notes.write(seenName(name), sight, before?.oid ?? 'absent')) return sight;
  }
}

/** Before the ref moves: this acquisition is ours, should we die in between. */
export async function noteOwn(
  doors: Doors,
  place: Pick<LeasePlace, 'name' | 'target' | 'remote' | 'ref'>,
  holder: string,
  unit: LeaseUnit,
): Promise<void> {
  const { name, target, remote, ref } = place;
  const note: Acquisition = { target, remote, ref, holder, unit, owner: await doors.environment.process() };
  const before = await doors.notes.read<Acquisition>(ownName(name, holder));
  await doors.notes.write(ownName(name, holder), note, before?.oid ?? 'absent');
}

export async function forgetOwn(doors: Doors, name: string, holder: string): Promise<void> {
  const note = await doors.notes.read<Acquisition>(ownName(name, holder));
  if (note !== null) await doors.notes.remove(ownName(name, holder), note.oid);
}

/** Nobody works under it any more, whatever the remote says: this clone may take it at once. */
export async function endOwn(doors: Doors, name: string, holder: string): Promise<void> {
  const note = await doors.notes.read<Acquisition>(ownName(name, holder));
  if (note !== null) await doors.notes.write(ownName(name, holder), { ...note.value, over: true }, note.oid);
}

const isOver = (note: Acquisition, here: ProcessIdentity): boolean =>
  note.over === true || isProvenDead(note.owner, here);

/** What this clone knows of a holder; null: it is of another clone. */
export async function holderHere(
  doors: Doors,
  name: string,
  value: LeaseValue,
): Promise<'live' | 'dead' | 'self' | null> {
  if (value.holder === null) return null;
  const note = await doors.notes.read<Acquisition>(ownName(name, value.holder));
  if (note === null) return null;
  const here = await doors.environment.process();
  const { owner } = note.value;
  if (isOver(note.value, here)) return 'dead';
  if (owner.pid === here.pid && owner.start === here.start && owner.boot === here.boot) return 'self';
  return 'live';
}

/** Acquisitions that are over and that no ref names any more are forgotten. */
export async function forgetOthers(doors: Doors, name: string, holder: string | null): Promise<void> {
  const here = await doors.environment.process();
  for (const { name: note } of await doors.notes.list(`lease/${name}`)) {
    const found = await doors.notes.read<Acquisition>(note);
    if (found === null || found.value.holder === holder || !isOver(found.value, here)) continue;
    await doors.notes.remove(note, found.oid);
  }
}

/** Acquisitions that are over, or whose process is proven dead. */
export async function deadAcquisitions(doors: Doors): Promise<readonly Acquisition[]> {
  const here = await doors.environment.process();
  const found: Acquisition[] = [];
  for (const { name } of await doors.notes.list('lease/')) {
    const note = await doors.notes.read<Acquisition>(name);
    if (note !== null && isOver(note.value, here)) found.push(note.value);
  }
  return found;
}
