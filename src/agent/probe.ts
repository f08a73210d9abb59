// Starts the version command of an agent, for `doctor --agent`: bounded, without standard input, with a scrubbed environment.

import { execa } from 'execa';

export type Probe =
  | { readonly kind: 'answered'; readonly version: string }
  | { readonly kind: 'failed'; readonly why: string };

/**
 * Runs it and takes the first line that it prints. Never throws for what the program does.
 * @param timeout milliseconds.
 */
export async function probeVersion(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  timeout = 20_000,
): Promise<Probe> {
  const result = await execa(file, args, {
    env,
    extendEnv: false,
    cwd: '/',
    stdin: 'ignore',
    timeout,
    killSignal: 'SIGKILL',
    maxBuffer: 64 * 1024,
    reject: false,
    stripFinalNewline: true,
  });
  if (result.timedOut) return { kind: 'failed', why: `no answer after ${Math.round(timeout / 1000)} s` };
  const said =
    `${result.stdout}\n${result.stderr}`
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim()
      .slice(0, 200) ?? '';
  if (result.failed) {
    const how =
      result.signal === undefined ? `exit ${result.exitCode ?? result.code ?? 'unknown'}` : `ended by ${result.signal}`;
    return { kind: 'failed', why: said === '' ? how : `${how}: ${said}` };
  }
  return { kind: 'answered', version: said };
}
