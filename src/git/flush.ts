// Flushing to disk: the one step that waits for the disk, and so the one that is done aside.

import { closeSync, fsync, openSync } from 'node:fs';
import { promisify } from 'node:util';

/** Of an open file. */
export const flush: (file: number) => Promise<void> = promisify(fsync);

/** The rename of a file is on disk once its folder is. A folder that is gone again (packed, pruned) needs nothing. */
export async function flushFolder(path: string): Promise<void> {
  let folder: number;
  try {
    folder = openSync(path, 'r');
  } catch {
    return;
  }
  try {
    await flush(folder);
  } finally {
    closeSync(folder);
  }
}
