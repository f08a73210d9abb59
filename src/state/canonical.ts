// Canonical JSON: sorted keys, LF, UTF-8, so that equal values are equal objects (01, Records). Pure.

import { sha256 } from './layout.js';

const byText = (one: string, two: string): number => (one < two ? -1 : one > two ? 1 : 0);

/** `step` null: all on one line. Properties that are undefined are left out; what JSON cannot say throws a TypeError. */
function write(value: unknown, step: string | null, indent: string): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('a number that JSON cannot say');
    return JSON.stringify(value);
  }
  if (typeof value !== 'object') throw new TypeError(`a ${typeof value} cannot be stored as JSON`);
  const deeper = step === null ? '' : indent + step;
  const parts = Array.isArray(value)
    ? value.map((item) => write(item ?? null, step, deeper))
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .sort(([one], [two]) => byText(one, two))
        .map(([key, item]) => `${JSON.stringify(key)}:${step === null ? '' : ' '}${write(item, step, deeper)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (parts.length === 0) return open + close;
  if (step === null) return open + parts.join(',') + close;
  return `${open}\n${deeper}${parts.join(`,\n${deeper}`)}\n${indent}${close}`;
}

/** As stored in a record: one value a line, with a newline at the end. */
export const canonical = (value: unknown): string => `${write(value, '  ', '')}\n`;

/** On one line, without a newline: rows of an index, digests. */
export const canonicalLine = (value: unknown): string =>
  isSorted(value) ? JSON.stringify(value) : write(value, null, '');

/** Plain data with its keys in order, as what was read from a record: JSON itself says it in the canonical form, and much faster. */
function isSorted(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isSorted);
  if (typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return false;
  let before: string | null = null;
  for (const key of Object.keys(value)) {
    if (before !== null && before >= key) return false;
    if (!isSorted((value as Readonly<Record<string, unknown>>)[key])) return false;
    before = key;
  }
  return true;
}

/** SHA-256 of a value in its canonical form; undefined counts as null. */
export const digestOf = (value: unknown): string => sha256(canonicalLine(value ?? null));

/** What a text says in JSON; null where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
