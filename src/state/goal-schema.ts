// Schemas of the records of a Goal and of Features (01, Records; 03). Unknown fields pass through, so that a rewrite keeps them.

import * as v from 'valibot';
import { type Candidate, type Evidence, type Feature, GOAL_STATUSES, type Goal, type Round } from '../domain/goal.js';
import { INVOCATION_OUTCOMES, INVOCATION_STATES, type Invocation } from '../domain/invocation.js';
import { checkResult, claim, counter, occurrence, oid, reason, refName, runId, text, time, workId } from './schema.js';

const automated = v.picklist(['plan', 'implement', 'quality', 'governance']);
const pair = v.looseObject({ base: oid, tip: oid });

export const goalSchema = v.looseObject({
  schema: v.literal(1),
  kind: v.literal('goal'),
  id: workId,
  revision: counter,
  occurrence,
  status: v.picklist(GOAL_STATUSES),
  title: text,
  feature: v.nullable(workId),
  position: text,
  priority: v.picklist(['high', 'medium', 'low']),
  needs: v.array(workId),
  owner: v.nullable(text),
  labels: v.array(text),
  wish: v.looseObject({ target: v.nullable(text), remote: v.nullable(text) }),
  target: v.nullable(
    v.looseObject({
      name: text,
      remote: v.nullable(text),
      publish: v.boolean(),
      config: v.nullable(oid),
      gates: text,
    }),
  ),
  round: counter,
  base: v.nullable(v.looseObject({ ref: text, oid })),
  candidate: v.nullable(v.looseObject({ id: runId, base: oid, tip: oid })),
  gates: v.looseObject({ quality: v.nullable(runId), governance: v.nullable(runId) }),
  integration: v.nullable(runId),
  reason: v.nullable(reason),
  failed_in: v.nullable(automated),
  window: v.nullable(
    v.looseObject({
      step: automated,
      event: text,
      evidence: runId,
      opened: time,
      deadline: time,
      clone: text,
    }),
  ),
  allow_guarded: v.nullable(runId),
  claim: v.nullable(claim),
  token: v.optional(v.nullable(counter)),
  chain: counter,
  created: time,
  updated: time,
  closed: v.nullable(time),
});

export const roundSchema = v.looseObject({
  schema: v.literal(1),
  kind: v.literal('round'),
  goal: workId,
  number: counter,
  request: text,
  job: v.nullable(workId),
  from: v.nullable(counter),
  left_out: v.array(text),
  opened_by: v.picklist(['add', 'round', 'decline', 'revert', 'adopt']),
  created: time,
});

export const candidateSchema = v.looseObject({
  schema: v.literal(1),
  kind: v.literal('candidate'),
  id: runId,
  goal: workId,
  round: counter,
  base: oid,
  tip: oid,
  made_by: v.picklist(['implement', 'quality', 'refresh', 'adopt', 'reconcile']),
  replaces: v.nullable(runId),
  made: time,
});

export const evidenceSchema = v.looseObject({
  schema: v.literal(1),
  kind: v.literal('evidence'),
  id: runId,
  goal: workId,
  round: counter,
  type: v.picklist([
    'quality',
    'governance',
    'refresh',
    'conflict',
    'error',
    'integration',
    'revert',
    'reconciliation',
    'forward',
  ]),
  status: v.picklist(['begun', 'passed', 'findings', 'trouble', 'done', 'void', 'unknown']),
  candidate: v.nullable(pair),
  config: v.nullable(oid),
  checks: v.array(checkResult),
  verdict: v.nullable(
    v.looseObject({
      agent: text,
      result: v.picklist(['pass', 'findings', 'unreadable']),
      summary: v.nullable(text),
    }),
  ),
  findings: v.array(v.looseObject({ gate: text, text, paths: v.array(text) })),
  reason: v.nullable(reason),
  commits: v.looseObject({
    target_before: v.optional(oid),
    target_after: v.optional(oid),
    merge: v.optional(oid),
    local: v.optional(oid),
    published: v.optional(oid),
    old: v.optional(pair),
    new: v.optional(pair),
  }),
  target: v.nullable(v.looseObject({ ref: refName, remote: v.nullable(text), token: v.nullable(counter) })),
  clone: text,
  kept: v.nullable(oid),
  at: time,
});

export const invocationSchema = v.looseObject({
  schema: v.literal(1),
  kind: v.literal('invocation'),
  id: runId,
  goal: workId,
  round: counter,
  skill: text,
  on: text,
  order: counter,
  occurrence,
  state: v.picklist(INVOCATION_STATES),
  outcome: v.nullable(v.picklist(INVOCATION_OUTCOMES)),
  exit: v.nullable(v.number()),
  text: v.nullable(text),
  evidence: v.nullable(runId),
  deadline: v.nullable(time),
  clone: text,
  source: v.nullable(v.looseObject({ ref: text, oid })),
  claim: v.nullable(claim),
  recorded: time,
  started: v.nullable(time),
  ended: v.nullable(time),
});

export const featureSchema = v.looseObject({
  schema: v.literal(1),
  kind: v.literal('feature'),
  id: workId,
  title: text,
  position: text,
  created: time,
});

type Says<Schema extends v.GenericSchema, Type> = v.InferOutput<Schema> extends Type ? true : never;
/**
 * The schemas and the types of domain/goal.ts say the same: one of these lines stops compiling when they part.
 * @public
 */
export const AGREE_GOALS: readonly [
  Says<typeof goalSchema, Goal>,
  Says<typeof roundSchema, Round>,
  Says<typeof candidateSchema, Candidate>,
  Says<typeof evidenceSchema, Evidence>,
  Says<typeof featureSchema, Feature>,
  Says<typeof invocationSchema, Invocation>,
] = [true, true, true, true, true, true];
