// A record that two clones decided differently: both versions stay in the state as data, and nothing acts on either until a
// person settles it (05, S3). In place of the record lies one that names its sides; each side's files lie beside it. Pure.

import { OwlError } from '../domain/errors.js';
import { canonical, parseJson } from './canonical.js';
import { sha256, WORK_KINDS, type WorkKind } from './layout.js';

export interface ContestedRecord {
  readonly schema: 1;
  readonly kind: 'contested';
  readonly of: WorkKind;
  readonly id: string;
  /** The same wherever the same versions meet. */
  readonly report: string;
  /** Names of the sides, sorted: digests of what each says. */
  readonly sides: readonly string[];
}

/** What one side says: path within the folder of the work -> the file's object id. */
export type SideFiles = ReadonlyMap<string, string>;

export const SIDES = 'sides';
/** Where a side says that the work was deleted. */
export const DELETED = 'tombstone.json';

export const sidePath = (side: string, file: string): string => `${SIDES}/${side}/${file}`;

/** `sides/<side>/job.json` -> side and file; null for any other path. */
export function parseSidePath(path: string): readonly [side: string, file: string] | null {
  const found = /^sides\/([0-9a-f]{10})\/(.+)$/.exec(path);
  return found?.[1] === undefined || found[2] === undefined ? null : [found[1], found[2]];
}

export function sideName(files: SideFiles): string {
  const lines = [...files].map(([path, oid]) => `${path} ${oid}`).sort();
  return sha256(lines.join('\n')).slice(0, 10);
}

export function contestedRecord(of: ContestedRecord['of'], id: string, sides: Iterable<string>): ContestedRecord {
  const sorted = [...new Set(sides)].sort();
  const report = sha256([of, id, ...sorted].join('\n')).slice(0, 12);
  return { schema: 1, kind: 'contested', of, id, report, sides: sorted };
}

export const formatContested = (record: ContestedRecord): string => canonical(record);

/** Null: it is not one, or not one that can be. */
export function readContested(value: unknown): ContestedRecord | null {
  if (typeof value !== 'object' || value === null) return null;
  const { kind, of, id, sides } = value as Partial<Record<keyof ContestedRecord, unknown>>;
  if (kind !== 'contested' || typeof id !== 'string' || !Array.isArray(sides)) return null;
  if (!Object.hasOwn(WORK_KINDS, String(of))) return null;
  if (sides.length < 2 || !sides.every((side) => typeof side === 'string' && /^[0-9a-f]{10}$/.test(side))) return null;
  return contestedRecord(of as ContestedRecord['of'], id, sides as string[]);
}

export const parseContested = (text: string): ContestedRecord | null => readContested(parseJson(text));

/** For people, of a record that is read as damaged. */
export const sayContested = ({ of, id }: Pick<ContestedRecord, 'of' | 'id'>): string =>
  `two clones decided differently about ${of} ${id}: git owl show ${id} says what each says, git owl sync --take local --record ${id}, or --take remote, settles it`;

export const contestedError = ({ of, id, report, sides }: ContestedRecord): OwlError =>
  new OwlError(
    'contested',
    `two clones decided differently about ${of} ${id}; until that is settled it stays as it is`,
    {
      preserved: ['both versions are kept in the state'],
      next: [`git owl show ${id}`, `git owl sync --take local --record ${id}`],
      data: { id, report, sides },
    },
  );
