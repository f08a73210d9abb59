// Runs one shell command line of the configuration: setup and checks (J15, J27). Its own group, a time limit that ends
// what it started too, both streams kept in the order of arrival and bounded.

import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { Duration } from '../domain/policy.js';
import type { Clock } from '../system/clock.js';
import { endTree, GRACE } from '../system/processes-end.js';
import { joinParts, logParts, removeLog } from './log.js';
import { openLog } from './log-file.js';
import { closeWriters, drained, type OutputPipe, outputPipes } from './pipes.js';
import { type SandboxFolders, sandboxed } from './sandbox.js';

export interface CommandRequest {
  /** A shell command line: `sh -c`. */
  readonly command: string;
  readonly cwd: string;
  /** Complete environment; PWD is set here. It must have OWL_RUN when `marker` is given. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeout: Duration;
  /** Id of the Run: what carries it as OWL_RUN is ended afterwards, wherever it lives. */
  readonly marker?: string | undefined;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Command prefix; empty or absent: none. */
  readonly sandbox?: { readonly prefix: readonly string[]; readonly folders: SandboxFolders } | undefined;
  /** Keeps standard output apart, to say whether it was empty; the order of the two streams is then that of arrival. */
  readonly apart?: boolean | undefined;
  /** Where output goes while it runs, with continuations `.1`, …; removed at the end. A new file. */
  readonly logFile: string;
  readonly grace?: number | undefined;
  readonly onOutput?: ((bytes: Buffer) => void) | undefined;
}

export interface CommandResult {
  readonly code: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly stopped: boolean;
  /** Why it could not be started; `code` is null then. */
  readonly startError: string | null;
  readonly ms: number;
  /** At most 64 MiB, first and last, with a line of ours where bytes are left out. */
  readonly output: Buffer;
  /** With `apart`: nothing came on standard output. Else: nothing came at all. */
  readonly stdoutEmpty: boolean;
  /** SHA-256 of `output`, hexadecimal. */
  readonly digest: string;
  /** Processes it left behind and that were ended, one line each. */
  readonly leftBehind: readonly string[];
}

/** Runs it to its end, its limit, or the abort of `signal`. Never throws for what the command does. */
export async function runCommand(request: CommandRequest): Promise<CommandResult> {
  const { clock, signal } = request;
  const begin = clock.elapsed();
  const log = openLog(request.logFile);
  let stdoutSeen = false;
  let timedOut = false;
  let stopped = signal.aborted;
  if (stopped) return finish(null);

  const shell = ['sh', '-c', request.command];
  const argv = request.sandbox ? sandboxed(shell, request.sandbox.prefix, request.sandbox.folders) : shell;
  // One pipe for both streams keeps their order exactly; apart, it is the order in which we read them.
  const pipes = outputPipes(request.logFile, request.apart ? 2 : 1);
  const child = launch(argv, request, pipes);
  closeWriters(pipes);
  const streams = pipes?.map(({ reader }) => reader) ?? (child instanceof Error ? [] : [child.stdout, child.stderr]);
  streams.forEach((stream, index) => {
    stream?.on('data', (bytes: Buffer) => {
      if (index === 0) stdoutSeen = true;
      log.write(bytes);
      request.onOutput?.(bytes);
    });
  });
  if (child instanceof Error) return finish(null, child.message);
  const ended = new Promise<{ code: number | null; signal: string | null } | Error>((resolve) => {
    child.once('error', resolve);
    child.once('exit', (code, by) => resolve({ code, signal: by }));
  });

  const group = child.pid;
  const marker = request.marker;
  const grace = request.grace ?? GRACE;
  let ending: Promise<unknown> = Promise.resolve();
  const end = (why: 'timeout' | 'stop'): void => {
    if (timedOut || stopped || group === undefined) return;
    timedOut = why === 'timeout';
    stopped = why === 'stop';
    ending = endTree({ group, marker, grace });
  };
  const onAbort = (): void => end('stop');
  const timer = setTimeout(() => end('timeout'), Math.min(request.timeout.ms, 2 ** 31 - 1));
  signal.addEventListener('abort', onAbort, { once: true });
  const exit = await ended;
  clearTimeout(timer);
  signal.removeEventListener('abort', onAbort);
  if (exit instanceof Error) return finish(null, exit.message);
  await ending;
  const left = await endTree({ group, marker, grace });
  await drained(streams);
  return finish(exit, null, [...left.ended, ...left.survivors.map((line) => `${line}: could not be ended`)]);

  async function finish(
    exit: { readonly code: number | null; readonly signal: string | null } | null,
    startError: string | null = null,
    leftBehind: readonly string[] = [],
  ): Promise<CommandResult> {
    log.close();
    const parts = await logParts(request.logFile);
    const output = joinParts(parts);
    await removeLog(request.logFile);
    return {
      code: exit?.code ?? null,
      signal: exit?.signal ?? null,
      timedOut,
      stopped,
      startError,
      ms: Math.round(clock.elapsed() - begin),
      output,
      stdoutEmpty: !stdoutSeen,
      digest: createHash('sha256').update(output).digest('hex'),
      leftBehind,
    };
  }
}

function launch(
  argv: readonly string[],
  request: CommandRequest,
  pipes: readonly OutputPipe[] | null,
): ChildProcess | Error {
  const [command = 'sh', ...args] = argv;
  const out = pipes?.[0]?.writer ?? 'pipe';
  try {
    return spawn(command, args, {
      cwd: request.cwd,
      env: { ...request.env, PWD: request.cwd },
      detached: true,
      stdio: ['ignore', out, pipes?.[1]?.writer ?? out],
    });
  } catch (error) {
    return error as Error;
  }
}
