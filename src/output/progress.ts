// What is going on, on standard error: one live line on a terminal, plain lines elsewhere, nothing under -q (06).

import { escapeLine } from './escape.js';
import type { Out } from './streams.js';

export interface Progress {
  /** Begins a step: `fetching origin`. A step that was open ends. Text is escaped here. */
  step(text: string): void;
  /** More about the open step, such as the agent's last output; shown on the live line only. */
  detail(text: string): void;
  /** A line that stays, above the live line. */
  note(text: string): void;
  /** Takes the live line away. */
  done(): void;
  /** Runs `print` with the live line out of the way. */
  above(print: () => void): void;
}

export interface ProgressOptions {
  readonly out: Out;
  readonly quiet: boolean;
  /** Makes the live line (progress-live.ts); null: plain lines. */
  readonly live: ((out: Out) => Progress) | null;
}

export function createProgress(options: ProgressOptions): Progress {
  const { out } = options;
  if (options.quiet) {
    return { step: () => {}, detail: () => {}, note: () => {}, done: () => {}, above: (print) => print() };
  }
  if (options.live === null) {
    const line = (text: string): void => out.line(escapeLine(text));
    return { step: line, detail: () => {}, note: line, done: () => {}, above: (print) => print() };
  }
  return options.live(out);
}
