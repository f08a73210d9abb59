// What is published of Goals and Features with `--json` (06). Beside schema.ts, which has the kinds.

import * as v from 'valibot';
import { GOAL_STATUSES } from '../domain/goal.js';
import { INVOCATION_OUTCOMES, INVOCATION_STATES } from '../domain/invocation.js';
import { DELIVERED } from './goal-fields.js';
import {
  check,
  flag,
  id,
  maybeOid,
  maybeText,
  maybeTime,
  maybeWhole,
  oid,
  reason,
  text,
  texts,
  time,
  whole,
} from './schema-parts.js';

const pair = v.looseObject({ base: oid, tip: oid });
const landing = v.looseObject({ name: text, remote: maybeText, publish: v.boolean() });
const evidenceStatus = v.picklist(['begun', 'passed', 'findings', 'trouble', 'done', 'void', 'unknown']);
const status = v.picklist(GOAL_STATUSES);

const invocation = v.looseObject({
  id: text,
  skill: text,
  event: text,
  round: whole,
  state: v.picklist(INVOCATION_STATES),
  outcome: v.nullable(v.picklist(INVOCATION_OUTCOMES)),
  exit: v.nullable(v.number()),
  text: maybeText,
  recorded: time,
  started: maybeTime,
  ended: maybeTime,
});

export const goal = v.looseObject({
  id,
  kind: v.literal('goal'),
  title: text,
  status,
  state: status,
  round: whole,
  rounds: whole,
  feature: v.nullable(id),
  priority: v.picklist(['high', 'medium', 'low']),
  position: text,
  needs: v.array(id),
  labels: texts,
  owner: maybeText,
  target: v.nullable(landing),
  base: v.looseObject({ ref: maybeText, oid: maybeOid }),
  branch: maybeText,
  candidate: v.nullable(pair),
  integration: v.nullable(
    v.looseObject({ status: evidenceStatus, merge: maybeOid, ref: maybeText, remote: maybeText, at: time }),
  ),
  delivered: v.optional(v.nullable(v.picklist(DELIVERED))),
  merges: v.optional(v.array(v.looseObject({ round: whole, merge: oid, ref: text }))),
  deadline: maybeTime,
  window: v.nullable(
    v.looseObject({
      event: text,
      opened: time,
      deadline: time,
      due: v.boolean(),
      evidence: text,
      handlers: v.array(invocation),
    }),
  ),
  reason: v.nullable(reason),
  revision: whole,
  created: time,
  updated: time,
  /** Of `goal add`: where it would land if it started now. */
  landing: v.optional(landing),
});

const candidate = v.looseObject({
  id: text,
  base: oid,
  tip: oid,
  made_by: v.picklist(['implement', 'quality', 'refresh', 'adopt', 'reconcile']),
  replaces: maybeText,
  made: time,
});

const round = v.looseObject({
  number: whole,
  request: text,
  job: v.nullable(id),
  from: v.nullable(whole),
  left_out: texts,
  opened_by: v.picklist(['add', 'round', 'decline', 'revert', 'adopt']),
  created: time,
  candidates: v.array(candidate),
});

export const evidence = v.looseObject({
  id: text,
  round: whole,
  type: text,
  status: evidenceStatus,
  candidate: v.nullable(pair),
  checks: v.array(check),
  verdict: v.nullable(
    v.looseObject({ agent: text, result: v.picklist(['pass', 'findings', 'unreadable']), summary: maybeText }),
  ),
  findings: v.array(v.looseObject({ gate: text, text, paths: texts })),
  reason: v.nullable(reason),
  /** Commits that it speaks of, beside the Candidate: `target_before`, `target_after`, `merge`, and the target as `local` and `published`. */
  commits: v.optional(v.record(text, oid)),
  at: time,
});

export const shownGoal = v.looseObject({
  ...goal.entries,
  waits: v.optional(maybeText),
  /** Of its current Round; null: there is none. */
  worktree: maybeText,
  /** Paths that are not committed there; null: there is none, or it cannot be looked at. */
  uncommitted: v.nullable(texts),
  history: v.array(round),
  evidence: v.array(evidence),
  invocations: v.array(invocation),
  kept: v.array(v.looseObject({ subject: text, oid: maybeOid })),
  proposals: v.array(v.looseObject({ verb: text, why: text, evidence: maybeText })),
  next: texts,
});

/** What the review of either kind has, but for what failed checks printed. */
export const reviewParts = {
  notable: v.array(
    v.looseObject({
      kind: v.picklist(['attributes', 'mode', 'symlink', 'gitlink', 'guarded', 'bidirectional']),
      path: text,
      what: text,
    }),
  ),
  prompt: maybeText,
  handoff: maybeText,
  commits: v.array(v.looseObject({ oid, subject: text })),
  files: v.array(v.looseObject({ path: text, added: maybeWhole, removed: maybeWhole })),
  summaries: v.array(
    v.looseObject({
      agent: text,
      of: v.picklist(['execute', 'quality', 'governance']),
      text,
      candidate: pair,
      current: flag,
    }),
  ),
  checks: v.array(check),
  guarded: texts,
  questions: texts,
  undo: v.array(v.looseObject({ verb: text, why: text, git: maybeText })),
  next: texts,
  diff: text,
  html: v.optional(text),
};

export const reviewedGoal = v.looseObject({
  goal,
  rounds: v.array(round),
  gates: v.array(
    v.looseObject({
      ...evidence.entries,
      current: flag,
      failures: v.array(v.looseObject({ ...check.entries, output: maybeText })),
      notes: texts,
    }),
  ),
  evidence: v.array(evidence),
  delivered: v.nullable(v.picklist(DELIVERED)),
});

export const feature = v.looseObject({
  id,
  kind: v.literal('feature'),
  title: text,
  position: text,
  goals: v.array(id),
  created: time,
});
