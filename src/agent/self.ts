// Runs a program, or this very program again, to its end and gives back what it printed: for the demo alone.

import { execa } from 'execa';

export interface Ended {
  readonly code: number;
  /** Standard output and error in the order they came. */
  readonly text: string;
  readonly stdout: string;
}

export interface SelfRequest {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** `git owl <args>` as a child, with exactly this environment. */
export const runSelf = (args: readonly string[], request: SelfRequest): Promise<Ended> =>
  runProgram(process.execPath, [process.argv[1] ?? '', ...args], request);

/** Any program, with exactly this environment. */
export async function runProgram(file: string, args: readonly string[], request: SelfRequest): Promise<Ended> {
  const result = await execa(file, [...args], {
    cwd: request.cwd,
    env: { ...request.env },
    extendEnv: false,
    reject: false,
    all: true,
    stdin: 'ignore',
    cancelSignal: request.signal,
    timeout: 120_000,
  });
  return { code: result.exitCode ?? 1, text: result.all ?? '', stdout: result.stdout ?? '' };
}
