// Files below a folder that somebody else writes to, opened one path component after the other without following a link (01).

import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, unlink } from 'node:fs/promises';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** `link`: a component is a symbolic link, or not a folder. `absent`, `exists`: of the file itself or a folder above. */
export type Beneath =
  | { readonly kind: 'open'; readonly file: FileHandle }
  | { readonly kind: 'absent' | 'exists' | 'link' };

/** Opens a regular file, a folder or whatever is there for reading; look at its type before you read. */
export const openToRead = (root: string, name: Buffer): Promise<Beneath> =>
  // Without O_NONBLOCK a named pipe would hold us for ever.
  walk(root, name, false, O_RDONLY | O_NONBLOCK, 0);

/** Makes a file that must not exist, with the folders above it. */
export const createToWrite = (root: string, name: Buffer, mode: number): Promise<Beneath> =>
  walk(root, name, true, O_WRONLY | O_CREAT | O_EXCL, mode);

/** Removes a file or link, never what a link in its path leads to. Nothing there: nothing happens. */
export async function removeBeneath(root: string, name: Buffer): Promise<'removed' | 'absent' | 'link'> {
  const parts = name.toString('latin1').split('/');
  const last = Buffer.from(parts.pop() ?? '', 'latin1');
  const above = Buffer.from(parts.join('/') || '.', 'latin1');
  const found: Beneath =
    parts.length === 0
      ? { kind: 'open', file: await open(root, O_RDONLY | O_DIRECTORY) }
      : await walk(root, above, false, O_RDONLY | O_DIRECTORY, 0);
  if (found.kind !== 'open') return found.kind === 'link' ? 'link' : 'absent';
  try {
    const shown = Buffer.concat([Buffer.from(`${root}/`), name]);
    await unlink(await childPath(found.file, shown, last));
    return 'removed';
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'absent';
    throw error;
  } finally {
    await found.file.close();
  }
}

async function walk(root: string, name: Buffer, make: boolean, flags: number, mode: number): Promise<Beneath> {
  const parts = splitBytes(name);
  const last = parts.pop();
  if (last === undefined) return { kind: 'absent' };
  let folder = await open(root, O_RDONLY | O_DIRECTORY);
  let shown: Buffer = Buffer.from(root);
  try {
    for (const part of parts) {
      shown = joined(shown, part);
      const path = await childPath(folder, shown, part);
      if (make) await makeFolder(path);
      const next = await opened(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
      if (next.kind !== 'open') return next;
      await folder.close();
      folder = next.file;
    }
    shown = joined(shown, last);
    return await opened(await childPath(folder, shown, last), flags | O_NOFOLLOW, mode);
  } finally {
    await folder.close();
  }
}

/**
 * The child through the open folder, so that nobody can put a link in its place meanwhile: Node has no `openat`, but
 * Linux shows open folders in /proc. Elsewhere by its path, where each component was looked at just before.
 */
async function childPath(folder: FileHandle, shown: Buffer, part: Buffer): Promise<Buffer> {
  const viaProc = `/proc/self/fd/${folder.fd}`;
  try {
    await lstat(viaProc);
    return joined(Buffer.from(viaProc), part);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return shown;
    throw error;
  }
}

async function opened(path: Buffer, flags: number, mode: number): Promise<Beneath> {
  try {
    return { kind: 'open', file: await open(path, flags, mode) };
  } catch (error) {
    switch (error instanceof Error && 'code' in error ? error.code : undefined) {
      case 'ENOENT':
        return { kind: 'absent' };
      case 'EEXIST':
        return { kind: 'exists' };
      case 'ELOOP':
      case 'ENOTDIR':
      case 'EMLINK':
        return { kind: 'link' };
      default:
        throw error;
    }
  }
}

async function makeFolder(path: Buffer): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

const joined = (folder: Buffer, part: Buffer): Buffer => Buffer.concat([folder, Buffer.from('/'), part]);

/** Components of a relative path; `..` is refused by giving none. */
function splitBytes(name: Buffer): Buffer[] {
  const parts = name
    .toString('latin1')
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  return parts.includes('..') ? [] : parts.map((part) => Buffer.from(part, 'latin1'));
}
