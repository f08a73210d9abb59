// Small looks at files of Git's own folders, where "not there" is an answer.

import type { Stats } from 'node:fs';
import { lstat, readFile, realpath } from 'node:fs/promises';

const GONE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);

const isGone = (error: unknown): boolean => error instanceof Error && 'code' in error && GONE.has(error.code);

async function orNull<T>(look: Promise<T>): Promise<T | null> {
  try {
    return await look;
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

/** Text of a file; null when it is not there. A folder in its place throws EISDIR. */
export const readIfThere = (path: string): Promise<string | null> => orNull(readFile(path, 'utf8'));

/** Of the thing itself, not of what a link points to. */
export const lstatIfThere = (path: string | Buffer): Promise<Stats | null> => orNull(lstat(path));

export const realPathIfThere = (path: string): Promise<string | null> => orNull(realpath(path));
