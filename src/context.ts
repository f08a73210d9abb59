// The composition root: lazy, memoised doors to everything outside. The only file that reads `process.env` (08).

import { resolve } from 'node:path';
import type { CommandSpec } from './cli/spec.js';
import type { Repository } from './git/repository.js';
import type { ColorChoice } from './output/color.js';
import { createStreams, type StreamSet } from './output/streams.js';
import type { LocalNotes, StateStore } from './state/types.js';
import { type Clock, systemClock } from './system/clock.js';
import { type Environment, readEnvironment } from './system/environment.js';
import type { Ids } from './system/ids.js';

export interface GlobalOptions {
  readonly directory: string;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly dryRun: boolean;
  readonly requestId: string | undefined;
  readonly trust: boolean;
  /** The command line as it was given, without the program. */
  readonly argv: readonly string[];
}

export interface Context {
  readonly options: GlobalOptions;
  readonly environment: Environment;
  readonly streams: StreamSet;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Every command, for help. */
  readonly commands: readonly CommandSpec[];
  /** Folder of this installed program: `completions/` and `man/` lie in it. */
  readonly root: string;
  /** Aborted by Ctrl-C, SIGTERM and SIGHUP; `reason` is the signal's name. */
  readonly signal: AbortSignal;
  /** Throws OwlError `not-a-repository`, `git-missing`, `git-too-old`, `repository-format`. */
  repository(): Promise<Repository>;
  store(): Promise<StateStore>;
  notes(): Promise<LocalNotes>;
  close(): Promise<void>;
}

/** What the environment and the streams are made from. */
export type ProcessLike = Pick<NodeJS.Process, 'env' | 'pid' | 'cwd' | 'stdin' | 'stdout' | 'stderr'>;

export interface OutsideOptions {
  readonly directory: string;
  readonly color: ColorChoice | undefined;
  readonly quiet: boolean;
  readonly json: boolean;
}

/** Variables, folders and streams of this process; `directory` is where `-C` leads. Git is asked about colour only for a terminal. */
export async function openOutside(
  source: ProcessLike,
  environment: Environment,
  options: OutsideOptions,
): Promise<StreamSet> {
  const { stdout, stderr } = source;
  const terminal = stdout.isTTY === true || stderr.isTTY === true;
  const color = terminal ? await import('./git/color.js') : null;
  const live =
    stderr.isTTY === true && !options.json && !options.quiet ? await import('./output/progress-live.js') : null;
  return createStreams({
    get stdin() {
      return source.stdin;
    },
    stdout,
    stderr,
    variables: environment.variables,
    color: options.color,
    configured: () => color?.readColorWish(options.directory, environment.variables) ?? true,
    quiet: options.quiet,
    live: live?.createLive ?? null,
  });
}

/** The environment as of now, with `cwd` moved by each `-C` in turn, as Git has it. */
export function openEnvironment(source: ProcessLike, directories: readonly string[]): Environment {
  const environment = readEnvironment(source);
  return directories.length === 0 ? environment : { ...environment, cwd: resolve(environment.cwd, ...directories) };
}

export interface ContextParts {
  readonly options: GlobalOptions;
  readonly environment: Environment;
  readonly streams: StreamSet;
  readonly signal: AbortSignal;
  readonly root: string;
  readonly commands: readonly CommandSpec[];
  readonly ids: Ids;
  readonly repository: () => Promise<Repository>;
}

/** The door to the repository, opened once; apart, so that Git can look for it while the rest is loaded. */
export function repositoryDoor(
  environment: Environment,
  streams: StreamSet,
  verbose: boolean,
): () => Promise<Repository> {
  let repository: Promise<Repository> | undefined;
  const open = async (): Promise<Repository> => {
    const git = await import('./git/open.js');
    return git.openRepository({
      cwd: environment.cwd,
      variables: environment.variables,
      trace: verbose ? (line) => streams.warn(sayTrace(line, streams)) : undefined,
    });
  };
  return () => (repository ??= open());
}

/** Opens nothing by itself; each door opens once. `close` closes what was opened, also what is still opening. */
export function createContext(parts: ContextParts): Context {
  const { environment, streams, options, ids } = parts;
  const clock = systemClock(environment.variables);
  let repository: Promise<Repository> | undefined;
  let store: Promise<StateStore> | undefined;
  let notes: Promise<LocalNotes> | undefined;
  const context: Context = {
    options,
    environment,
    streams,
    clock,
    ids,
    root: parts.root,
    commands: parts.commands,
    signal: parts.signal,
    repository: () => (repository ??= parts.repository()),
    store: () =>
      (store ??= (async () => {
        const [opened, { createStore }] = await Promise.all([context.repository(), import('./state/store.js')]);
        return createStore({ repository: opened, clock, ids, environment, version: OWL_VERSION });
      })()),
    notes: () =>
      (notes ??= (async () => {
        const [opened, { createNotes }] = await Promise.all([context.repository(), import('./state/notes.js')]);
        return createNotes(opened);
      })()),
    close: async () => {
      const opened = await Promise.allSettled([repository]);
      for (const result of opened) if (result.status === 'fulfilled') await result.value?.close();
    },
  };
  return context;
}

function sayTrace(
  line: { readonly args: readonly string[]; readonly ms: number; readonly code: number | null },
  streams: StreamSet,
): string {
  const { theme } = streams.stderr;
  const status = line.code === 0 ? '' : ` (exit ${line.code ?? 'unknown'})`;
  return theme.dim(`${line.ms.toFixed(0).padStart(5)} ms  git ${line.args.join(' ')}${status}`);
}
