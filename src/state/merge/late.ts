// Two sides that went on by themselves, one of them under a claim that the other had taken over (05, S7). Pure.

import type { Goal } from '../../domain/goal.js';
import type { Job, Run } from '../../domain/job.js';
import { decodeRun } from '../codec.js';
import { WORK_KINDS } from '../layout.js';
import { claimedLater } from './decision.js';
import { at, chooseFile, goalReader, jobReader, type UnitQuestion, type UnitSide } from './files.js';

export const RUN_PATH = /^runs\/([^/]+)\.json$/;

export interface Claimed {
  readonly winner: UnitSide;
  readonly loser: UnitSide;
}

/** Both went on by themselves, and one of them under a claim that the other had taken over (S7); null: it is not so. */
export function claimedBy(question: UnitQuestion): Claimed | null {
  const { kind, id, ours, theirs, bases, now, text, last } = question;
  const main = WORK_KINDS[kind].file;
  if (last !== null || chooseFile(main, ours, theirs, bases) !== 'both') return null;
  const read = (side: UnitSide): Job | Goal | null => {
    const oid = at(side, main);
    return oid === null ? null : (kind === 'job' ? jobReader : goalReader)(id, now)(Buffer.from(text(oid), 'utf8'));
  };
  const [one, other] = [read(ours), read(theirs)];
  if (one === null || other === null) return null;
  const before = bases.map(read).filter((base) => base !== null);
  const later = claimedLater(one, other, before);
  if (later === null) return null;
  return later === one ? { winner: ours, loser: theirs } : { winner: theirs, loser: ours };
}

/** Runs that the other side alone made: they are kept, and moved nothing. */
export function lateRuns(
  { kind, id, bases, text }: UnitQuestion,
  { winner, loser }: Claimed,
): ReadonlyMap<string, Run> {
  const runs = new Map<string, Run>();
  if (kind !== 'job') return runs;
  for (const [path, oid] of loser.files) {
    const run = RUN_PATH.exec(path)?.[1];
    if (run === undefined || at(winner, path) !== null || bases.some((base) => at(base, path) !== null)) continue;
    const row = decodeRun(path, id, run, Buffer.from(text(oid), 'utf8'));
    if (row.kind === 'found') runs.set(path, { ...row.record, superseded: true });
  }
  return runs;
}
