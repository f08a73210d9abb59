// Writes output as it arrives to a file of bounded size: the first half stays, of the rest the last half (J17).
// Continuations are `<file>.1`, `<file>.2`, …; the oldest of them go. Node built-ins only, since the guardian carries it.

import { closeSync, openSync, rmSync, writeSync } from 'node:fs';

export interface LogLimits {
  /** Bytes of the first file. */
  readonly head: number;
  /** Bytes of each continuation. */
  readonly segment: number;
  /** Continuations that are kept: one more than the last half needs, since the newest is not full. */
  readonly segments: number;
}

const MIB = 1024 * 1024;

export const LOG_LIMITS: LogLimits = { head: 32 * MIB, segment: 8 * MIB, segments: 5 };

export interface LogFile {
  /** Appends bytes. Never throws: what cannot be written is dropped and `problem` says why. */
  write(bytes: Buffer): void;
  close(): void;
  problem(): string | null;
}

export const segmentName = (file: string, index: number): string => (index === 0 ? file : `${file}.${index}`);

/** Opens the log for appending; the file is made, and must be a new one. */
export function openLog(file: string, limits: LogLimits = LOG_LIMITS): LogFile {
  let problem: string | null = null;
  let index = 0;
  let room = limits.head;
  let open: number | null = null;

  const attempt = (action: () => void): void => {
    try {
      action();
    } catch (error) {
      problem ??= `the log is incomplete: ${(error as NodeJS.ErrnoException).code ?? String(error)}`;
    }
  };
  const close = (): void => {
    if (open !== null) closeSync(open);
    open = null;
  };
  const roll = (): void => {
    close();
    index += 1;
    room = limits.segment;
    if (index > limits.segments) rmSync(segmentName(file, index - limits.segments), { force: true });
    open = openSync(segmentName(file, index), 'a', 0o600);
  };

  attempt(() => {
    open = openSync(file, 'a', 0o600);
  });
  return {
    write(bytes) {
      attempt(() => {
        let rest = bytes;
        while (rest.length > 0) {
          if (room === 0) roll();
          if (open === null) return;
          const count = writeSync(open, rest, 0, Math.min(rest.length, room));
          room -= count;
          rest = rest.subarray(count);
        }
      });
    },
    close: () => attempt(close),
    problem: () => problem,
  };
}
