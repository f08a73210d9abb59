// From the text of one configuration file to a validated value. Text only: nothing here opens a file or runs anything.

import * as v from 'valibot';
import { type ConfigIssue, describeIssues, issueAt, type KeyPath, misshapen, writePath } from './issues.js';
import { findRuleBreaks } from './rules.js';
import { baseFileSchema, type ConfigFile, userFileSchema } from './schema.js';

/** Bytes of the largest file that is read (1 MiB for a `package.json`, of which one key is). */
export const MOST_BYTES = 64 * 1024;
export const MOST_PACKAGE_BYTES = 1024 * 1024;

/** Values in one file, aliases counted each time they are used: a file of aliases of aliases is refused, not walked. */
const MOST_VALUES = 20_000;
const DEEPEST = 20;

export type Parsed =
  | { readonly kind: 'ok'; readonly file: ConfigFile }
  | { readonly kind: 'bad'; readonly issues: readonly (ConfigIssue & { readonly line: number | null })[] };

/** Reads YAML or JSON with cosmiconfig's loaders, the functions of text alone. Nothing in it (an empty file) is null. */
export async function parseText(
  syntax: 'yaml' | 'json',
  text: string,
): Promise<{ readonly value: unknown } | { readonly issue: ConfigIssue & { line: number | null } }> {
  const { jsonLoader, yamlLoader } = await import('./loaders.js');
  const plain = text.startsWith('\ufeff') ? text.slice(1) : text;
  try {
    // cosmiconfig's JSON loader refuses an empty text, as JSON does.
    return { value: (syntax === 'yaml' ? yamlLoader : jsonLoader)('file', plain) };
  } catch (error) {
    const issue = syntaxIssue(syntax, error);
    const lines = plain.trimEnd().split('\n').length;
    return { issue: { ...issue, line: issue.line === null ? null : Math.min(issue.line, lines) } };
  }
}

/** js-yaml's `reason` and `mark` and parse-json's message are shown, never decided on. */
function syntaxIssue(syntax: 'yaml' | 'json', error: unknown): ConfigIssue & { line: number | null } {
  const detail = error as { reason?: unknown; mark?: { line?: unknown } | null; message?: unknown };
  const yamlLine = detail.mark?.line;
  if (syntax === 'yaml') {
    const reason = typeof detail.reason === 'string' ? detail.reason : 'not YAML';
    return { ...issueAt([], `not valid YAML: ${reason}`), line: typeof yamlLine === 'number' ? yamlLine + 1 : null };
  }
  const message = String(detail.message ?? '');
  const line = /^>\s*(\d+) \|/m.exec(message)?.[1];
  const reason =
    message.split('\n').find((row) => / in JSON|JSON input|JSON at|position/.test(row)) ?? 'a syntax error';
  const short = reason
    .replace(/ while parsing .*$/, '')
    .replace(/ in JSON at position \d+.*$/, '')
    .trim();
  return { ...issueAt([], `not valid JSON: ${short}`), line: line === undefined ? null : Number(line) };
}

/**
 * Validates a parsed value against one file's schema and the rules that need more than one value.
 * @param text what it was parsed from, to find lines in. @param below the key of that text which holds the value.
 */
export function parseFile(which: 'base' | 'user', value: unknown, text: string, below: KeyPath = []): Parsed {
  const bad = (issues: readonly ConfigIssue[]): Parsed => ({
    kind: 'bad',
    issues: issues
      .map((issue) => ({ ...issue, line: lineOf(text, [...below, ...issue.path]) }))
      .sort((one, two) => (one.line ?? 0) - (two.line ?? 0)),
  });
  if (value === null || value === undefined) return { kind: 'ok', file: {} };
  const odd = findOddities(value);
  if (odd.length > 0) return bad(odd);
  const newer = newerVersion(value);
  if (newer !== null) return bad([newer]);
  const result = v.safeParse(which === 'base' ? baseFileSchema : userFileSchema, value);
  if (!result.success) return bad(describeIssues(result.issues));
  const issues = [...misshapen(value, result.output), ...findRuleBreaks(result.output)];
  return issues.length > 0 ? bad(issues) : { kind: 'ok', file: result.output };
}

function newerVersion(value: unknown): ConfigIssue | null {
  const version = typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined;
  if (typeof version !== 'number' || !Number.isInteger(version) || version <= 1) return null;
  return issueAt(['version'], `version ${version} is newer than what this program reads, which is 1`);
}

/** What no schema may see: keys that JavaScript would not treat as data, `$import`, too many values. */
function findOddities(root: unknown): readonly ConfigIssue[] {
  let values = 0;
  const found: ConfigIssue[] = [];
  const walk = (value: unknown, path: KeyPath): boolean => {
    values += 1;
    if (values > MOST_VALUES || path.length > DEEPEST) return false;
    if (typeof value !== 'object' || value === null) return true;
    if (Array.isArray(value)) return value.every((item, at) => walk(item, [...path, at]));
    return Object.entries(value).every(([key, item]) => {
      const here = [...path, key];
      if (key === '$import') {
        found.push(issueAt(here, '$import is not supported: the configuration is one file of one commit'));
      } else if (key === '__proto__' || key === 'constructor' || key === 'prototype') {
        found.push(issueAt(here, `unknown key ${JSON.stringify(writePath(here))}`));
      }
      return walk(item, here);
    });
  };
  return walk(root, []) ? found : [issueAt([], 'too many values, or too deep')];
}

/**
 * The line on which a key stands, counted from 1; null when it cannot be told. Found by looking for the names of the
 * path one after the other, since the loaders keep no places; an item of a list is looked for by its number of dashes.
 */
export function lineOf(text: string, path: KeyPath): number | null {
  const lines = text.split('\n');
  let at = 0;
  let column = 0;
  let found: number | null = null;
  for (const [index, part] of path.entries()) {
    if (typeof part === 'number') {
      const indent = /^\s*/.exec(lines.slice(at + 1).find((row) => /^\s*- /.test(row)) ?? '')?.[0].length;
      if (indent === undefined || !/:\s*(?:#.*)?$/.test(lines[at] ?? '')) continue;
      let seen = -1;
      for (let row = at + 1; row < lines.length && seen < part; row++) {
        const line = lines[row] ?? '';
        if (line.startsWith(`${' '.repeat(indent)}- `) && ++seen === part) [at, column, found] = [row, 0, row + 1];
      }
      continue;
    }
    const key = part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const pattern = new RegExp(
      index === 0 ? `^[\\s{]*["']?${key}["']?\\s*:` : `(?:^|[\\s{,])["']?${key}["']?\\s*:`,
      'g',
    );
    for (let row = at; row < lines.length; row++, column = 0) {
      const line = lines[row] ?? '';
      if (/^\s*#/.test(line)) continue;
      pattern.lastIndex = column;
      const match = pattern.exec(line);
      if (match === null) continue;
      [at, column, found] = [row, match.index + match[0].length, row + 1];
      break;
    }
    if (found === null) return null;
  }
  return found;
}
