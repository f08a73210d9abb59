// The configuration that lies in a folder on disk, which is never in force: for `config check` before it is committed, and for `init`.

import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectFormat } from '../domain/git.js';
import { newBlob } from '../git/objects.js';
import { type Named, type Search, searchNames } from './find.js';
import { classifyName, SEARCH_FOLDERS } from './places.js';

/** Throws OwlError `configuration` as `findConfiguration` does; paths in messages are relative to the folder. */
export async function findInCheckout(folder: string, format: ObjectFormat): Promise<Search> {
  return searchNames(await listNames(folder, format), '');
}

async function listNames(top: string, format: ObjectFormat): Promise<readonly Named[]> {
  const all: Named[] = [];
  for (const folder of SEARCH_FOLDERS) {
    for (const name of await namesOf(join(top, folder))) {
      const path = `${folder}${name}`;
      if (classifyName(path) === 'other') continue;
      const facts = await lstat(join(top, path)).catch(() => null);
      if (facts === null) continue;
      const kind = facts.isSymbolicLink() ? 'link' : facts.isFile() ? 'file' : 'folder';
      if (kind === 'folder' && classifyName(path) !== 'place') continue;
      const read = async () => {
        const data = await readFile(join(top, path));
        return { data, oid: newBlob(format, data).oid };
      };
      all.push({ path, kind, read });
    }
  }
  return all.sort((one, two) => (one.path < two.path ? -1 : 1));
}

async function namesOf(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== undefined) return [];
    throw error;
  }
}
