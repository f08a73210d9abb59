// Ids and randomness, passed in.

import { customAlphabet } from 'nanoid';

export interface Ids {
  /** A typeable id, `[a-z][a-z0-9]{5}` by default, never `state`; the caller checks for collisions (01). */
  job(): string;
  run(): string;
  operation(): string;
  /** 0 <= x < 1, for jitter. */
  random(): number;
}

// Without i, l, o, 0 and 1, which look alike in print and are misread when somebody types an id.
const LETTERS = 'abcdefghjkmnpqrstuvwxyz';
const SYMBOLS = `${LETTERS}23456789`;

/**
 * Ids from the system's random source: 6 characters for a Job, 10 for a Run, 16 for an operation, each `[a-z][a-z0-9]*`.
 * `state` has five letters, so no id of these lengths can be it (01, Refs).
 */
export function systemIds(): Ids {
  const first = customAlphabet(LETTERS, 1);
  const rest = customAlphabet(SYMBOLS);
  const id = (length: number) => first() + rest(length - 1);
  return { job: () => id(6), run: () => id(10), operation: () => id(16), random: Math.random };
}
