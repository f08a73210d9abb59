// `config`: every effective value with where it comes from; `config <key>`: one of them; `config check`: is it right (06).

import { type InForce, loadInForce } from '../app/in-force.js';
import { openWorkbench, type Workbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import { configurationElsewhere } from '../config/elsewhere.js';
import { CONFIG_UNITS } from '../config/keys.js';
import { loadTaste, type Taste } from '../config/taste.js';
import type { Context } from '../context.js';
import { OwlError } from '../domain/errors.js';
import { nearest } from '../domain/nearest.js';
import type { Origin } from '../domain/policy.js';
import type { Report } from '../output/report.js';
import type { Lines, Theme } from '../output/theme.js';
import { checkConfiguration } from './config-check.js';

export interface ConfigRow {
  readonly key: string;
  /** As it would be written in a file; null: not set. */
  readonly value: unknown;
  readonly origin: Origin;
}

/** Throws OwlError `usage` for a key that is none, and as `loadInForce`. */
export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const key = request.args['key'];
  const wish = { base: request.text('base') };
  if (key === 'check') return checkConfiguration(bench, wish);
  const force = await loadInForce(bench, wish);
  const rows = rowsOf(force);
  if (key !== undefined) return showKey(key, rows);
  return showAll(bench, force, rows, await loadTaste(bench.repository.git));
}

const rowsOf = ({ loaded }: InForce): readonly ConfigRow[] =>
  [...(loaded.values ?? [])].map(([key, value]) => ({
    key,
    value,
    origin: loaded.origins.get(key) ?? { kind: 'built-in', where: 'built-in' },
  }));

async function showAll(bench: Workbench, force: InForce, rows: readonly ConfigRow[], taste: Taste): Promise<Report> {
  const { loaded, at } = force;
  const elsewhere = await configurationElsewhere({ repository: bench.repository, loaded, ref: at?.ref ?? null });
  const parts = [...loaded.origins].filter(([key]) => !CONFIG_UNITS.has(key)).map(([key, origin]) => ({ key, origin }));
  const tastes = tasteRows(taste);
  return {
    kind: 'config',
    data: {
      base: at === null ? null : { ref: at.ref, oid: at.oid },
      file: at === null || loaded.path === null ? null : `${at.ref}:${loaded.path}`,
      values: rows,
      parts,
      git_config: tastes,
      elsewhere,
      warnings: [...loaded.warnings, ...taste.warnings],
    },
    view: (theme) => table(theme, [...rows.flatMap((row) => expand(row, loaded.origins)), ...tastes]),
    notes: [...(force.why === null ? [] : [force.why]), ...elsewhere, ...loaded.warnings, ...taste.warnings],
  };
}

function tasteRows(taste: Taste): readonly ConfigRow[] {
  const row = (key: string, value: unknown): readonly ConfigRow[] => {
    const scope = taste.origins.get(key);
    return scope === undefined ? [] : [{ key, value, origin: { kind: 'git-config', where: `git config --${scope}` } }];
  };
  return [...row('owl.color', taste.color), ...row('owl.editor', taste.editor), ...row('owl.label', taste.labels)];
}

/** One line for each item of a list and each named entry: each may have its own origin. */
function expand(row: ConfigRow, origins: ReadonlyMap<string, Origin>): readonly ConfigRow[] {
  const { key, value } = row;
  const part = (suffix: string, inner: unknown): ConfigRow => ({
    key: `${key}${suffix}`,
    value: inner,
    origin: origins.get(`${key}${suffix}`) ?? row.origin,
  });
  if (Array.isArray(value) && value.length > 0 && key !== 'sandbox') {
    return value.map((item: unknown, at) => {
      const named = typeof item === 'object' && item !== null && 'name' in item && typeof item.name === 'string';
      if (!named) return part(`[${at}]`, item);
      const { name, ...rest } = item as { readonly name: string };
      return part(`.${name}`, rest);
    });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0) {
    return Object.entries(value).map(([name, inner]) => part(`.${name}`, inner));
  }
  return [row];
}

/** Text as it is, everything else as JSON, which YAML reads too. */
const written = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function table(theme: Theme, rows: readonly ConfigRow[]): Lines {
  if (!theme.terminal) {
    return rows.map((row) => [row.key, written(row.value), row.origin.where].map(theme.text).join('\t'));
  }
  const wide = Math.min(32, Math.max(...rows.map((row) => row.key.length)));
  return rows.map((row) => {
    const value = row.value === null ? theme.dim('not set') : theme.text(written(row.value));
    const origin = row.origin.kind === 'built-in' ? '' : `  ${theme.dim(`(${row.origin.where})`)}`;
    return `${theme.strong(row.key)}${' '.repeat(Math.max(0, wide - row.key.length))}  ${value}${origin}`;
  });
}

function showKey(key: string, rows: readonly ConfigRow[]): Report {
  const one = rows.find((row) => row.key === key);
  if (one !== undefined) {
    const lines = Array.isArray(one.value) ? one.value.map(written) : one.value === null ? [] : [written(one.value)];
    return { kind: 'config-value', data: one, view: (theme) => lines.map(theme.text) };
  }
  const group = rows.filter((row) => row.key.startsWith(`${key}.`));
  if (group.length > 0) return { kind: 'config-values', data: { items: group }, view: (theme) => table(theme, group) };
  const near = nearest(key, [...rows.map((row) => row.key), 'check']);
  const hint = near === null ? '' : `; the nearest one is ${near}`;
  throw new OwlError('usage', `${JSON.stringify(key.slice(0, 60))} is no key of the configuration${hint}`, {
    next: ['git owl config'],
  });
}
