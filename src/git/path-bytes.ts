// File names as Git has them: bytes. In memory a name is a latin1 ("binary") string, so that any name survives.

import { isAbsolute, join } from 'node:path';

/** A name for the file system: Node takes buffers wherever it takes paths. */
export const nameBytes = (name: string): Buffer => Buffer.from(name, 'latin1');

/** A name for people and JSON: UTF-8, with what is not UTF-8 replaced. */
export const shownName = (name: string): string => nameBytes(name).toString('utf8');

/** A name that a person or a record gave, in the form that is used here. */
export const binaryName = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** A name below a folder, for the file system. */
export const below = (folder: string, name: string): Buffer =>
  Buffer.concat([Buffer.from(folder.endsWith('/') ? folder : `${folder}/`, 'utf8'), nameBytes(name)]);

/** The fields of a `-z` output, as binary names. */
export function splitNul(output: Buffer): string[] {
  const fields = output.toString('latin1').split('\0');
  if (fields.at(-1) === '') fields.pop();
  return fields;
}

/** Names as standard input of a `-z` command. */
export const joinNul = (names: readonly string[]): Buffer => nameBytes(names.map((name) => `${name}\0`).join(''));

/** `path` seen from `folder` when it is not absolute: what Git writes into `gitdir`, `commondir` and `.git` files. */
export const resolveFrom = (folder: string, path: string): string => (isAbsolute(path) ? path : join(folder, path));
