// Which file of one piece of work comes from which side of two states, and the records in them (05, S2). Pure.

import type { Goal } from '../../domain/goal.js';
import type { Job } from '../../domain/job.js';
import { decodeJob } from '../codec.js';
import { decodeGoal } from '../goal-codec.js';
import { AREAS, type WorkKind } from '../layout.js';

/** The files of one piece of work in one state, as far as not all states agree on them: path in its folder -> object id. */
export interface UnitSide {
  readonly files: ReadonlyMap<string, string>;
  /** Its tombstone. */
  readonly dead: string | null;
}

export interface UnitQuestion {
  readonly kind: WorkKind;
  readonly id: string;
  readonly ours: UnitSide;
  readonly theirs: UnitSide;
  readonly bases: readonly UnitSide[];
  /** Text of an object. */
  readonly text: (oid: string) => string;
  /** Milliseconds since the epoch, for what a record's times mean: the same wherever the same two meet. */
  readonly now: number;
  /** One side is known to have the last word. */
  readonly last: 'ours' | 'theirs' | null;
  /** Of the Job of a Round: whether its Goal is deleted is contested, and so is whether it is. */
  readonly disputed?: boolean;
}

type Choice = 'same' | 'ours' | 'theirs' | 'both';

export function choose(ours: string | null, theirs: string | null, bases: readonly (string | null)[]): Choice {
  if (ours === theirs) return 'same';
  const before = bases.length === 0 ? [null] : bases;
  if (before.includes(ours)) return 'theirs';
  return before.includes(theirs) ? 'ours' : 'both';
}

export const pathsOf = (sides: readonly UnitSide[]): readonly string[] =>
  [...new Set(sides.flatMap((side) => [...side.files.keys()]))].sort();

export const chooseFile = (path: string, ours: UnitSide, theirs: UnitSide, bases: readonly UnitSide[]): Choice =>
  choose(
    at(ours, path),
    at(theirs, path),
    bases.map((base) => at(base, path)),
  );

export const at = (side: UnitSide, path: string): string | null => side.files.get(path) ?? null;

/** In whichever area its state belongs. */
const inEither =
  <T>(decode: (area: 'open' | 'closed', data: Buffer) => { readonly kind: string; readonly record?: T }) =>
  (data: Buffer): T | null => {
    for (const area of AREAS) {
      const row = decode(area, data);
      if (row.kind === 'found') return row.record ?? null;
    }
    return null;
  };

export const jobReader = (id: string, now: number): ((data: Buffer) => Job | null) =>
  inEither((area, data) => decodeJob({ path: 'job.json', id, area, now }, data));
export const goalReader = (id: string, now: number): ((data: Buffer) => Goal | null) =>
  inEither((area, data) => decodeGoal({ path: 'goal.json', id, area, now }, data));
