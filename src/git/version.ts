// Which Git this is, and whether it is new enough.

import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { OwlError } from '../domain/errors.js';
import { startFailure } from './process.js';

export type GitVersion = readonly [major: number, minor: number, patch: number];

/** `merge-tree --write-tree` came with 2.38, `cat-file --batch-command` with 2.36: nothing older works. */
export const MINIMUM_GIT: GitVersion = [2, 38, 0];

/** Reads `git version 2.39.5 (Apple Git-154)`, `2.45.0.windows.1`, `2.55.GIT`. Null for anything else. */
export function parseVersion(text: string): GitVersion | null {
  const found = /^git version (\d+)\.(\d+)(?:\.(\d+))?/.exec(text);
  return found === null ? null : [Number(found[1]), Number(found[2]), Number(found[3] ?? 0)];
}

export function isAtLeast(version: GitVersion, wanted: GitVersion): boolean {
  for (const at of [0, 1, 2] as const) if (version[at] !== wanted[at]) return version[at] > wanted[at];
  return true;
}

export const formatVersion = (version: GitVersion): string => version.join('.');

/** Throws OwlError `git-too-old`, naming what was found and what is needed; `text` is what `git version` printed. */
export function requireVersion(text: string): GitVersion {
  const version = parseVersion(text);
  if (version !== null && isAtLeast(version, MINIMUM_GIT)) return version;
  const found = version === null ? `"${text.trim().slice(0, 60)}"` : formatVersion(version);
  const needed = formatVersion(MINIMUM_GIT);
  throw new OwlError('git-too-old', `Git ${needed} or newer is needed, and the git on PATH is ${found}`, {
    next: ['git version', 'git owl doctor'],
    data: { found: version === null ? text.trim() : found, needed },
  });
}

/** Makes Git say its version on standard error in a line of JSON beside whatever it was asked: no process more. */
export const SAY_VERSION: Readonly<Record<string, string>> = { GIT_TRACE2_EVENT: '1' };

/** Takes what SAY_VERSION added out of standard error. `said` is null where Git is too old for it (before 2.22). */
export function splitVersion(stderr: string): { readonly said: string | null; readonly stderr: string } {
  const lines = stderr.split('\n');
  const event = lines.find((line) => line.startsWith('{"event":"version"'));
  const exe = event === undefined ? undefined : /"exe":"([^"]*)"/.exec(event)?.[1];
  return {
    said: exe === undefined ? null : `git version ${exe}`,
    stderr: lines.filter((line) => !line.startsWith('{"event":"')).join('\n'),
  };
}

/** Whether the `git` on PATH is a script: a wrapper may start another Git than the one it speaks of, so it is asked outright. */
export function isWrapped(path: string | undefined): boolean {
  for (const folder of (path ?? '').split(delimiter)) {
    const file = join(folder, 'git');
    const start = Buffer.alloc(2);
    try {
      const handle = openSync(file, 'r');
      readSync(handle, start, 0, 2, 0);
      closeSync(handle);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'ENOENT' || code === 'ENOTDIR') continue;
      return true;
    }
    return start.toString('latin1') === '#!';
  }
  return true;
}

/** The version, now: for who asks before a repository was opened. Throws OwlError `git-missing`, `git-too-old`. */
export function loadVersionNow(cwd: string, env: Readonly<Record<string, string>>): GitVersion {
  const done = spawnSync('git', ['version'], {
    cwd,
    env,
    timeout: 10_000,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (done.error !== undefined) throw startFailure(done.error, cwd);
  return requireVersion(done.stdout);
}
