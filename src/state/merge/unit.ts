// One piece of work of two states: which of its files come from which side, which are merged, and whether it is contested (05,
// S2 to S4). Pure: files by object id, their text by a lookup. The order of the two sides does not matter.

import type { Evidence, Goal } from '../../domain/goal.js';
import type { Invocation } from '../../domain/invocation.js';
import type { Job, Run } from '../../domain/job.js';
import { canonical } from '../canonical.js';
import { decodeJob, decodeRun } from '../codec.js';
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
import { decodeEvidence, decodeGoal, decodeInvocation } from '../goal-codec.js';
import { AREAS, WORK_KINDS, type WorkKind } from '../layout.js';
import { mergeEvidence, mergeInvocations, mergeRuns } from './parts.js';
import { claimedLater, mergeGoals, mergeJobs } from './work.js';

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
}

/** A file of the result: one that a side has, or a new one; null: none. */
export type Put = { readonly oid: string } | { readonly text: string } | null;

export interface UnitAnswer {
  /** Every path in question. */
  readonly files: ReadonlyMap<string, Put>;
  readonly dead: string | null;
  readonly contested: ContestedRecord | null;
}

type Choice = 'same' | 'ours' | 'theirs' | 'both';

function choose(ours: string | null, theirs: string | null, bases: readonly (string | null)[]): Choice {
  if (ours === theirs) return 'same';
  const before = bases.length === 0 ? [null] : bases;
  if (before.includes(ours)) return 'theirs';
  return before.includes(theirs) ? 'ours' : 'both';
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

const RUN_PATH = /^runs\/([^/]+)\.json$/;

const pathsOf = (sides: readonly UnitSide[]): readonly string[] =>
  [...new Set(sides.flatMap((side) => [...side.files.keys()]))].sort();

const chooseFile = (path: string, ours: UnitSide, theirs: UnitSide, bases: readonly UnitSide[]): Choice =>
  choose(
    at(ours, path),
    at(theirs, path),
    bases.map((base) => at(base, path)),
  );

const at = (side: UnitSide, path: string): string | null => side.files.get(path) ?? null;

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
    if (isUntouched(alive, bases)) return whole(gone);
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
  for (const path of pathsOf([ours, theirs])) {
    const which = chooseFile(path, ours, theirs, bases);
    if (which !== 'both') files.set(path, putOf(at(which === 'theirs' ? theirs : ours, path)));
    else if (last !== null) files.set(path, putOf(at(last === 'ours' ? ours : theirs, path)));
    else {
      const merged = mergeFile(question, path);
      if (merged === null) open.add(path);
      else files.set(path, { text: merged });
    }
  }
  if (open.size > 0) return contest(question, open, files);
  for (const [path, run] of overtaken(question)) files.set(path, { text: canonical(run) });
  return { files, dead: null, contested: null };
}

/** Runs that one side alone made, under a claim that the other side had taken over: they are kept, and moved nothing (S7). */
function overtaken(question: UnitQuestion): ReadonlyMap<string, Run> {
  const { kind, id, ours, theirs, bases, now, text, last } = question;
  const main = WORK_KINDS[kind].file;
  const runs = new Map<string, Run>();
  if (kind !== 'job' || last !== null || chooseFile(main, ours, theirs, bases) !== 'both') return runs;
  const read = (side: UnitSide): Job | null => {
    const oid = at(side, main);
    return oid === null ? null : jobReader(id, now)(Buffer.from(text(oid), 'utf8'));
  };
  const [one, other] = [read(ours), read(theirs)];
  if (one === null || other === null) return runs;
  const before = bases.map(read).filter((base) => base !== null);
  const later = claimedLater(one, other, before);
  if (later === null) return runs;
  const [winner, loser] = later === one ? [ours, theirs] : [theirs, ours];
  for (const [path, oid] of loser.files) {
    const run = RUN_PATH.exec(path)?.[1];
    if (run === undefined || at(winner, path) !== null || bases.some((base) => at(base, path) !== null)) continue;
    const row = decodeRun(path, id, run, Buffer.from(text(oid), 'utf8'));
    if (row.kind === 'found') runs.set(path, { ...row.record, superseded: true });
  }
  return runs;
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

const jobReader = (id: string, now: number): ((data: Buffer) => Job | null) =>
  inEither((area, data) => decodeJob({ path: 'job.json', id, area, now }, data));
const goalReader = (id: string, now: number): ((data: Buffer) => Goal | null) =>
  inEither((area, data) => decodeGoal({ path: 'goal.json', id, area, now }, data));

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
