// The `git` executable: every call with a scrubbed environment, pinned configuration and a deadline (01). The only door to it.

import type { Socket } from 'node:net';
import { OwlError } from '../domain/errors.js';
import { shellWord } from '../system/shell-word.js';
import { batchSsh, childEnvironment, sshBehind, type Variables } from './env.js';
import type { Git, GitOptions, GitResult, RunningGit } from './git.js';
import { endGroup, type ProcessRequest, runProcess, spawnGit, startFailure } from './process.js';
import { type GitVersion, loadVersionNow } from './version.js';

export interface TraceLine {
  readonly args: readonly string[];
  readonly ms: number;
  /** Null where the process gave no status. */
  readonly code: number | null;
}

export interface GitSettings {
  /** The repository's common directory; without it Git looks for a repository from `cwd`. */
  readonly gitDir?: string | undefined;
  readonly cwd: string;
  readonly variables: Variables;
  readonly trace?: ((line: TraceLine) => void) | undefined;
  /** When it is known already. */
  readonly version?: GitVersion | undefined;
  /** Called by someone's `receive-pack` (GIT_QUARANTINE_PATH): every call that is not `reading` is refused. */
  readonly quarantine?: boolean | undefined;
}

const DEADLINE = 120_000;
const NETWORK = new Set([
  'archive',
  'clone',
  'fetch',
  'fetch-pack',
  'lfs',
  'ls-remote',
  'pull',
  'push',
  'remote',
  'send-pack',
  'submodule',
]);

/** Refuses what would write while a push is being received: Git would undo or forbid it (01). */
export function refuseQuarantine(quarantine: boolean): void {
  if (!quarantine) return;
  throw new OwlError('quarantine', 'nothing is written while Git receives a push (called from a pre-receive hook)', {
    preserved: ['The repository was not changed.'],
    next: ['git owl status'],
  });
}

/** Makes the door to the executable for one repository (or for none). Starts nothing. */
export function createGit(settings: GitSettings): Git {
  let version: GitVersion | undefined = settings.version;
  let ssh: Promise<string | null> | undefined;

  const ownSsh = settings.variables['GIT_SSH_COMMAND'];

  /** What the user set for ssh, with batch mode on; null where GIT_SSH names a program that takes no options of ours. */
  const sshBy = (configured: string | null): string | null => {
    const command = ownSsh ?? configured?.trim() ?? '';
    if (command === '' && ownSsh === undefined && settings.variables['GIT_SSH'] !== undefined) return null;
    return batchSsh(command);
  };

  const sshCommand = (): Promise<string | null> => {
    ssh ??= (async () => {
      if (ownSsh !== undefined) return sshBy(null);
      const args = [
        ...(settings.gitDir === undefined ? [] : [`--git-dir=${settings.gitDir}`]),
        'config',
        '--get',
        'core.sshCommand',
      ];
      const found = await runProcess({ args, cwd: settings.cwd, env: environment({}, null), timeout: 10_000 });
      return sshBy(found.code === 0 ? found.stdout.toString('utf8') : null);
    })();
    return ssh;
  };

  const environment = (options: GitOptions, sshTo: string | null): Record<string, string> => ({
    ...childEnvironment(settings.variables, {
      reading: options.reading ?? true,
      unpinned: options.unpinned ?? [],
      config: options.config ?? [],
      ssh: sshTo,
    }),
    ...(options.sshThrough === undefined
      ? {}
      : sshBehind(options.sshThrough, sshTo ?? shellWord(settings.variables['GIT_SSH'] ?? 'ssh'))),
    ...options.env,
  });

  const request = async (args: readonly string[], options: GitOptions): Promise<ProcessRequest> => {
    if (options.reading === false) refuseQuarantine(settings.quarantine ?? false);
    const where: string[] = [];
    if (options.checkout !== undefined) {
      where.push(`--git-dir=${options.checkout.gitDir}`, `--work-tree=${options.checkout.workTree}`);
    } else if (options.bare !== true && settings.gitDir !== undefined) where.push(`--git-dir=${settings.gitDir}`);
    const env = environment(options, NETWORK.has(args[0] ?? '') ? await sshCommand() : null);
    // `git var GIT_EDITOR` is asked for the user's own.
    if (args[0] === 'var') {
      const own = settings.variables['GIT_EDITOR'];
      if (own === undefined) delete env['GIT_EDITOR'];
      else env['GIT_EDITOR'] = own;
    }
    return {
      args: [...where, ...args],
      cwd: options.cwd ?? options.checkout?.workTree ?? settings.cwd,
      env,
      input: options.input,
      timeout: options.timeout ?? DEADLINE,
      signal: options.signal,
    };
  };

  const run = async (args: readonly string[], options: GitOptions = {}): Promise<GitResult> => {
    const prepared = await request(args, options);
    const start = settings.trace === undefined ? 0 : performance.now();
    let code: number | null = null;
    try {
      const result = await runProcess(prepared);
      code = result.code;
      return result;
    } finally {
      settings.trace?.({ args, ms: performance.now() - start, code });
    }
  };

  const checked = async (args: readonly string[], options?: GitOptions): Promise<Buffer> => {
    const result = await run(args, options);
    if (result.code === 0) return result.stdout;
    throw gitFailed(args, result);
  };

  return {
    get version() {
      version ??= loadVersionNow(settings.cwd, environment({}, null));
      return version;
    },
    run,
    knowSsh(configured) {
      ssh ??= Promise.resolve(sshBy(configured));
    },
    async text(args, options) {
      return (await checked(args, options)).toString('utf8').replace(/\n$/, '');
    },
    async fields(args, options) {
      const text = (await checked(args, options)).toString('utf8');
      return text === '' ? [] : text.replace(/\0$/, '').split('\0');
    },
    async start(args, options = {}): Promise<RunningGit> {
      return startGit(args, await request(args, options), settings.trace);
    },
  };
}

/** A command that had to succeed did not: OwlError `git-failed` with the first line of what Git said. */
export function gitFailed(args: readonly string[], result: GitResult): OwlError {
  const said = result.stderr.split('\n').find((line) => line.trim() !== '' && !line.startsWith('hint:')) ?? '';
  const reason = said === '' ? '' : `: ${said.replace(/^(?:fatal|error): /, '').replace(/\.$/, '')}`;
  return new OwlError('git-failed', `git ${args[0] ?? ''} failed with status ${result.code}${reason}`, {
    data: { command: ['git', ...args], status: result.code, stderr: result.stderr.slice(0, 4_000) },
  });
}

function startGit(args: readonly string[], request: ProcessRequest, trace: GitSettings['trace']): RunningGit {
  const start = trace === undefined ? 0 : performance.now();
  const child = spawnGit(request, 'pipe');
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new TypeError('git was started without its pipes');
  const said: Buffer[] = [];
  stderr.on('data', (chunk: Buffer) => said.push(chunk));
  stdin.on('error', () => {});
  const ended = new Promise<GitResult | OwlError>((resolve) => {
    child.on('error', (error) => resolve(startFailure(error, request.cwd)));
    child.on('close', (code) => {
      trace?.({ args, ms: performance.now() - start, code });
      resolve({ code: code ?? -1, stdout: Buffer.alloc(0), stderr: Buffer.concat(said).toString('utf8') });
    });
  });
  // The pipes are sockets, and sockets and child alike keep the event loop alive unless told not to.
  const handles = [child, stdin as Socket, stdout as Socket, stderr as Socket];
  for (const handle of handles) handle.unref();
  return {
    stdin,
    stdout,
    ended,
    hold(on) {
      for (const handle of handles) {
        if (on) handle.ref();
        else handle.unref();
      }
    },
    async stop() {
      this.hold(true);
      stdin.end();
      const kill = setTimeout(() => endGroup(child, 'SIGKILL'), 1_000);
      await ended;
      clearTimeout(kill);
    },
  };
}
