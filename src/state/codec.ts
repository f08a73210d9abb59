// Bytes of a record to the record and back: validated on every read, canonical on every write (01, Records). Pure.

import { isUtf8 } from 'node:buffer';
import * as v from 'valibot';
import { OwlError } from '../domain/errors.js';
import { isRefName } from '../domain/git.js';
import { CLOSED_STATES, type Job, type Run } from '../domain/job.js';
import { branchOf, ROUND_PREFIX, roundSlug } from '../domain/names.js';
import { canonical } from './canonical.js';
import { readContested, sayContested } from './contested.js';
import {
  candidateSchema,
  evidenceSchema,
  featureSchema,
  goalSchema,
  invocationSchema,
  roundSchema,
} from './goal-schema.js';
import type { Area } from './layout.js';
import { type Check, quickCheck } from './quick-check.js';
import {
  jobSchema,
  metaSchema,
  type RequestRecord,
  requestSchema,
  runSchema,
  type Tombstone,
  tombstoneSchema,
} from './schema.js';
import type { Loaded, Meta } from './types.js';

/** A record that is larger is damaged, not obeyed (01). */
export const RECORD_LIMIT = 1024 * 1024;
/** The only schema number that this program knows, of every kind. */
export const SCHEMA = 1;

const DAY = 24 * 60 * 60 * 1000;
const NOT_BEFORE_LIMIT = 7 * DAY;
/** A record's own time and ours may differ by a clock that was put right, and by the seconds of one command. */
const SLACK = 60 * 1000;

export type Decoded<T> = Extract<Loaded<T>, { readonly kind: 'found' | 'damaged' | 'newer' }>;

export interface WorkPlace {
  readonly path: string;
  readonly id: string;
  readonly area: Area;
  /** Milliseconds since the epoch, for limits that are relative to now. */
  readonly now: number;
}

interface Kind<S extends v.GenericSchema> {
  readonly schema: S;
  readonly check: Check;
}

const kind = <S extends v.GenericSchema>(schema: S): Kind<S> => ({ schema, check: quickCheck(schema) });

const KINDS = {
  job: kind(jobSchema),
  run: kind(runSchema),
  meta: kind(metaSchema),
  tombstone: kind(tombstoneSchema),
  request: kind(requestSchema),
  goal: kind(goalSchema),
  round: kind(roundSchema),
  candidate: kind(candidateSchema),
  evidence: kind(evidenceSchema),
  feature: kind(featureSchema),
  invocation: kind(invocationSchema),
};

export type RecordKind = keyof typeof KINDS;
type RecordOf<K extends RecordKind> = v.InferOutput<(typeof KINDS)[K]['schema']>;

/** Reads JSON and tells the three apart: this kind at this schema, a newer schema, not to be read (S8, 07.30). */
function decode<S extends v.GenericSchema>(kind: Kind<S>, path: string, data: Buffer): Decoded<v.InferOutput<S>> {
  if (data.length > RECORD_LIMIT) return damaged(path, `${data.length} bytes; a record has at most 1 MiB`);
  if (!isUtf8(data)) return damaged(path, 'not UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(data.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return damaged(path, 'not JSON');
    throw error;
  }
  return validate(kind, path, value);
}

function validate<S extends v.GenericSchema>(kind: Kind<S>, path: string, value: unknown): Decoded<v.InferOutput<S>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return damaged(path, 'not a JSON object');
  const head = value as { readonly schema?: unknown; readonly writer?: unknown };
  if (typeof head.schema === 'number' && Number.isInteger(head.schema) && head.schema > SCHEMA) {
    return { kind: 'newer', path, schema: head.schema, writer: typeof head.writer === 'string' ? head.writer : null };
  }
  const contested = readContested(value);
  if (contested !== null) return { ...damaged(path, sayContested(contested)), contested };
  if (kind.check(value)) return { kind: 'found', record: value as v.InferOutput<S> };
  const parsed = v.safeParse(kind.schema, value, { abortEarly: true });
  if (parsed.success) return { kind: 'found', record: parsed.output };
  const [issue] = parsed.issues;
  const where = issue.path?.map((item) => String(item.key)).join('.') ?? '';
  return damaged(path, `${where === '' ? 'the record' : where}: ${issue.message.slice(0, 200)}`);
}

export const damaged = (path: string, why: string): Extract<Loaded<never>, { readonly kind: 'damaged' }> => ({
  kind: 'damaged',
  path,
  why,
});

/** A Job as it is stored at this place; a record that does not belong there, or whose names cannot be, is damaged. */
export function decodeJob(place: WorkPlace, data: Buffer): Decoded<Job> {
  return checkJob(place, decode(KINDS.job, place.path, data));
}

/** The same for JSON that is parsed already: a row of an index. */
export const readJob = (place: WorkPlace, value: unknown): Decoded<Job> =>
  checkJob(place, validate(KINDS.job, place.path, value));

function checkJob(place: WorkPlace, read: Decoded<Job>): Decoded<Job> {
  if (read.kind !== 'found') return read;
  const why = flawOf(read.record, place);
  return why === null ? read : damaged(place.path, why);
}

function flawOf(job: Job, place: WorkPlace): string | null {
  if (job.id !== place.id) return `the record says it is ${job.id}`;
  if ((place.area === 'closed') !== CLOSED_STATES.has(job.state))
    return `a ${job.state} Job lies in ${place.area} work`;
  return flawOfNames(job) ?? flawOfTimes(job, place.now);
}

/** Names are derived, so that what they are derived from is checked: never `refine/…`, never the base itself (01, Refs). */
export function flawOfNames(job: Pick<Job, 'id' | 'prefix' | 'slug' | 'base' | 'goal' | 'round'>): string | null {
  const branch = branchOf(job);
  if (job.goal !== null || job.round !== null) return flawOfRound(job) ?? flawOfBase(job, branch);
  if (job.slug.includes('/') || !isRefName(`refs/heads/${branch}`) || branch.startsWith('-') || branch.length > 240) {
    return 'prefix and slug do not make a branch name';
  }
  if (branch.startsWith('refine/')) return 'prefix and slug make a branch below refine/';
  return flawOfBase(job, branch);
}

/** A Round's Job has the branch of its Round, and says so in prefix and slug. */
function flawOfRound(job: Pick<Job, 'prefix' | 'slug' | 'goal' | 'round'>): string | null {
  if (job.goal === null || job.round === null || job.round < 1)
    return 'it names a goal without a round, or a round without a goal';
  const right = job.prefix === ROUND_PREFIX && job.slug === roundSlug(job.round);
  return right ? null : `prefix and slug are not those of round ${job.round}`;
}

function flawOfBase(job: Pick<Job, 'prefix' | 'base'>, branch: string): string | null {
  const base = job.base.name;
  if (base === null) return null;
  if (!isRefName(`refs/heads/${base}`)) return 'the base is not a branch name';
  if (base === branch) return 'the branch is the base itself';
  if (base.startsWith('refine/') || (job.prefix.endsWith('/') && base.startsWith(job.prefix))) {
    return `the base lies below ${base.startsWith('refine/') ? 'refine/' : job.prefix}`;
  }
  return null;
}

function flawOfTimes(job: Job, now: number): string | null {
  if (job.not_before === null) return null;
  const until = Date.parse(job.not_before);
  const far = until > Date.parse(job.updated) + NOT_BEFORE_LIMIT + SLACK || until > now + NOT_BEFORE_LIMIT + DAY;
  return far ? 'not_before is more than 7 days away' : null;
}

export function decodeRun(path: string, job: string, id: string, data: Buffer): Decoded<Run> {
  const read = decode(KINDS.run, path, data);
  if (read.kind !== 'found' || (read.record.id === id && read.record.job === job)) return read;
  return damaged(path, `the record says it is run ${read.record.id} of ${read.record.job}`);
}

export const decodeMeta = (path: string, data: Buffer): Decoded<Meta> => decode(KINDS.meta, path, data);
export const decodeTombstone = (path: string, data: Buffer): Decoded<Tombstone> => decode(KINDS.tombstone, path, data);
export const decodeRequest = (path: string, data: Buffer): Decoded<RequestRecord> => decode(KINDS.request, path, data);

/**
 * The bytes of a record. What a reader would call damaged is never written.
 * Throws OwlError `defect` when the record is not valid, `storage` when it is larger than 1 MiB.
 */
export function encodeRecord(kind: RecordKind, path: string, record: object): Buffer {
  const data = Buffer.from(canonical(record), 'utf8');
  if (data.length > RECORD_LIMIT) {
    throw new OwlError('storage', `the record ${path} would have ${data.length} bytes; a record has at most 1 MiB`);
  }
  const read = validate<v.GenericSchema>(KINDS[kind], path, record);
  if (read.kind !== 'found') {
    throw new OwlError(
      'defect',
      `a ${kind} that is not valid was to be written: ${read.kind === 'damaged' ? read.why : 'newer schema'}`,
    );
  }
  return data;
}

/** Reads a record of a kind, without a look at the place it lies in. */
export const decodeKind = <K extends RecordKind>(name: K, path: string, data: Buffer): Decoded<RecordOf<K>> =>
  decode<v.GenericSchema>(KINDS[name], path, data) as Decoded<RecordOf<K>>;

/** What a Job to be written has wrong in itself, or null: names and times, as its next reader will check them. */
export const flawOfJob = (job: Job, now: number): string | null => flawOfNames(job) ?? flawOfTimes(job, now);

/** Fields that this program does not know, of the record that is replaced: they are kept (01). */
export function keepUnknown(kind: RecordKind, before: object | null, after: object): Record<string, unknown> {
  const known: object = KINDS[kind].schema.entries;
  const unknown = Object.entries(before ?? {}).filter(([key]) => !Object.hasOwn(known, key));
  return { ...Object.fromEntries(unknown), ...after };
}

type Counted = Pick<Job, 'revision' | 'occurrence'>;

/** Does a counter go up by more than any honest change does (01)? */
export const jumped = (before: Counted | null, after: Counted): boolean =>
  before !== null &&
  (after.revision - before.revision > 1_000_000 || after.occurrence.number - before.occurrence.number > 1_000_000);
