// Schemas of the records, for validation on every read (01, Records). Unknown fields pass through, so that a rewrite keeps them.

import * as v from 'valibot';
import { isOid, isRefName, type Oid, type RefName } from '../domain/git.js';
import type { CheckResult, Job, Run } from '../domain/job.js';
import { isRunId, isWorkId } from './layout.js';
import type { Meta } from './types.js';

/** A counter above this has jumped: it is damaged, not obeyed (01). */
export const COUNTER_LIMIT = 1_000_000;

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;

export const text = v.string();
export const oid = v.custom<Oid>((value) => typeof value === 'string' && isOid(value), 'not a full object id');
export const refName = v.custom<RefName>(
  (value) => typeof value === 'string' && isRefName(value),
  'not a full ref name',
);
export const workId = v.custom<string>((value) => typeof value === 'string' && isWorkId(value), 'not an id');
export const runId = v.custom<string>((value) => typeof value === 'string' && isRunId(value), 'not the id of a Run');
export const counter = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(0),
  v.maxValue(COUNTER_LIMIT, 'a counter that jumped'),
);
export const time = v.custom<string>(
  (value) => typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value)),
  'not a time in UTC',
);
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

export const occurrence = v.looseObject({ number: counter, decision: text });
const onto = v.looseObject({ ref: text, oid });
export const reason = v.looseObject({
  code: text,
  text,
  paths: v.optional(v.array(text)),
  onto: v.optional(onto),
  not_before: v.optional(time),
});
export const checkResult = v.looseObject({
  name: text,
  run: text,
  status: v.picklist(['passed', 'failed', 'timeout', 'error', 'changed-tree', 'output']),
  exit: v.nullable(v.number()),
  ms: v.number(),
  digest: text,
  output: v.optional(text),
});
export const claim = v.looseObject({
  run: runId,
  host: text,
  boot: text,
  namespace: text,
  pid: v.pipe(v.number(), v.integer()),
  start: text,
  since: time,
  group: v.optional(v.looseObject({ pid: v.pipe(v.number(), v.integer()), start: text })),
});
const closure = v.picklist(['resolved', 'blocked', 'escalated', 'exhausted']);
const phase = v.picklist(['plan', 'execute']);
const handoff = v.picklist(['none', 'current', 'stale']);
const jobState = v.picklist(['pending', 'active', 'blocked', 'review', 'escalated', 'done', 'cancelled', 'exhausted']);

export const jobSchema = v.looseObject({
  schema: v.literal(1),
  kind: v.literal('job'),
  id: workId,
  revision: counter,
  occurrence,
  state: jobState,
  phase,
  planned: v.boolean(),
  title: text,
  prefix: text,
  slug: text,
  position: text,
  ttl: counter,
  reason: v.nullable(reason),
  base: v.looseObject({ name: v.nullable(text), remote: v.nullable(text) }),
  from: v.nullable(refName),
  onto: v.nullable(onto),
  tip: v.nullable(oid),
  mode: v.nullable(text),
  auto_merge: v.nullable(v.boolean()),
  labels: v.array(text),
  needs: v.array(workId),
  agent: v.nullable(text),
  account: v.nullable(text),
  owner: v.nullable(text),
  not_before: v.nullable(time),
  verification: v.nullable(
    v.looseObject({
      tip: oid,
      base: oid,
      config: v.nullable(oid),
      passed: v.boolean(),
      checks: v.array(checkResult),
      at: time,
    }),
  ),
  closure: v.nullable(closure),
  degraded: v.boolean(),
  no_change: v.nullable(text),
  claim: v.nullable(claim),
  token: v.optional(v.nullable(counter)),
  runs: counter,
  last_run: v.nullable(runId),
  feedback: v.array(text),
  conflicts: counter,
  restarted_from: v.nullable(oid),
  restart: v.boolean(),
  handoff,
  merged: v.nullable(
    v.looseObject({
      by: v.picklist(['owl', 'hand']),
      ref: refName,
      before: v.nullable(oid),
      after: v.nullable(oid),
      commits: count,
      files: count,
      at: time,
    }),
  ),
  reverted: v.boolean(),
  dropped: v.nullable(v.looseObject({ state: jobState, tip: v.nullable(oid), at: time })),
  goal: v.nullable(workId),
  round: v.nullable(counter),
  created: time,
  updated: time,
  closed: v.nullable(time),
});

export const runSchema = v.looseObject({
  schema: v.literal(1),
  kind: v.literal('run'),
  id: runId,
  job: workId,
  number: counter,
  phase,
  outcome: v.nullable(v.picklist(['succeeded', 'failed', 'interrupted'])),
  closure: v.nullable(closure),
  reason: v.nullable(reason),
  occurrence,
  superseded: v.boolean(),
  counted: v.boolean(),
  fetch: v.nullable(
    v.looseObject({
      status: v.picklist(['fetched', 'failed', 'no-remote']),
      remote: v.nullable(text),
      reason: v.nullable(text),
    }),
  ),
  onto: v.nullable(onto),
  config: v.nullable(v.looseObject({ commit: v.nullable(oid), blob: v.nullable(oid), path: v.nullable(text) })),
  tip_before: v.nullable(oid),
  tip_after: v.nullable(oid),
  replayed: v.nullable(v.looseObject({ commits: count, flattened: count, dropped: count })),
  conflicts: v.array(text),
  agent: v.nullable(v.looseObject({ name: text, preset: v.nullable(text), account: v.nullable(text) })),
  exit: v.nullable(v.looseObject({ code: v.nullable(v.number()), signal: v.nullable(text) })),
  ended_by: v.nullable(v.picklist(['itself', 'timeout', 'stall', 'stopped', 'gone'])),
  summary: v.nullable(text),
  usage: v.nullable(
    v.looseObject({
      input: v.optional(v.number()),
      output: v.optional(v.number()),
      cached: v.optional(v.number()),
      cost: v.optional(v.number()),
      turns: v.optional(v.number()),
    }),
  ),
  handoff,
  checks: v.array(checkResult),
  notes: v.array(text),
  kept: v.nullable(oid),
  started: time,
  ended: v.nullable(time),
});

export const metaSchema = v.looseObject({
  schema: v.literal(1),
  kind: v.literal('meta'),
  repository: v.pipe(text, v.nonEmpty()),
  created: time,
  writer: text,
});

export const tombstoneSchema = v.looseObject({
  schema: v.literal(1),
  kind: v.literal('tombstone'),
  id: workId,
  of: text,
  at: time,
  op: text,
});

export const requestSchema = v.looseObject({
  schema: v.literal(1),
  kind: v.literal('request'),
  id: text,
  content: text,
  op: text,
  at: time,
  result: v.unknown(),
});

export type Tombstone = v.InferOutput<typeof tombstoneSchema>;
export type RequestRecord = v.InferOutput<typeof requestSchema>;

type Says<Schema extends v.GenericSchema, Type> = v.InferOutput<Schema> extends Type ? true : never;
/**
 * The schemas and the types of domain/job.ts say the same: one of these lines stops compiling when they part.
 * @public
 */
export const AGREE: readonly [
  Says<typeof jobSchema, Job>,
  Says<typeof runSchema, Run>,
  Says<typeof metaSchema, Meta>,
  Says<typeof checkResult, CheckResult>,
] = [true, true, true, true];
