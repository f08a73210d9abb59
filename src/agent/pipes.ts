// Real pipes for the output of a child. What Node makes are sockets, and a socket cannot be opened by name: in a script
// under them `echo … > /dev/stderr` fails with ENXIO. Node built-ins only, since the guardian carries it.

import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';

export interface OutputPipe {
  readonly reader: Readable;
  /** For the child's `stdio`; close it with `closeWriters` once the child was started. */
  readonly writer: number;
}

/** Makes `count` pipes by way of named ones beside `base`, which are gone at once. Null where that cannot be done. */
export function outputPipes(base: string, count: number): readonly OutputPipe[] | null {
  const names = Array.from({ length: count }, (_, index) => `${base}.pipe${index}`);
  try {
    execFileSync('mkfifo', ['-m', '600', ...names], {
      stdio: 'ignore',
      timeout: 10_000,
      env: { PATH: '/usr/bin:/bin' },
    });
    return names.map((name) => {
      // Not blocking, or opening would wait for a writer.
      const fd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
      const writer = openSync(name, constants.O_WRONLY);
      return { reader: new Socket({ fd, readable: true, writable: false }), writer };
    });
  } catch {
    // No `mkfifo`, or a file system without named pipes: the caller takes Node's sockets.
    return null;
  } finally {
    for (const name of names) rmSync(name, { force: true });
  }
}

export function closeWriters(pipes: readonly OutputPipe[] | null): void {
  for (const { writer } of pipes ?? []) closeSync(writer);
}

/** After the group is gone a pipe that is still open is held by something we cannot see: only silence is waited for. */
const QUIET = 300;
/** What a chatterer that we cannot see may add before it is not listened to any more: more than any pipe can hold. */
const MOST = 4 * 1024 * 1024;
const LONGEST = 10_000;

/**
 * Reads to the end what a gone process left in its pipes, and closes them: what it printed is never cut, however slow we are
 * (J17). Who hands the bytes on must not pause the streams any more.
 */
export async function drained(streams: readonly (Readable | null | undefined)[]): Promise<void> {
  const begin = performance.now();
  let size = 0;
  let done = false;
  const end = closed(streams).then(() => {
    done = true;
  });
  for (const stream of streams) {
    stream?.on('data', (bytes: Buffer) => {
      size += bytes.length;
    });
    stream?.resume();
  }
  for (let seen = -1; size !== seen && size < MOST && performance.now() - begin < LONGEST; ) {
    seen = size;
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([end, new Promise((resolve) => (timer = setTimeout(resolve, QUIET)))]);
    clearTimeout(timer);
    if (done) return;
    // A timer that is late comes before what lies in the pipes meanwhile; these come after it.
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  for (const stream of streams) stream?.destroy();
}

/** Resolves when all of them are at their end, or were destroyed. */
const closed = (streams: readonly (Readable | null | undefined)[]): Promise<unknown> =>
  Promise.all(
    streams
      .filter((stream) => stream !== null && stream !== undefined)
      .map((stream) => (stream.closed ? undefined : new Promise<void>((resolve) => stream.once('close', resolve)))),
  );
