// The note of a publication: every commit that was, or may have been, sent to the target of a remote (G32). Written before
// the push; until the remote was looked at, nobody knows whether that commit arrived, and nothing but cancel is accepted.

import { OwlError } from '../../domain/errors.js';
import type { Oid } from '../../domain/git.js';
import { endOfPatience } from '../../domain/publication.js';
import type { PushUpdate } from '../../git/push.js';
import { formatTimestamp } from '../../system/clock.js';
import type { ProcessIdentity } from '../../system/environment.js';
import type { Workbench } from '../workbench.js';
import { isProvenDead } from '../workspace/registration.js';

export interface PublishedUnit {
  readonly kind: 'job' | 'goal';
  readonly id: string;
}

/** What is published: the merge of a unit's work, or the commit that takes it back. */
export type PublishAct = 'merge' | 'revert';

/** One push of a commit; `detail` is what its settlement needs, whoever makes it. The same commit may have been sent more than once. */
export interface Sent<D = unknown> {
  readonly commit: Oid;
  /** The target that it was made on. */
  readonly expected: Oid;
  /** The state commit that went along; null: none. */
  readonly state: Oid | null;
  /**
   * The branches that went in the same push, all or nothing: where one of them has another value than `old`, that push cannot arrive
   * any more. Empty: the target went alone.
   */
  readonly beside?: readonly PushUpdate[] | undefined;
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
   * when it was asked, `since` then, and it may still arrive.
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

/** `since`: default now. Throws OwlError `busy` when another process of this clone publishes the same. */
export async function writePublication<D>(
  bench: Pick<Workbench, 'notes' | 'environment' | 'clock'>,
  note: Omit<PublishNote<D>, 'owner' | 'since'> & { readonly since?: string | undefined },
  old: Oid | 'absent',
): Promise<StoredNote<D>> {
  const value: PublishNote<D> = {
    ...note,
    since: note.since ?? bench.clock.timestamp(),
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
  if (note !== null) await forgetExactly(bench, note);
}

/** False where somebody has written it anew since: what was found out is not about that one. */
export const forgetExactly = (bench: Pick<Workbench, 'notes'>, { oid, value }: StoredNote): Promise<boolean> =>
  bench.notes.remove(nameOf(value.unit), oid);

export async function allPublications(bench: Pick<Workbench, 'notes'>): Promise<readonly StoredNote[]> {
  const found: StoredNote[] = [];
  for (const { name } of await bench.notes.list('publish/')) {
    const note = await bench.notes.read<PublishNote>(name);
    if (note !== null) found.push(note);
  }
  return found;
}

/**
 * Refuses a decision while nobody knows whether the unit was published, or while what was sent may still arrive (G32); cancel does not
 * ask. Call it after what was left is settled. `continuing`: the act that this command carries on, which is not refused for what may
 * still arrive: whichever of the two is first, the other one fails. `closed`: the unit is, and no act of it can be carried on.
 * Throws OwlError `remote`; `busy` while its owner is at it.
 */
export async function refuseUnknown(
  bench: Pick<Workbench, 'notes' | 'environment'>,
  unit: PublishedUnit,
  { continuing, closed = false }: { readonly continuing?: PublishAct; readonly closed?: boolean } = {},
): Promise<void> {
  const note = await readPublication(bench, unit);
  if (note === null) return;
  const { step, owner, act } = note.value;
  if (step === 'sending' && !isProvenDead(owner, await bench.environment.process()))
    throw new OwlError('busy', `the ${act} of ${unit.kind} ${unit.id} is being published by another process`, {
      preserved: ['nothing was changed'],
      next: [`git owl show ${unit.id}`],
    });
  if (step !== 'looked') throw unknownPublication(note.value);
  if (act !== continuing) throw latePublication(note.value, closed);
}

const sentOnes = ({ sent }: PublishNote): string =>
  `what was sent: ${[...new Set(sent.map(({ commit }) => commit))].join(', ')}`;

const unknownPublication = (note: PublishNote): OwlError => {
  const { unit, remote, branch } = note;
  return new OwlError(
    'remote',
    `${unit.kind} ${unit.id} was sent to ${branch} of ${remote}, and whether it arrived is not known: ${remote} could not be asked`,
    {
      preserved: ['everything here is as it was', sentOnes(note)],
      next: [`git ls-remote ${remote} ${branch}`, `git owl show ${unit.id}`],
    },
  );
};

/** Until when what was sent is waited for, for people. */
export const sayUntil = ({ since }: Pick<PublishNote, 'since'>): string => formatTimestamp(endOfPatience(since));

const latePublication = (note: PublishNote, closed: boolean): OwlError => {
  const { unit, act, remote, branch } = note;
  return new OwlError(
    'remote',
    `the ${act} of ${unit.kind} ${unit.id} was sent to ${branch} of ${remote}, which does not have it; it may still arrive until ${sayUntil(note)}`,
    {
      preserved: ['nothing was changed', sentOnes(note)],
      next: [closed ? 'git owl run' : sameAct(note)],
    },
  );
};

/** Publications that nobody is at and of which nobody knows, one sentence for each, for readers: no remote is asked. */
export async function sayOpenPublications(
  bench: Pick<Workbench, 'notes' | 'environment'>,
  unit?: Pick<PublishedUnit, 'id'>,
): Promise<readonly string[]> {
  const said: string[] = [];
  for (const { value } of await allPublications(bench)) {
    if (unit !== undefined && value.unit.id !== unit.id) continue;
    const { owner, step } = value;
    if (step === 'sending' && !isProvenDead(owner, await bench.environment.process())) continue;
    const { act, unit: of, branch, remote } = value;
    const known =
      step === 'looked'
        ? `it was not there, and may still arrive until ${sayUntil(value)}`
        : 'nobody knows yet whether it arrived';
    said.push(
      `the ${act} of ${of.kind} ${of.id} was sent to ${branch} of ${remote}: ${known}; "git owl run" looks again`,
    );
  }
  return said;
}

/** What carries the act on, and sends the same once more. */
const sameAct = ({ unit, act }: PublishNote): string => {
  if (act === 'revert') return `git owl revert ${unit.id}`;
  return unit.kind === 'goal' ? `git owl goal advance ${unit.id}` : `git owl merge ${unit.id}`;
};
