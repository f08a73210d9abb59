// What copied files say, as they are in the user's checkout and in a worktree, so that it can be kept out of what travels (J15; 01).

import { nameBytes } from '../../git/path-bytes.js';
import type { Repository } from '../../git/repository.js';
import { openToRead } from '../../system/beneath.js';
import { type CopyRequest, filesToCopy } from './copy-files.js';
import type { Workspace } from './types.js';

/** Bytes of one file of settings. */
const LARGEST = 1024 * 1024;

/** Null: one of them is larger than a file of settings is. Throws OwlError `git-failed`. */
export async function copiedContents(
  repository: Repository,
  workspace: Workspace,
  request: CopyRequest,
): Promise<readonly string[] | null> {
  const { source, names } = await filesToCopy(repository, request);
  if (source === null) return [];
  const contents = new Set<string>();
  for (const name of names) {
    for (const root of [source, workspace.path]) {
      const data = await read(root, name);
      if (data === 'too-large') return null;
      if (data !== null) contents.add(data);
    }
  }
  return [...contents];
}

async function read(root: string, name: string): Promise<string | 'too-large' | null> {
  const opened = await openToRead(root, nameBytes(name));
  if (opened.kind !== 'open') return null;
  try {
    const stat = await opened.file.stat();
    if (!stat.isFile()) return null;
    return stat.size > LARGEST ? 'too-large' : (await opened.file.readFile()).toString('utf8');
  } finally {
    await opened.file.close();
  }
}
