// Why a revert was not made, as errors: what was kept and what to run next. Pure.

import { OwlError } from '../../domain/errors.js';
import { type Oid, type RefName, shortOid, shortRef } from '../../domain/git.js';
import { heldError } from '../publish/held.js';
import type { PublishedUnit } from '../publish/note.js';
import type { Published } from '../publish/publish.js';
import type { RevertFacts, Taken } from './facts.js';

type Of = Pick<Taken, 'unit'>;

export const sayUnit = ({ kind, id }: PublishedUnit): string => `${kind} ${id}`;
const again = ({ id }: PublishedUnit): string => `git owl revert ${id}`;
const preserved = ['nothing was changed'];

export const noTarget = ({ unit }: Of, ref: RefName): OwlError =>
  new OwlError('missing-base', `${shortRef(ref)} is not here, so ${sayUnit(unit)} cannot be reverted on it`, {
    preserved,
    next: [`git owl show ${unit.id}`],
  });

export const notThere = ({ unit }: Of, merge: Oid, ref: RefName): OwlError =>
  new OwlError('refused', `the merge of ${sayUnit(unit)} is not on ${shortRef(ref)}`, {
    preserved,
    next: [`git branch --all --contains ${merge}`],
  });

export const unseen = ({ unit }: Of, merge: Oid, ref: RefName): OwlError =>
  new OwlError(
    'refused',
    `whether ${shortRef(ref)} has the merge of ${sayUnit(unit)} cannot be seen: history is missing here`,
    {
      preserved,
      next: [`git log -1 ${merge}`, 'git fetch --unshallow'],
    },
  );

export const conflict = (
  { unit, merges }: Of & Pick<Taken, 'merges'>,
  merge: Oid,
  ref: RefName,
  found: { readonly paths: readonly string[]; readonly command: string },
): OwlError =>
  new OwlError(
    'conflict',
    `the merge${merges.length > 1 ? ` ${shortOid(merge)}` : ''} of ${sayUnit(unit)} cannot be taken back by itself: ${found.paths.join(', ')}`,
    {
      preserved: [`${shortRef(ref)} has not moved`],
      next: [found.command],
      data: { paths: found.paths, merge },
    },
  );

export const busy = ({ unit }: Of, why: string): OwlError =>
  new OwlError('busy', `${sayUnit(unit)} was not reverted: ${why}`, { preserved, next: [again(unit)] });

export const inTheWay = (taken: Of, why: string, paths: readonly string[] | null): OwlError =>
  paths === null
    ? busy(taken, why)
    : new OwlError('uncommitted', `${sayUnit(taken.unit)} was not reverted: ${why} (${paths.join(', ')})`, {
        preserved,
        next: ['git status', again(taken.unit)],
        data: { paths },
      });

export const remoteError = ({ unit }: Of, why: string): OwlError =>
  new OwlError('remote', `${sayUnit(unit)} was not reverted: ${why}`, { preserved, next: [again(unit)] });

export const decidedSince = ({ unit }: Of): OwlError =>
  new OwlError('superseded', `${sayUnit(unit)} was decided about since its revert began`, {
    preserved,
    next: [`git owl show ${unit.id}`],
  });

/** `command`: the same by hand. */
export function notPublished(
  taken: Taken & { readonly target: { readonly remote: string | null } },
  published: Exclude<Published<RevertFacts>, { kind: 'published' | 'moved' }>,
  command: string,
): OwlError {
  const { unit, target } = taken;
  switch (published.kind) {
    case 'declined':
      return new OwlError(
        'refused',
        `${target.remote} does not take the revert of ${sayUnit(unit)}: ${published.why}`,
        {
          preserved,
          next: [command],
        },
      );
    case 'unanswered':
      return remoteError(taken, published.why);
    case 'unknown':
      return new OwlError(
        'remote',
        `the revert of ${sayUnit(unit)} was sent, and whether it arrived is not known: ${published.why}`,
        { preserved: ['everything here is as it was'], next: [again(unit)] },
      );
    case 'held':
      return heldError(published, {
        what: `${sayUnit(unit)} was not reverted`,
        kept: 'nothing was changed',
        again: again(unit),
      });
  }
}
