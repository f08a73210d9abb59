// Pieces that the schemas of what is published have in common (06).

import * as v from 'valibot';

export const text = v.string();
export const maybeText = v.nullable(text);
export const whole = v.pipe(v.number(), v.integer(), v.minValue(0));
export const maybeWhole = v.nullable(whole);
export const flag = v.boolean();
export const oid = v.pipe(text, v.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/));
export const maybeOid = v.nullable(oid);
export const id = v.pipe(text, v.regex(/^[a-z][a-z0-9]{3,15}$/));
export const time = v.pipe(text, v.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/));
export const maybeTime = v.nullable(time);
export const texts = v.array(text);
export const items = <T extends v.GenericSchema>(item: T) => v.looseObject({ items: v.array(item) });

export const at = v.looseObject({ ref: text, oid });
export const reason = v.looseObject({
  code: text,
  text,
  paths: v.optional(texts),
  onto: v.optional(at),
  not_before: v.optional(time),
});
export const phase = v.picklist(['plan', 'execute']);
export const closure = v.nullable(v.picklist(['resolved', 'blocked', 'escalated', 'exhausted']));
export const handoffState = v.picklist(['none', 'current', 'stale']);
export const counts = v.record(text, whole);

export const check = v.looseObject({
  name: text,
  run: text,
  status: v.picklist(['passed', 'failed', 'timeout', 'error', 'changed-tree', 'output']),
  exit: v.nullable(v.number()),
  ms: v.number(),
  digest: text,
});
