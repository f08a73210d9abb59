// Loose objects read and written from here, each flushed before it gets its name. A process of Git for a few of them costs as much as
// all the rest of a command; libgit2 does not flush, and its binding takes only text. Packs, alternates and doubts are Git's.

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { deflate, deflateSync, inflateSync } from 'node:zlib';
import { OwlError } from '../domain/errors.js';
import type { ObjectFormat, ObjectType, Oid } from '../domain/git.js';
import type { GitObject, NewObject } from './engine.js';
import { flush, flushFolder } from './flush.js';
import { newObject } from './objects.js';

const LARGE = 64 * 1024;
const FOLDER_ATTEMPTS = 20;
const deflateAside = promisify(deflate);

/** The object, if it lies there loose, whole and true to its name; null says nothing: ask Git. */
export function loadLoose(commonDir: string, format: ObjectFormat, oid: Oid): GitObject | null {
  let bytes: Buffer;
  try {
    bytes = inflateSync(readFileSync(loosePath(commonDir, oid)));
  } catch {
    return null;
  }
  const end = bytes.indexOf(0);
  const type = /^(blob|tree|commit|tag) \d+$/.exec(bytes.toString('latin1', 0, Math.max(end, 0)))?.[1] as
    | ObjectType
    | undefined;
  if (type === undefined) return null;
  const data = bytes.subarray(end + 1);
  return newObject(format, type, data).oid === oid ? { type, data } : null;
}

/**
 * Whether the object could lie loose somewhere, damaged perhaps: here, or in an alternate. libgit2 must not be asked for it then: on a
 * loose file that was cut off it inflates for ever.
 */
export function mayBeLoose(commonDir: string, oid: Oid): boolean {
  return existsSync(loosePath(commonDir, oid)) || existsSync(join(commonDir, 'objects/info/alternates'));
}

export const loosePath = (commonDir: string, oid: Oid): string =>
  join(commonDir, 'objects', oid.slice(0, 2), oid.slice(2));

/**
 * Writes all into `<commonDir>/objects` as Git does: a temporary file `tmp_obj_…` that `git gc` knows to clear, content flushed, then
 * renamed, then the folders flushed. Objects that lie there already get a new time, which keeps `gc` from them.
 * Throws OwlError `storage`.
 */
export async function writeLoose(commonDir: string, objects: readonly NewObject[]): Promise<void> {
  const root = join(commonDir, 'objects');
  const folders = new Set<string>();
  try {
    await Promise.all(
      [...new Map(objects.map((object) => [object.oid, object])).values()].map(async (object) => {
        const path = loosePath(commonDir, object.oid);
        if (freshen(path)) return;
        if (await writeInFolder(path, await compress(object))) folders.add(root);
        folders.add(dirname(path));
      }),
    );
    await Promise.all([...folders].map(flushFolder));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    throw new OwlError('storage', `objects could not be written to ${root} (${code})`, {
      preserved: ['No ref was moved.'],
      next: ['git owl doctor'],
      cause: error,
    });
  }
}

/** False when there is nothing of that name, or an empty file that a power loss left. */
function freshen(path: string): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined || found.size === 0) return false;
    const now = new Date();
    utimesSync(path, now, now);
    return true;
  } catch {
    // Only the owner may set a time; then another's object is written anew under the same name.
    return false;
  }
}

async function compress(object: NewObject): Promise<Buffer> {
  const whole = Buffer.concat([Buffer.from(`${object.type} ${object.data.length}\0`, 'latin1'), object.data]);
  return whole.length < LARGE ? deflateSync(whole) : deflateAside(whole);
}

/** True when the folder was made. `git gc` removes empty ones, also the one that was made just now: then it is made again. */
async function writeInFolder(path: string, bytes: Buffer): Promise<boolean> {
  const folder = dirname(path);
  let made = false;
  for (let attempt = 1; ; attempt++) {
    try {
      made = mkdirSync(folder, { recursive: true }) !== undefined || made;
      await writeFlushed(folder, path, bytes);
      return made;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === FOLDER_ATTEMPTS) throw error;
    }
  }
}

/** Each step but the flush takes microseconds, less than to have it done aside. */
async function writeFlushed(folder: string, path: string, bytes: Buffer): Promise<void> {
  const temporary = join(folder, `tmp_obj_${randomBytes(6).toString('hex')}`);
  const file = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o444);
  try {
    writeFileSync(file, bytes);
    await flush(file);
  } catch (error) {
    try {
      unlinkSync(temporary);
    } catch {
      // `git gc` clears it.
    }
    throw error;
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}
