// From what valibot found to sentences that name the key, what was expected and what was found. Pure.

import type { BaseIssue } from 'valibot';
import { nearest } from '../domain/nearest.js';
import { CONFIG_KEYS, childKeys, tablePath } from './keys.js';

export type KeyPath = readonly (string | number)[];

export interface ConfigIssue {
  readonly path: KeyPath;
  /** `checks[0].timeout`; empty for the file as a whole. */
  readonly key: string;
  readonly message: string;
}

/** `checks[0].timeout`, as messages name a key. */
export const writePath = (path: KeyPath): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');

export const issueAt = (path: KeyPath, message: string): ConfigIssue => ({ path, key: writePath(path), message });

/** A value as messages show it: short, on one line. */
export function showValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (value instanceof Date) return 'a date';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'keys with values';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** All issues of one validation, in the order of the file's keys as valibot met them. */
export const describeIssues = (issues: readonly BaseIssue<unknown>[]): readonly ConfigIssue[] =>
  issues.flatMap((issue) => describe(issue, []));

function describe(issue: BaseIssue<unknown>, above: KeyPath): readonly ConfigIssue[] {
  const own = (issue.path ?? []).map((item) => (typeof item.key === 'number' ? item.key : String(item.key)));
  const path: KeyPath = [...above, ...own];
  // Neither form of a union fits: where the value is a mapping, the mapping's own complaint says more.
  const inside = (issue.issues ?? []).filter((sub) => (sub.path ?? []).length > 0);
  if (inside.length > 0) return inside.flatMap((sub) => describe(sub, path));
  const last = path.at(-1);
  if (issue.expected === 'never' && last !== undefined) return [issueAt(path, unknownKey(path))];
  if (issue.type === 'strict_object' && issue.expected?.startsWith('"') && last !== undefined) {
    return [issueAt(path, `${writePath(path)} is missing`)];
  }
  const found = `expected ${issue.message}, found ${showValue(issue.input)}`;
  return [issueAt(path, path.length === 0 ? found : `${writePath(path)}: ${found}`)];
}

/** `unknown key "timeot" in checks[0]; the nearest known one is "timeout"`. */
function unknownKey(path: KeyPath): string {
  const word = String(path.at(-1));
  const parent = path.slice(0, -1);
  const where = parent.length === 0 ? '' : ` in ${writePath(parent)}`;
  const known = childKeys(tablePath(parent));
  const userOnly = CONFIG_KEYS.some((key) => key.path === tablePath(path) && key.merge?.how === 'user-only');
  if (userOnly) return `${writePath(path)} counts only in your own configuration file`;
  const near = nearest(word, known);
  if (near !== null)
    return `unknown key ${JSON.stringify(word)}${where}; the nearest known one is ${JSON.stringify(near)}`;
  // Perhaps it belongs elsewhere: `timeout` at the top, `auto_merge` outside `execution`.
  const elsewhere = CONFIG_KEYS.find((key) => key.path.endsWith(`.${word}`) && !key.path.includes('['));
  if (elsewhere !== undefined) return `unknown key ${JSON.stringify(word)}${where}; there is ${elsewhere.path}`;
  const list = known.length > 0 && known.length <= 10 ? `; known are ${known.join(', ')}` : '';
  return `unknown key ${JSON.stringify(word)}${where}${list}`;
}

/**
 * Lists (and dates) that stand where keys with values belong. Valibot reads an empty list as a mapping without keys,
 * which the published JSON Schema does not: its output has a mapping where the input has something else.
 */
export function misshapen(input: unknown, output: unknown, path: KeyPath = []): readonly ConfigIssue[] {
  if (Array.isArray(output)) {
    const items: readonly unknown[] = Array.isArray(input) ? input : [];
    return output.flatMap((item, at) => misshapen(items[at], item, [...path, at]));
  }
  if (typeof output !== 'object' || output === null) return [];
  if (typeof input !== 'object' || input === null || Array.isArray(input) || input instanceof Date) {
    const where = path.length === 0 ? '' : `${writePath(path)}: `;
    return [issueAt(path, `${where}expected keys with values, found ${showValue(input)}`)];
  }
  const given = input as Readonly<Record<string, unknown>>;
  return Object.entries(output).flatMap(([key, value]) => misshapen(given[key], value, [...path, key]));
}
