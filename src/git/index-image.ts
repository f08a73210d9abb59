// The index of a checkout at one moment, to tell later whether its entries changed: the bytes first, and Git only where they differ.

import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../system/temporary.js';
import { lstatIfThere } from './files.js';
import type { Repository } from './repository.js';

export interface IndexImage {
  /** Equal: nothing changed. Different: ask for the entries of both. */
  readonly digest: string;
  /** Digest of the entries, not of the bytes: a prompt or an editor that refreshes stat data changes nothing. */
  entries(): Promise<string>;
}

/** Larger ones are not held in memory while an agent runs. */
const HELD = 16 * 1024 * 1024;

/** `admin` is the Git folder of the checkout. Writes nothing there. */
export async function indexImage(repository: Repository, admin: string): Promise<IndexImage> {
  const path = join(admin, 'index');
  const stat = await lstatIfThere(path);
  if (stat === null) return fixed('absent');
  if (!stat.isFile() || stat.size > HELD) return fixed(await entriesOf(repository, admin, path));
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return fixed('unreadable');
    throw error;
  }
  return {
    digest: `bytes ${createHash('sha256').update(bytes).digest('hex')}`,
    async entries() {
      const folder = await temporaryFolder('git-owl-index-');
      try {
        await writeFile(join(folder, 'index'), bytes);
        return await entriesOf(repository, admin, join(folder, 'index'));
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

const fixed = (digest: string): IndexImage => ({ digest, entries: async () => digest });

async function entriesOf(repository: Repository, admin: string, path: string): Promise<string> {
  const listed = await repository.git.run(['ls-files', '-s', '-v', '-z'], {
    checkout: { gitDir: admin, workTree: '/' },
    env: { GIT_INDEX_FILE: path },
  });
  return listed.code === 0 ? createHash('sha256').update(listed.stdout).digest('hex') : 'unreadable';
}
