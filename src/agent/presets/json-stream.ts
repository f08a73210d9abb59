// Common ground of presets whose output is one JSON object a line: tolerant reading into a report (09, rule 10).

import type { Usage } from '../../domain/job.js';
import type { StreamReader, StreamReport } from '../types.js';

export type Json = Readonly<Record<string, unknown>>;

/** The report while it is being made. */
export type Draft = { -readonly [Key in keyof StreamReport]: StreamReport[Key] };

export const emptyReport = (): Draft => ({
  terminal: 'none',
  message: null,
  lastMessage: null,
  usage: null,
  notBefore: null,
  denied: [],
});

/** Calls `step` for each line that is a JSON object; other lines, and what `step` does not know, are passed over. */
export function jsonReader(step: (event: Json, draft: Draft) => void): StreamReader {
  const draft = emptyReport();
  return {
    line(text) {
      if (!text.trimStart().startsWith('{')) return;
      let event: unknown;
      try {
        event = JSON.parse(text);
      } catch {
        // A log line, or a line that was cut.
        return;
      }
      if (isObject(event)) step(event, draft);
    },
    report: () => ({ ...draft }),
  };
}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const child = (value: Json, key: string): Json => {
  const found = value[key];
  return isObject(found) ? found : {};
};

export const list = (value: Json, key: string): readonly unknown[] => {
  const found = value[key];
  return Array.isArray(found) ? found : [];
};

export const text = (value: Json, key: string): string | null => {
  const found = value[key];
  return typeof found === 'string' ? found : null;
};

export const amount = (value: Json, key: string): number | undefined => {
  const found = value[key];
  return typeof found === 'number' && Number.isFinite(found) && found >= 0 ? found : undefined;
};

export const sum = (...amounts: readonly (number | undefined)[]): number | undefined => {
  const known = amounts.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((a, b) => a + b, 0);
};

/** Null when nothing of it is known. */
export const usageOf = (usage: Usage): Usage | null => {
  const known = Object.entries(usage).filter(([, value]) => value !== undefined);
  return known.length === 0 ? null : Object.fromEntries(known);
};

export const addUsage = (a: Usage | null, b: Usage | null): Usage | null =>
  usageOf({
    input: sum(a?.input, b?.input),
    output: sum(a?.output, b?.output),
    cached: sum(a?.cached, b?.cached),
    cost: sum(a?.cost, b?.cost),
    turns: sum(a?.turns, b?.turns),
  });

export const addDenied = (draft: Draft, name: string | null): void => {
  if (name !== null && !draft.denied.includes(name)) draft.denied = [...draft.denied, name];
};
