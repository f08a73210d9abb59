// The note of a publication: every commit that was, or may have been, sent to the target of a remote (G32). Written before
// the push; until the remote was looked at, nobody knows whether that commit arrived, and nothing but cancel is accepted.

import { OwlError } from '../../domain/errors.js';
import type { Oid } from '../../domain/git.js';
import type { ProcessIdentity } from '../../system/environment.js';
import type { Workbench } from '../workbench.js';
import { isProvenDead } from '../workspace/registration.js';

export interface PublishedUnit {
  readonly kind: 'job' | 'goal';
  readonly id: string;
}

/** What is published: the merge of a unit's work, or the commit that takes it back. */
export type PublishAct = 'merge' | 'revert';

/** One commit that was sent; `detail` is what its settlement needs, whoever makes it. */
export interface Sent<D = unknown> {
  readonly commit: Oid;
  /** The target that it was made on. */
  readonly expected: Oid;
  /** The state commit that went along; null: none. */
  readonly state: Oid | null;
  readonly detail: D;
}

export interface PublishNote<D = unknown> {
  readonly unit: PublishedUnit;
  readonly act: PublishAct;
  readonly remote: string;
  /** Branch name, whole. */
  readonly branch: string;
  /**
   * `sending`: by its owner, just now. `unknown`: neither the push nor a look was answered. `looked`: the remote did not have it
   * when it was asked, `since` then.
   */
  readonly step: 'sending' | 'unknown' | 'looked';
  readonly since: string;
  /** Oldest first. One of them on the remote is enough: it is done, and nothing is published again. */
  readonly sent: readonly Sent<D>[];
  readonly owner: ProcessIdentity;
}

export interface StoredNote<D = unknown> {
  readonly oid: Oid;
  readonly value: PublishNote<D>;
}

const nameOf = (unit: Pick<PublishedUnit, 'id'>): string => `publish/${unit.id}`;

export const readPublication = async <D>(
  bench: Pick<Workbench, 'notes'>,
  unit: Pick<PublishedUnit, 'id'>,
): Promise<StoredNote<D> | null> => bench.notes.read<PublishNote<D>>(nameOf(unit));

/** Throws OwlError `busy` when another process of this clone publishes the same. */
export async function writePublication<D>(
  bench: Pick<Workbench, 'notes' | 'environment' | 'clock'>,
  note: Omit<PublishNote<D>, 'owner' | 'since'>,
  old: Oid | 'absent',
): Promise<StoredNote<D>> {
  const value: PublishNote<D> = {
    ...note,
    since: bench.clock.timestamp(),
    owner: await bench.environment.process(),
  };
  if (await bench.notes.write(nameOf(note.unit), value, old)) {
    const stored = await readPublication<D>(bench, note.unit);
    if (stored !== null) return stored;
  }
  throw new OwlError('busy', `another process publishes ${note.unit.kind} ${note.unit.id}`, {
    preserved: ['nothing was published'],
    next: [`git owl show ${note.unit.id}`],
  });
}

/** Once it is settled. */
export async function forgetPublication(
  bench: Pick<Workbench, 'notes'>,
  unit: Pick<PublishedUnit, 'id'>,
): Promise<void> {
  const note = await readPublication(bench, unit);
  if (note !== null) await bench.notes.remove(nameOf(unit), note.oid);
}

export async function allPublications(bench: Pick<Workbench, 'notes'>): Promise<readonly StoredNote[]> {
  const found: StoredNote[] = [];
  for (const { name } of await bench.notes.list('publish/')) {
    const note = await bench.notes.read<PublishNote>(name);
    if (note !== null) found.push(note);
  }
  return found;
}

/**
 * Refuses a decision while nobody knows whether the unit was published (G32); cancel does not ask. Call it after what was left
 * is settled: then the remote could not be asked. Throws OwlError `remote`; `busy` while its owner is at it.
 */
export async function refuseUnknown(
  bench: Pick<Workbench, 'notes' | 'environment'>,
  unit: PublishedUnit,
): Promise<void> {
  const note = await readPublication(bench, unit);
  if (note === null || note.value.step === 'looked') return;
  const { step, owner, act } = note.value;
  if (step === 'sending' && !isProvenDead(owner, await bench.environment.process()))
    throw new OwlError('busy', `the ${act} of ${unit.kind} ${unit.id} is being published by another process`, {
      preserved: ['nothing was changed'],
      next: [`git owl show ${unit.id}`],
    });
  throw unknownPublication(note.value);
}

export const unknownPublication = ({ unit, remote, branch, sent }: PublishNote): OwlError =>
  new OwlError(
    'remote',
    `${unit.kind} ${unit.id} was sent to ${branch} of ${remote}, and whether it arrived is not known: ${remote} could not be asked`,
    {
      preserved: ['everything here is as it was', `what was sent: ${sent.map(({ commit }) => commit).join(', ')}`],
      next: [`git ls-remote ${remote} ${branch}`, `git owl show ${unit.id}`],
    },
  );
