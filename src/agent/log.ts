// Reads what log-file.ts wrote: in parts for keeping, as it grows for `log -f`, and its last line (J17).
// A live Run's files lie in the common folder and are scratch: state is in Git, they go once they are stored.

import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../system/clock.js';
import { LOG_LIMITS, type LogLimits, segmentName } from './log-file.js';

/** The files of one live Run. */
export interface RunFiles {
  readonly folder: string;
  readonly prompt: string;
  readonly log: string;
  /** Standard error, for agents whose standard output is a stream of JSON. */
  readonly errors: string;
  /** The only folder of these that the agent writes to. */
  readonly out: string;
  readonly result: string;
}

/** Where a Run's files are: `<common folder>/owl/runs/<run>`; outside every worktree (J16b). */
export function runFiles(commonDir: string, run: string): RunFiles {
  const folder = join(commonDir, 'owl', 'runs', run);
  const out = join(folder, 'out');
  return {
    folder,
    prompt: join(folder, 'prompt'),
    log: join(folder, 'log'),
    errors: join(folder, 'errors'),
    out,
    result: join(out, 'result.json'),
  };
}

/** Makes the folders of a Run, readable by this user only. */
export async function makeRunFiles(commonDir: string, run: string): Promise<RunFiles> {
  const files = runFiles(commonDir, run);
  await mkdir(files.out, { recursive: true, mode: 0o700 });
  return files;
}

/** Removes them, after they were stored. */
export const removeRunFiles = (files: RunFiles): Promise<void> => rm(files.folder, { recursive: true, force: true });

export interface LogParts {
  /** In order; none longer than 8 MiB, all together at most 64 MiB. Empty for an empty or missing log. */
  readonly parts: readonly Buffer[];
  /** Bytes that are left out after the first half; 0 when all of it is there. */
  readonly omitted: number;
  /** Number of parts before the place where bytes are left out. */
  readonly before: number;
}

/** What is kept of a log: all of it, or its first and last half (J17). Any bytes. */
export async function logParts(file: string, limits: LogLimits = LOG_LIMITS): Promise<LogParts> {
  const indexes = await segments(file);
  const first = (await readOrNull(file)) ?? Buffer.alloc(0);
  const rest = (
    await Promise.all(indexes.filter((index) => index > 0).map((index) => readOrNull(segmentName(file, index))))
  ).filter((bytes) => bytes !== null);
  const tail = Buffer.concat(rest);
  const gone = (Math.max(1, indexes.find((index) => index > 0) ?? 1) - 1) * limits.segment;
  const last = tail.subarray(Math.max(0, tail.length - limits.head));
  const head = slices(first, limits.segment);
  return {
    parts: [...head, ...slices(last, limits.segment)],
    omitted: gone + tail.length - last.length,
    before: head.length,
  };
}

/** Removes a log with its continuations. */
export async function removeLog(file: string): Promise<void> {
  for (const index of await segments(file)) await rm(segmentName(file, index), { force: true });
}

/** The kept parts as one text of bytes, with a line of ours where bytes are left out. */
export function joinParts(log: LogParts): Buffer {
  if (log.omitted === 0) return Buffer.concat(log.parts);
  const gap = Buffer.from(`\n[git owl: ${log.omitted} bytes left out]\n`);
  return Buffer.concat([...log.parts.slice(0, log.before), gap, ...log.parts.slice(log.before)]);
}

export interface Follow {
  /** Aborted: what is there is given, then it ends. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Asked at the log's end; true: no more will come. Default: it goes on until `signal`. */
  readonly finished?: (() => Promise<boolean> | boolean) | undefined;
  /** Milliseconds between two looks; default 200. */
  readonly interval?: number | undefined;
}

/** Gives a live log's bytes from its beginning and as they come (`log -f`). A log that is not there yet is waited for. */
export async function* tailFile(file: string, follow: Follow): AsyncGenerator<Buffer> {
  let index = 0;
  let offset = 0;
  for (let last = false; ; ) {
    last ||= follow.signal.aborted || ((await follow.finished?.()) ?? false);
    for (;;) {
      const bytes = await readFrom(segmentName(file, index), offset);
      if (bytes.length > 0) {
        offset += bytes.length;
        yield bytes;
        continue;
      }
      // Only a full file has a next one; the oldest continuations may be gone already.
      const next = (await segments(file)).find((candidate) => candidate > index);
      if (next === undefined) break;
      // The rest of this file may have come between the two looks.
      const rest = await readFrom(segmentName(file, index), offset);
      if (rest.length > 0) yield rest;
      index = next;
      offset = 0;
    }
    if (last) return;
    await follow.clock.sleep(follow.interval ?? 200, follow.signal);
  }
}

const LAST_LOOK = 16 * 1024;

/** Last line of a log that is not blank, at most 500 characters; null when there is none. Not escaped. */
export async function lastLine(file: string): Promise<string | null> {
  const name = segmentName(file, (await segments(file)).at(-1) ?? 0);
  const size = await sizeOf(name);
  const bytes = await readFrom(name, Math.max(0, size - LAST_LOOK));
  const lines = bytes.toString('utf8').split('\n');
  return (
    lines
      .map((line) => line.trim())
      .findLast((line) => line !== '')
      ?.slice(0, 500) ?? null
  );
}

/** Numbers of the files that are there, ascending; 0 is the log itself. */
async function segments(file: string): Promise<readonly number[]> {
  const prefix = `${basename(file)}.`;
  const names = await readdir(dirname(file)).catch(() => []);
  return names
    .map((name) =>
      name === basename(file) ? 0 : name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN,
    )
    .filter((index) => Number.isInteger(index))
    .sort((a, b) => a - b);
}

function slices(bytes: Buffer, size: number): readonly Buffer[] {
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
}

const readOrNull = (file: string): Promise<Buffer | null> => readFile(file).catch(() => null);

const sizeOf = async (file: string): Promise<number> => (await stat(file).catch(() => null))?.size ?? 0;

/** At most 64 KiB from an offset; empty at the end, and when the file is not there. */
async function readFrom(file: string, offset: number): Promise<Buffer> {
  const handle = await open(file, 'r').catch(() => null);
  if (handle === null) return Buffer.alloc(0);
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(64 * 1024), 0, 64 * 1024, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
