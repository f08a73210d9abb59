// What a command returns: data, with the views that show it. Nothing is printed by a command itself, but for streams (log -f, run).

import type { Lines, Theme } from './theme.js';

export interface ReportError {
  readonly code: string;
  readonly message: string;
  readonly preserved: readonly string[];
  readonly next: readonly string[];
}

/** One line of a list: an object whose keys are published fields. */
export type Row = object;

export interface Report {
  /** `schema` in JSON is `git-owl/<kind>/v1`. */
  readonly kind: string;
  /** The JSON document's `data`. Rows of a list lie in `data.items`. */
  readonly data: unknown;
  /**
   * Human text for stdout. Called only when it is needed. `rows` are the report's own after `--sort` and `--limit`.
   * May be a promise, so that a view is loaded only when somebody reads it.
   */
  readonly view: (theme: Theme, width: number, rows: readonly Row[]) => Lines | Promise<Lines>;
  /** Rows for `--format`, `-z`, `--sort` and `--limit`, one for each of `data.items`; absent: the command has no list. */
  readonly rows?: readonly Row[];
  /** Field names that `--format` and `--sort` know, for an empty list too; default: those of the rows. */
  readonly fields?: readonly string[];
  /** Exit status; default 0. */
  readonly exit?: number;
  /** A failure that still has data: JSON is the error document with `kind` and `data` beside; text prints the view, then the error on stderr. */
  readonly error?: ReportError;
  /** Lines for stderr after the result: hints and warnings, left out under -q. */
  readonly notes?: readonly string[];
  /** What stands, one sentence: said where the result itself could not be written. */
  readonly effect?: string;
  /** The command has already streamed its output: print nothing more on stdout. */
  readonly streamed?: boolean;
}
