// Our own program in the background: a session of its own, output to a file, nothing of the terminal held.

import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';

export interface DetachedChild {
  readonly pid: number;
  /** Exit status once it has ended; null while it lives. */
  ended(): number | null;
  /** The end of what it printed. */
  tail(): Promise<string>;
}

/** Starts this very program again with these arguments. */
export async function spawnDetached(request: {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logFile: string;
}): Promise<DetachedChild> {
  const log = await open(request.logFile, 'a', 0o600);
  try {
    const main = process.argv[1] ?? '';
    const child = spawn(process.execPath, [main, ...request.args], {
      cwd: request.cwd,
      env: { ...request.env },
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    let code: number | null = null;
    child.on('exit', (status) => {
      code = status ?? 1;
    });
    child.on('error', () => {
      code = 1;
    });
    child.unref();
    return {
      pid: child.pid ?? -1,
      ended: () => code,
      tail: async () => (await readFile(request.logFile, 'utf8')).slice(-64 * 1024),
    };
  } finally {
    await log.close();
  }
}
