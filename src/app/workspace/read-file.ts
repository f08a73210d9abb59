// One file of a checkout that an agent writes to, read without following a link (01).

import { binaryName, nameBytes } from '../../git/path-bytes.js';
import { openToRead } from '../../system/beneath.js';
import type { Workspace } from './types.js';

export type WorkFile =
  | { readonly kind: 'file'; readonly data: Buffer }
  | { readonly kind: 'absent' }
  /** A folder, a link, or a link or file in the place of a folder above it. */
  | { readonly kind: 'not-a-file' };

/** Longer files are cut here: whoever asks bounds what it accepts, and this is above every bound. */
const LONGEST = 16 * 1024 * 1024;

/** Reads a regular file by its path with `/`; at most 16 MiB of it. */
export async function readWorkFile(workspace: Pick<Workspace, 'path'>, path: string): Promise<WorkFile> {
  const found = await openToRead(workspace.path, nameBytes(binaryName(path)));
  if (found.kind !== 'open') return { kind: found.kind === 'link' ? 'not-a-file' : 'absent' };
  try {
    const stat = await found.file.stat();
    if (!stat.isFile()) return { kind: 'not-a-file' };
    if (stat.size <= LONGEST) return { kind: 'file', data: await found.file.readFile() };
    const data = Buffer.alloc(LONGEST);
    const { bytesRead } = await found.file.read(data, 0, LONGEST, 0);
    return { kind: 'file', data: data.subarray(0, bytesRead) };
  } finally {
    await found.file.close();
  }
}
