// Where the small programs lie that are started beside this one: in the folder of its main file.

import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OwlError } from '../domain/errors.js';

/** Absolute path of one of them. Throws OwlError `defect` when the installation lacks it. */
export function programFile(name: 'guardian' | 'fence'): string {
  const folder = dirname(fileURLToPath(import.meta.url));
  const file = join(basename(folder) === 'chunks' ? dirname(folder) : folder, `${name}.js`);
  if (!existsSync(file)) throw new OwlError('defect', `the ${name} program is missing at ${file}`);
  return file;
}
