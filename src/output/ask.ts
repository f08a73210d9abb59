// A yes-or-no question to the person at the terminal. Called only where streams are interactive.

import type { StreamSet } from './streams.js';

/** Prints the question (escaped by the caller) on standard error, and that no is the answer to an empty line; only `y` and `yes` are a yes. */
export async function askOnTerminal(streams: StreamSet, question: string): Promise<boolean> {
  streams.progress.done();
  for (const line of `${question} [y/N]`.split('\n')) streams.warn(line);
  const { createInterface } = await import('node:readline');
  const reader = createInterface({ input: streams.stdin, terminal: false });
  try {
    const answer = await new Promise<string>((resolve) => {
      reader.once('line', resolve);
      reader.once('close', () => resolve(''));
    });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    reader.close();
  }
}
