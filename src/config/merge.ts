// Defaults, the base's file, the user's own file and options become one set of values, each with its origin. Pure: the rules are
// data (keys.ts), so that what a user's file may do is read off a table.

import { parseDuration } from '../domain/duration.js';
import type { Origin } from '../domain/policy.js';
import { type ConfigIssue, issueAt, showValue } from './issues.js';
import { CONFIG_UNITS, type MergeRule } from './keys.js';
import type { ConfigFile } from './schema.js';

/** One file with the label that origins and messages name it by. */
export interface Source {
  readonly label: string;
  readonly file: ConfigFile;
}

/** What the command line says, by key; undefined: nothing. */
export type PolicyOptions = Partial<Readonly<Record<OptionKey, string | number | boolean | undefined>>>;
type OptionKey = 'base' | 'remote' | 'agent' | 'ttl' | 'plan' | 'max_parallel' | 'worktrees' | 'execution.auto_merge';

export interface Merged {
  /** By key of the table, in the table's order, as written in a file. */
  readonly values: ReadonlyMap<string, unknown>;
  /** The same keys, and `checks.<name>`, `agents.<name>`, `setup[0]` for the parts of what is put together. */
  readonly origins: ReadonlyMap<string, Origin>;
  /** What the user's own file says and may not. */
  readonly issues: readonly ConfigIssue[];
}

const BUILT_IN: Origin = { kind: 'built-in', where: 'built-in' };

/** Puts the sources together (06, "Configuration"). Absent sources are empty files. */
export function mergeSources(base: Source | null, user: Source | null, options: PolicyOptions = {}): Merged {
  const values = new Map<string, unknown>();
  const origins = new Map<string, Origin>();
  const issues: ConfigIssue[] = [];
  const fromBase: Origin = { kind: 'base', where: base?.label ?? '' };
  const fromUser: Origin = { kind: 'user', where: user?.label ?? '' };

  for (const [key, { merge, default: builtIn }] of CONFIG_UNITS) {
    const said = base === null ? undefined : valueAt(base.file, key);
    const own = user === null || key === 'version' ? undefined : valueAt(user.file, key);
    let value: unknown = said ?? builtIn ?? null;
    let origin = said === undefined ? BUILT_IN : fromBase;
    if (own !== undefined) {
      const refusal = refuse(key, merge, own, said);
      if (refusal === null) {
        const joined = join(merge, own, said, builtIn);
        if (joined.by === 'user') origin = fromUser;
        value = joined.value;
        if (joined.parts !== undefined)
          for (const [part, who] of joined.parts) origins.set(`${key}${part}`, who === 'user' ? fromUser : fromBase);
      } else issues.push(refusal);
    }
    const option = (options as Readonly<Record<string, unknown>>)[key];
    if (option !== undefined) {
      value = option;
      origin = { kind: 'option', where: `--${(key.split('.').at(-1) ?? key).replaceAll('_', '-')}` };
    }
    values.set(key, value);
    origins.set(key, origin);
  }
  return { values, origins, issues };
}

/** The value of a dotted key in one file; undefined: the file says nothing. */
export function valueAt(file: unknown, key: string): unknown {
  let at: unknown = file;
  for (const part of key.split('.')) {
    if (typeof at !== 'object' || at === null || Array.isArray(at)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[part];
  }
  return at;
}

/** Why the user's own file may not say this; null: it may. */
function refuse(key: string, rule: MergeRule, own: unknown, said: unknown): ConfigIssue | null {
  const path = key.split('.');
  switch (rule.how) {
    case 'base-only':
      return issueAt(path, `${key} counts only in the base's configuration`);
    case 'strict':
      if (own !== rule.order[0]) return null;
      return issueAt(
        path,
        `${key}: ${showValue(own)} would weaken what the base says; your own file may only be stricter`,
      );
    case 'append':
    case 'add': {
      const mine = namesIn(own);
      const theirs = namesIn(said);
      const twice = mine.find((name) => theirs.includes(name));
      if (twice === undefined) return null;
      return issueAt(
        path,
        `${key}: the base has one named ${JSON.stringify(twice)}; your own file may add to it, not replace one`,
      );
    }
    default:
      return null;
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Names of named items (checks, Skills) or of named entries (agents). */
function namesIn(value: unknown): readonly string[] {
  if (Array.isArray(value))
    return value.flatMap((item) => (isRecord(item) && typeof item['name'] === 'string' ? [item['name']] : []));
  return isRecord(value) ? Object.keys(value) : [];
}

interface Joined {
  readonly value: unknown;
  readonly by: 'base' | 'user';
  /** Of what is put together: the part's suffix and whose it is. */
  readonly parts?: readonly (readonly [string, 'base' | 'user'])[];
}

function join(rule: MergeRule, own: unknown, said: unknown, builtIn: unknown): Joined {
  const mine: Joined = { value: own, by: 'user' };
  if (said === undefined && rule.how !== 'strict') {
    return rule.how === 'append' && Array.isArray(own) ? { value: [...new Set(own)], by: 'user' } : mine;
  }
  const kept: Joined = { value: said ?? builtIn ?? null, by: 'base' };
  switch (rule.how) {
    case 'base-only':
    case 'fill':
      return kept;
    case 'user-only':
    case 'override':
      return mine;
    case 'append':
      return append(said, own);
    case 'add':
      return { value: { ...(said as object), ...(own as object) }, by: 'base', parts: parts(said, own) };
    case 'lower':
      return amount(own) < amount(said) ? mine : kept;
    case 'higher':
      return amount(own) > amount(said) ? mine : kept;
    case 'strict':
      return rule.order.indexOf(own) > rule.order.indexOf(kept.value) ? mine : kept;
  }
}

/** The base's items first; one that is there already (a variable, a path) is not listed twice. */
function append(said: unknown, own: unknown): Joined {
  const first = Array.isArray(said) ? said : [];
  const further = (Array.isArray(own) ? own : []).filter((item) => !first.includes(item));
  return { value: [...first, ...further], by: 'base', parts: parts(first, further) };
}

function parts(first: unknown, further: unknown): readonly (readonly [string, 'base' | 'user'])[] {
  const suffixes = (value: unknown, from: number): readonly string[] => {
    if (!Array.isArray(value)) return namesIn(value).map((name) => `.${name}`);
    return value.map((item, at) =>
      isRecord(item) && typeof item['name'] === 'string' ? `.${item['name']}` : `[${from + at}]`,
    );
  };
  const start = Array.isArray(first) ? first.length : 0;
  return [
    ...suffixes(first, 0).map((suffix) => [suffix, 'base'] as const),
    ...suffixes(further, start).map((suffix) => [suffix, 'user'] as const),
  ];
}

/** Numbers, lengths of time and amounts written as text, comparable. */
const amount = (value: unknown): number =>
  typeof value === 'string' ? (parseDuration(value)?.ms ?? Number(value)) : Number(value);
