// The user's own file, `$XDG_CONFIG_HOME/coding-owl/config.yaml`: read from disk as text, never run.

import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OwlError } from '../domain/errors.js';
import type { Environment } from '../system/environment.js';
import { decode } from './find.js';
import type { Source } from './merge.js';
import { MOST_BYTES, parseFile, parseText } from './parse.js';
import { configurationError } from './report-issues.js';

const USER_FILE = 'config.yaml';

export interface UserFile {
  /** Null: there is none. */
  readonly source: Source | null;
  readonly warnings: readonly string[];
}

/** The path as messages name it: `~/.config/coding-owl/config.yaml`. */
export function userFileLabel(environment: Pick<Environment, 'configDir' | 'home'>): string {
  const path = join(environment.configDir, USER_FILE);
  return path.startsWith(`${environment.home}/`) ? `~${path.slice(environment.home.length)}` : path;
}

/** Reads and validates it. Throws OwlError `configuration` naming the file, the line and the key. */
export async function loadUserFile(environment: Pick<Environment, 'configDir' | 'home'>): Promise<UserFile> {
  const label = userFileLabel(environment);
  const warnings = await nearMisses(environment.configDir, label);
  const text = await readText(join(environment.configDir, USER_FILE), label);
  if (text === null) return { source: null, warnings };
  const read = await parseText('yaml', text);
  if ('issue' in read) throw configurationError(label, [read.issue]);
  const parsed = parseFile('user', read.value, text);
  if (parsed.kind === 'bad') throw configurationError(label, parsed.issues);
  return { source: { label, file: parsed.file }, warnings };
}

async function readText(path: string, label: string): Promise<string | null> {
  const problem = (message: string): OwlError =>
    configurationError(label, [{ path: [], key: '', message, line: null }]);
  try {
    const facts = await stat(path);
    if (!facts.isFile()) throw problem('it is not a file');
    if (facts.size > MOST_BYTES) throw problem(`it has ${facts.size} bytes; at most ${MOST_BYTES} are read`);
    const text = decode(await readFile(path));
    if (text === null) throw problem('it is not UTF-8 text');
    return text;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    if (error instanceof OwlError || code === undefined) throw error;
    throw problem(`it cannot be read (${code})`);
  }
}

/** Files beside it that look like it and are not read. */
async function nearMisses(folder: string, label: string): Promise<string[]> {
  let names: readonly string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== undefined) return [];
    throw error;
  }
  return names
    .filter((name) => name !== USER_FILE && /^\.?config\.(?:ya?ml|json[5c]?|toml|[cm]?[jt]s)$/i.test(name))
    .map(
      (name) =>
        `${label.slice(0, -USER_FILE.length)}${name} is not read: your own configuration is called ${USER_FILE}`,
    );
}
