// Time, passed in. Tests set it by OWL_TEST_NOW; clocks decide nothing about order (01, S4).

import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { OwlError } from '../domain/errors.js';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** RFC 3339 in UTC, whole seconds. */
  timestamp(): string;
  /** Milliseconds of a clock that only goes forward, for durations. */
  elapsed(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Milliseconds since the epoch as RFC 3339 in UTC, whole seconds. */
export const formatTimestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/**
 * The clock of this machine. OWL_TEST_NOW (RFC 3339) stops it at that time; OWL_TEST_NOW_FILE names a file that is read
 * at every look and holds such a time, so that a test can move time for a command that already runs.
 * `sleep` ends early, without an error, when the signal is aborted. `elapsed` and `sleep` are real also in tests.
 */
export function systemClock(variables: Readonly<Record<string, string | undefined>>): Clock {
  const fixed = variables['OWL_TEST_NOW'];
  const file = variables['OWL_TEST_NOW_FILE'];
  const now = file ? () => parseTime(readFileSync(file, 'utf8').trim()) : fixed ? () => parseTime(fixed) : Date.now;
  return {
    now,
    timestamp: () => formatTimestamp(now()),
    // Not `performance`: to be asked once, it loads all of Node's measuring.
    elapsed: () => Number(process.hrtime.bigint()) / 1e6,
    sleep: async (ms, signal) => {
      try {
        await delay(ms, undefined, signal ? { signal } : {});
      } catch (error) {
        if (!signal?.aborted) throw error;
      }
    },
  };
}

function parseTime(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new OwlError('usage', `the test clock is not an RFC 3339 time: ${JSON.stringify(text)}`);
  return ms;
}
