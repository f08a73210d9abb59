// Words of the command line that are not UTF-8: Node hands them out with U+FFFD in place of their bytes, which is not what was said.

import { readFileSync } from 'node:fs';
import { OwlError } from '../domain/errors.js';

/** Throws OwlError `usage`. A U+FFFD that was typed is text like any other, as far as the system shows the bytes. */
export function refuseReplaced(argv: readonly string[]): void {
  const word = argv.find((text) => text.includes('\uFFFD'));
  if (word === undefined) return;
  let bytes: Buffer;
  try {
    bytes = readFileSync('/proc/self/cmdline');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return;
  }
  if (Buffer.from(bytes.toString('utf8'), 'utf8').equals(bytes)) return;
  throw new OwlError('usage', `a word of the command line is not text in UTF-8: ${JSON.stringify(word.slice(0, 60))}`, {
    preserved: ['nothing was changed'],
  });
}
