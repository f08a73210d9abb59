// Standard output and error as values: is it a terminal, how wide, which theme, and is its reader still there.

import type { Readable, Writable } from 'node:stream';
import { type ColorChoice, decideColor, isUnicode } from './color.js';
import { guardActions } from './escape.js';
import { createProgress, type Progress } from './progress.js';
import { createTheme, type Theme } from './theme.js';

export interface Out {
  readonly terminal: boolean;
  /** Columns of the terminal; Infinity elsewhere: nothing is cut for a pipe. */
  readonly width: number;
  readonly theme: Theme;
  /** One line, already escaped (by a theme role or `escapeLine`); the newline is added. */
  line(text: string): void;
  /** Bytes as they are: JSON, `-z` records, a diff. */
  write(chunk: string | Uint8Array): void;
  /** Aborted when the reader went away (EPIPE): what only prints may stop then. */
  readonly closed: AbortSignal;
  /** What went wrong with writing, but for a reader that went away; null: nothing. */
  failure(): Error | null;
  /** Resolves when all was handed to the system. */
  flush(): Promise<void>;
}

export interface StreamSet {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Out;
  readonly stderr: Out;
  /** Can a person be asked: are standard input and standard error terminals? */
  readonly interactive: boolean;
  /** A live line on a terminal, plain lines elsewhere, nothing under -q (06). */
  readonly progress: Progress;
  /** One line on standard error, also under -q: warnings, questions. Escaped by the caller. */
  warn(text: string): void;
}

/** The part of a Node write stream that is used. */
export interface Sink extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
  getColorDepth?(env?: object): number;
}

export interface StreamOptions {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly color: ColorChoice | undefined;
  /** What Git's configuration says about colour on a terminal. */
  readonly configured: () => boolean;
  readonly quiet: boolean;
  /** Makes the live line; null: there is none. */
  readonly live: ((out: Out) => Progress) | null;
}

export function createStreams(options: StreamOptions): StreamSet {
  let configured: boolean | undefined;
  const once = (): boolean => (configured ??= options.configured());
  const stdout = createOut(options.stdout, options, once);
  const stderr = createOut(options.stderr, options, once);
  const progress = createProgress({ out: stderr, quiet: options.quiet, live: options.live });
  return {
    // To look at it opens it, and most commands never do.
    get stdin() {
      return options.stdin;
    },
    stdout,
    stderr,
    get interactive() {
      return stderr.terminal && options.stdin.isTTY === true;
    },
    progress,
    warn: (text) => progress.above(() => stderr.line(text)),
  };
}

function createOut(sink: Sink, options: StreamOptions, configured: () => boolean): Out {
  const terminal = sink.isTTY === true;
  const level = decideColor({
    choice: options.color,
    variables: options.variables,
    terminal,
    depth: () => sink.getColorDepth?.(options.variables) ?? 1,
    configured,
  });
  const theme = createTheme({ level, terminal, unicode: isUnicode(options.variables) });
  const guard = options.variables['GITHUB_ACTIONS'] ? guardActions : (line: string): string => line;
  const gone = new AbortController();
  let failure: Error | null = null;
  const onError = (error: Error & { code?: string }): void => {
    // EIO: the terminal hung up. Neither is a fault of ours nor can anybody read about it.
    if (error.code !== 'EPIPE' && error.code !== 'EIO' && error.code !== 'ERR_STREAM_DESTROYED') failure ??= error;
    gone.abort();
  };
  sink.on('error', onError);
  const write = (chunk: string | Uint8Array): void => {
    if (!gone.signal.aborted) sink.write(chunk);
  };
  return {
    terminal,
    get width() {
      return terminal ? sink.columns || Number(options.variables['COLUMNS']) || 80 : Number.POSITIVE_INFINITY;
    },
    theme,
    line: (text) => write(`${guard(text)}\n`),
    write,
    closed: gone.signal,
    failure: () => failure,
    flush: () =>
      new Promise((resolve) => {
        if (gone.signal.aborted || sink.destroyed || sink.writableEnded) return resolve();
        gone.signal.addEventListener('abort', () => resolve(), { once: true });
        sink.write('', () => resolve());
      }),
  };
}
