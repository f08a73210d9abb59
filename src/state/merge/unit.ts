// One piece of work of two states: which of its files come from which side, which are merged, and whether it is contested (05,
// S2 to S4). Pure: files by object id, their text by a lookup. The order of the two sides does not matter.

import type { Evidence } from '../../domain/goal.js';
import type { Invocation } from '../../domain/invocation.js';
import type { Run } from '../../domain/job.js';
import { canonical } from '../canonical.js';
import { decodeRun } from '../codec.js';
import {
  type ContestedRecord,
  contestedRecord,
  DELETED,
  formatContested,
  parseContested,
  parseSidePath,
  sideName,
  sidePath,
} from '../contested.js';
import { decodeEvidence, decodeInvocation, decodeRound } from '../goal-codec.js';
import { WORK_KINDS } from '../layout.js';
import { at, choose, chooseFile, goalReader, jobReader, pathsOf, type UnitQuestion, type UnitSide } from './files.js';
import { claimedBy, lateRuns, RUN_PATH } from './late.js';
import { mergeEvidence, mergeInvocations, mergeRounds, mergeRuns } from './parts.js';
import { mergeGoals, mergeJobs } from './work.js';

/** A file of the result: one that a side has, or a new one; null: none. */
export type Put = { readonly oid: string } | { readonly text: string } | null;

export interface UnitAnswer {
  /** Every path in question. */
  readonly files: ReadonlyMap<string, Put>;
  readonly dead: string | null;
  readonly contested: ContestedRecord | null;
}

/** Which objects a question needs the text of. */
export function textsNeeded({
  kind,
  ours,
  theirs,
  bases,
}: Omit<UnitQuestion, 'text' | 'now' | 'last'>): readonly string[] {
  const main = WORK_KINDS[kind].file;
  const sides = [ours, theirs, ...bases];
  const forked = chooseFile(main, ours, theirs, bases) === 'both';
  const wanted = pathsOf([ours, theirs]).filter(
    (path) =>
      path === main ||
      (forked && RUN_PATH.test(path) && bases.every((base) => at(base, path) === null)) ||
      chooseFile(path, ours, theirs, bases) === 'both',
  );
  return [...new Set(wanted.flatMap((path) => sides.flatMap((side) => side.files.get(path) ?? [])))];
}

export function mergeUnit(question: UnitQuestion): UnitAnswer {
  const { ours, theirs, bases, last } = question;
  const whole = (side: UnitSide): UnitAnswer => ({
    files: new Map(pathsOf([ours, theirs]).map((path) => [path, putOf(at(side, path))])),
    dead: side.dead,
    contested: null,
  });
  const graves = choose(
    ours.dead,
    theirs.dead,
    bases.map((base) => base.dead),
  );
  if (ours.dead !== null && theirs.dead !== null) {
    // Deleted is deleted; which of the two says so does not matter.
    return whole(graves === 'both' ? (ours.dead < theirs.dead ? ours : theirs) : graves === 'theirs' ? theirs : ours);
  }
  if (graves !== 'same') {
    const [gone, alive] = ours.dead !== null ? [ours, theirs] : [theirs, ours];
    // An old deletion that the other side lacks was taken back there; a new one stands against what was not touched since.
    if (bases.some((base) => base.dead === gone.dead)) return whole(alive);
    if (isUntouched(alive, bases) && question.disputed !== true) return whole(gone);
    if (last !== null) return whole(last === 'ours' ? ours : theirs);
    return contest(question, new Set([WORK_KINDS[question.kind].file]), new Map());
  }
  return mergeFiles(question);
}

const isUntouched = (side: UnitSide, bases: readonly UnitSide[]): boolean => {
  const paths = pathsOf([side, ...bases]);
  return bases.some((base) => base.files.size > 0 && paths.every((path) => at(base, path) === at(side, path)));
};

const putOf = (oid: string | null): Put => (oid === null ? null : { oid });

function mergeFiles(question: UnitQuestion): UnitAnswer {
  const { kind, ours, theirs, bases, last, text } = question;
  const main = WORK_KINDS[kind].file;
  const files = new Map<string, Put>();
  const open = new Set<string>();
  const sided = (side: UnitSide): boolean => parseContested(textAt(text, side, main)) !== null;
  const choice = chooseFile(main, ours, theirs, bases);
  // A version that is contested already stays so beside any other: all that was said counts as a side.
  if (choice === 'both' && last === null && (sided(ours) || sided(theirs)))
    return contest(question, new Set([main]), new Map());
  const claimed = claimedBy(question);
  for (const path of pathsOf([ours, theirs])) {
    const which = chooseFile(path, ours, theirs, bases);
    if (which !== 'both') files.set(path, putOf(at(which === 'theirs' ? theirs : ours, path)));
    else if (last !== null) files.set(path, putOf(at(last === 'ours' ? ours : theirs, path)));
    else {
      const merged = mergeFile(question, path);
      if (merged !== null) files.set(path, { text: merged });
      else if (claimed !== null) files.set(path, putOf(at(claimed.winner, path)));
      else open.add(path);
    }
  }
  if (open.size > 0) return contest(question, open, files);
  if (claimed !== null)
    for (const [path, run] of lateRuns(question, claimed)) files.set(path, { text: canonical(run) });
  return { files, dead: null, contested: null };
}

const textAt = (text: UnitQuestion['text'], side: UnitSide, path: string): string => {
  const oid = at(side, path);
  return oid === null ? '' : text(oid);
};

/** A file that both sides changed; null: it is contested. What cannot be read is never merged. */
function mergeFile(question: UnitQuestion, path: string): string | null {
  const { kind, id, ours, theirs, bases, now } = question;
  const read = <T>(decode: (data: Buffer) => T | null) => {
    const one = (side: UnitSide): T | null => {
      const oid = at(side, path);
      return oid === null ? null : decode(Buffer.from(question.text(oid), 'utf8'));
    };
    return { ours: one(ours), theirs: one(theirs), bases: bases.map(one).filter((base) => base !== null) };
  };
  const merged = <T>(
    sides: { readonly ours: T | null; readonly theirs: T | null; readonly bases: readonly T[] },
    merge: (one: T, other: T, before: readonly T[]) => T | null,
  ): T | null => (sides.ours === null || sides.theirs === null ? null : merge(sides.ours, sides.theirs, sides.bases));
  let result: object | null = null;
  if (path === WORK_KINDS.job.file && kind === 'job') {
    result = merged(read(jobReader(id, now)), mergeJobs);
    if (result !== null && jobReader(id, now)(Buffer.from(canonical(result))) === null) result = null;
  } else if (path === WORK_KINDS.goal.file && kind === 'goal') {
    result = merged(read(goalReader(id, now)), mergeGoals);
    if (result !== null && goalReader(id, now)(Buffer.from(canonical(result))) === null) result = null;
  } else {
    const [folder, name] = [path.slice(0, path.indexOf('/')), path.replace(/^.*\/|\.json$/g, '')];
    if (folder === 'runs')
      result = merged(read(foundIn((data) => decodeRun(path, id, name, data))), keep<Run>(mergeRuns));
    if (folder === 'rounds') result = merged(read(foundIn((data) => decodeRound(path, id, name, data))), mergeRounds);
    if (folder === 'evidence')
      result = merged(read(foundIn((data) => decodeEvidence(path, id, name, data))), keep<Evidence>(mergeEvidence));
    if (folder === 'invocations') {
      const rows = read(foundIn((data) => decodeInvocation(path, id, name, data)));
      result = merged(rows, keep<Invocation>(mergeInvocations));
    }
  }
  return result === null ? null : canonical(result);
}

const keep =
  <T>(merge: (one: T, other: T) => T | null) =>
  (one: T, other: T): T | null =>
    merge(one, other);

const foundIn =
  <T>(decode: (data: Buffer) => { readonly kind: string; readonly record?: T }) =>
  (data: Buffer): T | null => {
    const row = decode(data);
    return row.kind === 'found' ? (row.record ?? null) : null;
  };

/** Both sides, whole, as data. `open`: the paths that are contested; `settled`: what is decided of the others. */
function contest(question: UnitQuestion, open: ReadonlySet<string>, settled: ReadonlyMap<string, Put>): UnitAnswer {
  const { kind, id, ours, theirs, text } = question;
  const main = WORK_KINDS[kind].file;
  const sides = new Map<string, ReadonlyMap<string, string>>();
  for (const side of [ours, theirs]) {
    const before = side.dead === null ? parseContested(textAt(text, side, main)) : null;
    if (before === null) {
      const files = sideFiles(question, side, open);
      sides.set(sideName(files), files);
      continue;
    }
    for (const name of before.sides) sides.set(name, filesOfSide(side, name));
  }
  const files = new Map<string, Put>(settled);
  const alive = ours.dead === null ? (theirs.dead === null ? [ours, theirs] : [ours]) : [theirs];
  for (const path of pathsOf(alive)) {
    if (path === main || parseSidePath(path) !== null) continue;
    if (files.has(path) && !open.has(path)) continue;
    // Beside a record that nobody reads it does not matter which; it is the same one everywhere.
    const [one = null] = alive.flatMap((side) => at(side, path) ?? []).sort();
    files.set(path, putOf(one));
  }
  for (const path of pathsOf([ours, theirs])) if (parseSidePath(path) !== null) files.set(path, null);
  const record = contestedRecord(kind, id, sides.keys());
  files.set(main, { text: formatContested(record) });
  for (const [name, of] of sides) for (const [path, oid] of of) files.set(sidePath(name, path), { oid });
  return { files, dead: null, contested: record };
}

function sideFiles(question: UnitQuestion, side: UnitSide, open: ReadonlySet<string>): ReadonlyMap<string, string> {
  if (side.dead !== null) return new Map([[DELETED, side.dead]]);
  const paths = [WORK_KINDS[question.kind].file, ...open];
  return new Map(
    [...new Set(paths)].flatMap((path) => {
      const oid = at(side, path);
      return oid === null ? [] : [[path, oid] as const];
    }),
  );
}

const filesOfSide = (side: UnitSide, name: string): ReadonlyMap<string, string> =>
  new Map(
    [...side.files].flatMap(([path, oid]) => {
      const parsed = parseSidePath(path);
      return parsed?.[0] === name ? [[parsed[1], oid] as const] : [];
    }),
  );
