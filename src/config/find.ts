// Finds the one configuration of a commit among its blobs. Nothing is checked out, no checkout, index or HEAD is looked at (J7).
// The same rules look through a folder on disk for `config check`: only where names and bytes come from differs.

import { OwlError } from '../domain/errors.js';
import type { Oid } from '../domain/git.js';
import { treeEntries } from '../git/blob.js';
import type { Repository } from '../git/repository.js';
import { MOST_BYTES, MOST_PACKAGE_BYTES, parseText } from './parse.js';
import { classifyName, PACKAGE_KEY, SEARCH_FOLDERS, type SearchPlace } from './places.js';
import { configurationError } from './report-issues.js';

export interface Found {
  readonly path: SearchPlace;
  readonly blob: Oid;
  readonly text: string;
  /** What was parsed: of a `package.json` the value of its key. */
  readonly value: unknown;
}

export interface Search {
  readonly found: Found | null;
  readonly warnings: readonly string[];
}

/** Something with a name in a search folder. */
export interface Named {
  /** From the top: `.config/coding-owl.yaml`. */
  readonly path: string;
  readonly kind: 'file' | 'link' | 'submodule' | 'folder';
  /** Bytes and blob id of a file. */
  read(): Promise<{ readonly data: Buffer; readonly oid: Oid }>;
}

/**
 * Looks through the search places of a commit.
 * @param label what the commit is called in messages: `refs/remotes/origin/main`.
 * Throws OwlError `configuration` (two of them, an executable form, a link, too large, not text, a syntax error) and `unreadable-object`.
 */
export async function findConfiguration(repository: Repository, commit: Oid, label: string): Promise<Search> {
  return searchNames(await listNames(repository, commit, label), `${label}:`);
}

/** As `findConfiguration`, for names from anywhere. @param before what a path follows in messages. */
export async function searchNames(named: readonly Named[], before: string): Promise<Search> {
  const executable = named.find(({ path }) => classifyName(path) === 'executable');
  if (executable !== undefined) {
    const why = 'a configuration that would have to be run is refused; write it as .coding-owl.yaml';
    throw refusal(`${before}${executable.path}`, why);
  }
  const warnings = named
    .filter(({ path }) => classifyName(path) === 'near-miss')
    .map(({ path }) => `${before}${path} is not read: the configuration is called .coding-owl.yaml`);
  const all: Found[] = [];
  for (const one of named) {
    if (classifyName(one.path) !== 'place') continue;
    const found = one.path === 'package.json' ? await readPackage(one, before, warnings) : await readPlace(one, before);
    if (found !== null) all.push(found);
  }
  const [first, second] = all;
  if (first !== undefined && second !== undefined) {
    throw refusal(
      `${before}${first.path}`,
      `there is a second configuration, ${sayPlace(second.path)}; keep one of them`,
    );
  }
  return { found: first ?? null, warnings };
}

const sayPlace = (path: SearchPlace): string => (path === 'package.json' ? `package.json ("${PACKAGE_KEY}")` : path);

const refusal = (file: string, why: string, line: number | null = null): OwlError =>
  configurationError(file, [{ path: [], key: '', message: why, line }]);

const KINDS: Readonly<Record<string, Named['kind']>> = { '120000': 'link', '160000': 'submodule', '040000': 'folder' };

/** Files and links of the search folders; folders themselves hold no configuration. */
async function listNames(repository: Repository, commit: Oid, label: string): Promise<readonly Named[]> {
  const all: Named[] = [];
  for (const folder of SEARCH_FOLDERS) {
    const entries = (await treeEntries(repository, commit, folder.replace(/\/$/, ''))) ?? [];
    for (const entry of entries) {
      const path = `${folder}${Buffer.from(entry.name, 'latin1').toString('utf8')}`;
      const kind = KINDS[entry.mode] ?? 'file';
      // A folder called `.coding-owl` holds the Handoff; one called `.coding-owl.yaml` is refused below.
      if (kind === 'folder' && classifyName(path) !== 'place') continue;
      const read = async () => ({ data: await readBlob(repository, entry.oid, `${label}:${path}`), oid: entry.oid });
      all.push({ path, kind, read });
    }
  }
  return all;
}

const SAY_KIND = { link: 'a symbolic link', submodule: 'a submodule', folder: 'a folder' } as const;

async function readPlace(one: Named, before: string): Promise<Found> {
  const file = `${before}${one.path}`;
  if (one.kind !== 'file') throw refusal(file, `it is ${SAY_KIND[one.kind]}; the configuration is a file of its own`);
  const { data, oid } = await one.read();
  if (data.length > MOST_BYTES) throw refusal(file, `it has ${data.length} bytes; at most ${MOST_BYTES} are read`);
  const text = decode(data);
  if (text === null) throw refusal(file, 'it is not UTF-8 text');
  const parsed = await parseText(one.path.endsWith('.json') ? 'json' : 'yaml', text);
  if ('issue' in parsed) throw refusal(file, parsed.issue.message, parsed.issue.line);
  return { path: one.path as SearchPlace, blob: oid, text, value: parsed.value };
}

/** A `package.json` is somebody else's file: only its one key is ours, and what is wrong elsewhere in it is no business of ours. */
async function readPackage(one: Named, before: string, warnings: string[]): Promise<Found | null> {
  if (one.kind !== 'file') return null;
  const file = `${before}${one.path}`;
  const { data, oid } = await one.read();
  if (!data.includes(`"${PACKAGE_KEY}"`)) return null;
  if (data.length > MOST_PACKAGE_BYTES)
    throw refusal(file, `it has ${data.length} bytes; at most ${MOST_PACKAGE_BYTES} are read`);
  const text = decode(data) ?? '';
  const parsed = await parseText('json', text);
  if ('issue' in parsed) {
    warnings.push(`${file} was not looked into: ${parsed.issue.message}`);
    return null;
  }
  const whole = parsed.value;
  if (typeof whole !== 'object' || whole === null || !Object.hasOwn(whole, PACKAGE_KEY)) return null;
  const value: unknown = (whole as Readonly<Record<string, unknown>>)[PACKAGE_KEY];
  if ((JSON.stringify(value) ?? '').length > MOST_BYTES)
    throw refusal(file, `"${PACKAGE_KEY}" is longer than ${MOST_BYTES} characters`);
  return { path: 'package.json', blob: oid, text, value };
}

async function readBlob(repository: Repository, oid: Oid, name: string): Promise<Buffer> {
  const blob = await (await repository.engine()).read(oid);
  if (blob === null || blob.type !== 'blob') {
    throw new OwlError('unreadable-object', `object ${oid}, the file ${name}, is not in this repository`, {
      next: ['git fsck'],
    });
  }
  return blob.data;
}

/** Text of the bytes; null when they are not UTF-8. */
export function decode(data: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data);
  } catch (error) {
    // Node's decoder says a malformed sequence with a TypeError; nothing else is thrown there.
    if (error instanceof TypeError) return null;
    throw error;
  }
}
