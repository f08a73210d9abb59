// What every command publishes with `--json`, as one schema a kind (06). The JSON Schemas in schema/ are made from it, and the
// tests validate real output against them. Objects are open: fields may be added, a published one keeps its meaning.
// Longer than a file should be because it is a table: one entry a kind.

import * as v from 'valibot';
import { COLLECT_REASONS, type CollectReason } from '../domain/collect-reasons.js';
import { evidence, feature, goal, reviewedGoal, reviewParts, shownGoal } from './goal-schema.js';
import {
  at,
  check,
  closure,
  counts,
  flag,
  handoffState,
  id,
  items,
  maybeOid,
  maybeText,
  maybeTime,
  maybeWhole,
  oid,
  phase,
  reason,
  text,
  texts,
  time,
  whole,
} from './schema-parts.js';

const unitNamed = { kind: v.picklist(['job', 'goal']), id, title: text };

const lease = v.looseObject({
  target: maybeText,
  remote: maybeText,
  ref: text,
  state: v.picklist(['free', 'held', 'expired', 'damaged']),
  token: maybeWhole,
  unit: v.nullable(v.looseObject({ kind: v.picklist(['job', 'goal']), id })),
  length: maybeWhole,
  seen: maybeTime,
  expires: maybeTime,
});

const job = v.looseObject({
  id,
  kind: v.literal('job'),
  state: v.picklist(['pending', 'active', 'blocked', 'review', 'escalated', 'done', 'cancelled', 'exhausted']),
  phase,
  position: text,
  ttl: whole,
  branch: text,
  base: v.looseObject({ ref: maybeText, oid: maybeOid }),
  tip: maybeOid,
  worktree: maybeText,
  title: text,
  mode: maybeText,
  labels: texts,
  needs: v.array(id),
  agent: maybeText,
  owner: maybeText,
  not_before: maybeTime,
  verified: v.picklist(['none', 'current', 'void']),
  reason: v.nullable(reason),
  goal: maybeText,
  round: maybeWhole,
  created: time,
  updated: time,
  runs: whole,
  planned: flag,
  auto_merge: v.nullable(flag),
  closure,
  handoff: handoffState,
  merged: v.nullable(
    v.looseObject({
      by: v.picklist(['owl', 'hand']),
      ref: text,
      before: maybeOid,
      after: maybeOid,
      commits: whole,
      files: whole,
      at: time,
    }),
  ),
  reverted: flag,
  elsewhere: v.optional(v.literal(true)),
  live: v.optional(v.looseObject({ run: text, host: text, pid: whole, since: time, dead: flag })),
});

/** A merge of the Job that is on its target whichever version counts, and that this one does not know. */
const stays = v.optional(v.looseObject({ ref: text, merge: maybeOid, recorded: flag, undo: text }));

/** What two clones decided differently, with what each says. */
const contested = {
  id,
  kind: v.picklist(['job', 'goal']),
  report: text,
  sides: v.array(v.looseObject({ side: text, whose: v.nullable(v.picklist(['local', 'remote'])), says: texts, stays })),
};

const run = v.looseObject({
  id: text,
  job: id,
  number: whole,
  phase,
  outcome: v.nullable(v.picklist(['succeeded', 'failed', 'interrupted'])),
  closure,
  reason: v.nullable(reason),
  fetch: v.nullable(
    v.looseObject({ status: v.picklist(['fetched', 'failed', 'no-remote']), remote: maybeText, reason: maybeText }),
  ),
  onto: v.nullable(at),
  started: time,
  ended: maybeTime,
  exit: v.nullable(v.looseObject({ code: v.nullable(v.number()), signal: maybeText })),
  ended_by: v.nullable(v.picklist(['itself', 'timeout', 'stall', 'stopped', 'gone'])),
  checks: v.array(check),
  usage: v.nullable(
    v.looseObject({
      input: v.optional(v.number()),
      output: v.optional(v.number()),
      cached: v.optional(v.number()),
      cost: v.optional(v.number()),
      turns: v.optional(v.number()),
    }),
  ),
  handoff: handoffState,
  agent: maybeText,
  summary: maybeText,
  conflicts: texts,
  notes: texts,
  counted: flag,
  superseded: flag,
});

const waits = v.optional(maybeText);
const listed = v.union([v.looseObject({ ...job.entries, waits }), v.looseObject({ ...goal.entries, waits })]);

const event = v.looseObject({
  commit: oid,
  event: text,
  subject: text,
  job: maybeText,
  goal: maybeText,
  run: maybeText,
  actor: text,
  request: maybeText,
  time: text,
  open: counts,
});

const origin = v.looseObject({ kind: v.picklist(['built-in', 'base', 'user', 'git-config', 'option']), where: text });
const configValue = v.looseObject({ key: text, value: v.unknown(), origin });
const command = v.looseObject({ key: text, command: text });

const outputs = v.array(v.looseObject({ name: text, text }));
const failures = v.array(v.looseObject({ ...check.entries, output: maybeText }));

/** `error` of a document that is not ok. */
export const errorSchema = v.looseObject({
  code: text,
  message: text,
  preserved: texts,
  next: texts,
  data: v.optional(v.record(text, v.unknown())),
});

/** Kind of `git-owl/<kind>/v1` -> its `data`, with what it is of. */
export const DATA_SCHEMAS = {
  job: { of: 'one Job: add, accept, retry, verify, edit, merge and all that decide', schema: job },
  goal: {
    of: 'one Goal: goal add, edit, round, move, approve and decline; retry, cancel and reopen of one',
    schema: goal,
  },
  feature: { of: 'feature add and feature order', schema: feature },
  features: { of: 'feature list', schema: items(feature) },
  deleted: { of: 'goal delete', schema: v.looseObject({ id, kind: v.literal('goal') }) },
  list: { of: 'list', schema: items(listed) },
  report: {
    of: 'report: `unit` is the Job, or the Goal of whose Round a Run was; with --html `file`, or the page itself as `html`',
    schema: v.looseObject({
      made: time,
      since: time,
      repository: text,
      counts,
      open: v.array(listed),
      closed: v.array(listed),
      runs: v.array(v.looseObject({ ...run.entries, unit: id, round: v.optional(v.nullable(whole)) })),
      evidence: v.array(v.looseObject({ ...evidence.entries, unit: id })),
      file: v.optional(text),
      html: v.optional(text),
    }),
  },
  status: {
    of: 'status; with --short only the counts',
    schema: v.looseObject({
      counts,
      initialized: v.optional(flag),
      items: v.optional(v.array(listed)),
      checkouts: v.optional(v.array(v.looseObject({ path: text, ref: text, why: text }))),
      unfinished: v.optional(texts),
      notes: v.optional(texts),
      next: v.optional(texts),
    }),
  },
  show: {
    of: 'show: the fields of a Job or a Goal, and more',
    schema: v.union([
      v.looseObject({
        ...job.entries,
        prompt: maybeText,
        history: v.array(run),
        policy: v.array(v.looseObject({ key: text, value: text, origin: text })),
        guarded: texts,
        branchless: flag,
        failures,
        kept: v.array(v.looseObject({ subject: text, oid: maybeOid })),
        next: texts,
      }),
      shownGoal,
      v.looseObject({ ...contested, contested: v.literal(true), history: v.array(run), next: texts }),
    ]),
  },
  run: {
    of: 'run: one document for each Job or Goal that it carried, or one that says why none was; show --run: one Run',
    schema: v.union([
      run,
      v.looseObject({
        ...job.entries,
        unit: v.looseObject({ runs: v.array(run), merged: flag, unmerged: maybeText, exit: whole }),
      }),
      v.looseObject({
        ...goal.entries,
        unit: v.looseObject({ runs: v.array(run), steps: texts, exit: whole }),
      }),
      v.looseObject({ items: v.array(v.looseObject({ id })) }),
    ]),
  },
  review: {
    of: 'review, of a Job or a Goal; html: only with --html',
    schema: v.union([
      v.looseObject({ job, ...reviewParts, failures }),
      v.looseObject({ ...reviewedGoal.entries, ...reviewParts, failures }),
    ]),
  },
  events: { of: 'events', schema: items(event) },
  event: { of: 'events -f: one document a line', schema: event },
  log: {
    of: 'log, of a Job or a Goal; with -f one document a piece of output',
    schema: v.union([
      v.looseObject({ job: id, run: whole, text, outputs: v.optional(outputs) }),
      v.looseObject({ goal: id, gate: text, text }),
      v.looseObject({
        goal: id,
        round: whole,
        parts: v.array(v.looseObject({ of: text, at: time, status: text, text, outputs })),
      }),
    ]),
  },
  diff: {
    of: 'diff, of a Job or a Goal',
    schema: v.looseObject({ goal: v.optional(id), job: v.optional(id), base: at, tip: oid, text }),
  },
  handoff: { of: 'handoff', schema: v.looseObject({ job: id, path: text, commit: maybeOid, text }) },
  worktree: { of: 'worktree', schema: v.looseObject({ goal: v.optional(id), job: id, path: text, branch: text }) },
  worktrees: {
    of: 'worktree list',
    schema: items(v.looseObject({ job: id, path: text, branch: maybeText, state: maybeText })),
  },
  stop: {
    of: 'stop',
    schema: items(v.looseObject({ job: v.optional(id), goal: v.optional(id), how: text, note: text })),
  },
  config: { of: 'config', schema: v.looseObject({ values: v.array(configValue), warnings: texts }) },
  'config-value': { of: 'config <key>', schema: configValue },
  'config-values': { of: 'config <key>, for a group of keys', schema: items(configValue) },
  prompt: { of: 'show --prompt', schema: v.looseObject({ job: id, text }) },
  help: { of: 'help', schema: v.looseObject({}) },
  completion: { of: 'completion', schema: v.looseObject({ shell: text, script: text }) },
  'config-check': {
    of: 'config check',
    schema: v.looseObject({
      files: v.array(
        v.looseObject({
          file: text,
          status: v.picklist(['valid', 'invalid', 'none']),
          in_force: flag,
          issues: v.array(v.looseObject({ key: maybeText, line: maybeWhole, message: text })),
        }),
      ),
      warnings: texts,
    }),
  },
  init: {
    of: 'init',
    schema: v.looseObject({
      path: text,
      written: flag,
      base: text,
      remote: maybeText,
      agent: maybeText,
      agents: texts,
      setup: texts,
      checks: v.array(v.looseObject({ name: text, run: text })),
      /** Commands that were remembered as trusted here. */
      trusted: v.optional(texts),
      text,
      next: texts,
    }),
  },
  trust: { of: 'trust', schema: v.looseObject({ trusted: flag, commands: v.optional(v.array(command)) }) },
  doctor: {
    of: 'doctor',
    schema: items(
      v.looseObject({ name: text, status: v.picklist(['pass', 'warn', 'fail']), message: text, mend: maybeText }),
    ),
  },
  gc: {
    of: 'gc: every item, acted on or not, with its reason; with --explain also what the reason means',
    schema: items(
      v.looseObject({
        kind: v.picklist([
          'run',
          'job',
          'worktree',
          'branch',
          'remote-branch',
          'kept',
          'archive',
          'claim',
          'commit',
          'scratch',
          'note',
          'record',
        ]),
        subject: text,
        remote: v.optional(text),
        job: maybeText,
        action: v.picklist([
          'none',
          'report',
          'settle-run',
          'settle',
          'land',
          'remove-worktree',
          'delete-branch',
          'retire',
          'remove-claim',
          'remove-scratch',
          'remove-note',
          'fold',
          'expire',
        ]),
        reason: v.picklist(Object.keys(COLLECT_REASONS) as readonly CollectReason[]),
        detail: text,
        result: v.picklist(['none', 'planned', 'done', 'kept']),
        guarantee: v.optional(v.picklist(['fenced', 'unfenced', 'local'])),
        proof: v.array(v.looseObject({ what: text, holds: flag })),
        meaning: v.optional(text),
      }),
    ),
  },
  sync: {
    of: 'sync',
    schema: v.looseObject({
      remote: text,
      taken: v.picklist(['nothing', 'created', 'forwarded', 'merged', 'unknown']),
      pushed: flag,
      tip: maybeOid,
      rewritten: maybeOid,
      tips: v.array(id),
      shared: texts,
      folded: texts,
      damaged: v.array(v.looseObject({ path: text, why: text })),
      settled: v.array(v.looseObject({ id, side: text, stays })),
      contested: v.array(v.looseObject(contested)),
    }),
  },
  conflicts: {
    of: 'conflicts: every pair that will collide; `branches` is what was compared',
    schema: v.looseObject({
      branches: v.array(v.looseObject({ ...unitNamed, target: text, tip: oid })),
      items: v.array(
        v.looseObject({ ...unitNamed, target: text, with: v.nullable(v.looseObject(unitNamed)), paths: texts }),
      ),
    }),
  },
  leases: { of: 'lease', schema: items(lease) },
  lease: { of: 'lease --break', schema: v.looseObject({ ...lease.entries, broken: flag }) },
  fsck: {
    of: 'fsck',
    schema: v.looseObject({
      findings: v.array(v.looseObject({ severity: text, where: text, what: text, repair: maybeText })),
      repaired: texts,
    }),
  },
  version: { of: '--version', schema: v.looseObject({ version: text }) },
} as const satisfies Record<string, { readonly of: string; readonly schema: v.GenericSchema }>;

export type Kind = keyof typeof DATA_SCHEMAS;
export const KINDS = Object.keys(DATA_SCHEMAS) as readonly Kind[];
