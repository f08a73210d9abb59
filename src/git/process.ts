// One child process with its deadline: a group of its own, no terminal, output as bytes. Knows nothing of Git but its name in errors.

import { type ChildProcess, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { OwlError } from '../domain/errors.js';

export interface ProcessRequest {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: Buffer | string | undefined;
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ProcessResult {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** After SIGTERM, so that Git can remove its own lock files. */
const GRACE = 2_000;
/** How long a descendant that kept our pipe (a credential cache, say) may hold up a command that has ended. */
const LINGER = 500;

/** Ends the whole group of a child started by `spawnGit`. A group that is gone already is nothing. */
export function endGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH' && (error as NodeJS.ErrnoException).code !== 'EPERM')
      throw error;
  }
}

/** Starts `git` as the leader of a session of its own: Ctrl-C of the terminal does not reach it, and it cannot open a terminal. */
export const spawnGit = (request: ProcessRequest, input: 'pipe' | 'ignore'): ChildProcess =>
  spawn('git', [...request.args], {
    cwd: request.cwd,
    env: request.env,
    detached: true,
    windowsHide: true,
    stdio: [input, 'pipe', 'pipe'],
  });

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Why a process could not be started, as an OwlError: `git-missing`, or `git-failed` where the folder is gone or the system refuses. */
export function startFailure(error: NodeJS.ErrnoException, cwd: string): OwlError {
  if (!isFolder(cwd)) {
    return new OwlError('git-failed', `the folder to run git in does not exist: ${cwd}`, { cause: error });
  }
  if (error.code === 'ENOENT' || error.code === 'EACCES') {
    return new OwlError('git-missing', 'git was not found on PATH', { next: ['git --version'], cause: error });
  }
  return new OwlError('git-failed', `git could not be started (${error.code ?? 'unknown error'})`, { cause: error });
}

/**
 * Runs `git` to its end. Every numeric status is a value.
 * Throws OwlError `git-missing`, `timeout`, `git-failed` (could not start, ended by a signal, or `signal` was aborted).
 */
export function runProcess(request: ProcessRequest): Promise<ProcessResult> {
  return new Promise((resolve, reject) => supervise(request, resolve, reject));
}

function supervise(
  request: ProcessRequest,
  resolve: (result: ProcessResult) => void,
  reject: (error: OwlError) => void,
): void {
  const name = request.args.find((word) => !word.startsWith('-')) ?? 'git';
  if (request.signal?.aborted === true) {
    reject(new OwlError('git-failed', `git ${name} was not started: stopped`, { cause: request.signal.reason }));
    return;
  }
  const child = spawnGit(request, request.input === undefined ? 'ignore' : 'pipe');
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  let stopped: OwlError | null = null;
  let kill: NodeJS.Timeout | undefined;
  let linger: NodeJS.Timeout | undefined;
  const cut = (): void => {
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  const stop = (why: OwlError): void => {
    if (stopped !== null) return;
    stopped = why;
    endGroup(child, 'SIGTERM');
    kill = setTimeout(() => {
      endGroup(child, 'SIGKILL');
      cut();
    }, GRACE);
  };
  const deadline = setTimeout(() => {
    const seconds = Math.round(request.timeout / 100) / 10;
    stop(new OwlError('timeout', `git ${name} took longer than ${seconds} s and was ended`));
  }, request.timeout);
  const abort = (): void =>
    stop(new OwlError('git-failed', `git ${name} was stopped`, { cause: request.signal?.reason }));
  request.signal?.addEventListener('abort', abort, { once: true });
  const settle = (): void => {
    clearTimeout(deadline);
    clearTimeout(kill);
    clearTimeout(linger);
    request.signal?.removeEventListener('abort', abort);
  };
  const waitForRest = (): void => {
    clearTimeout(linger);
    linger = setTimeout(cut, LINGER);
  };
  child.stdout?.on('data', (chunk: Buffer) => {
    out.push(chunk);
    if (linger !== undefined) waitForRest();
  });
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
  child.on('exit', waitForRest);
  child.on('error', (error: NodeJS.ErrnoException) => {
    settle();
    reject(startFailure(error, request.cwd));
  });
  child.on('close', (code, signal) => {
    settle();
    if (stopped !== null) {
      // A descendant that ignored SIGTERM must not outlive its leader.
      endGroup(child, 'SIGKILL');
      reject(stopped);
    } else if (code === null) {
      const by = signal ?? 'a signal';
      reject(new OwlError('git-failed', `git ${name} was ended by ${by}`, { data: { signal: by } }));
    } else resolve({ code, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString('utf8') });
  });
  if (request.input !== undefined) {
    // A child that does not read its input to the end (EPIPE) tells why by its status.
    child.stdin?.on('error', () => {});
    child.stdin?.end(request.input);
  }
}
