// Answers that are wanted at once, before anything of the program is loaded: the version, and a completion script (P1).

import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Shell -> file below completions/. */
const COMPLETION_FILES: Readonly<Record<string, string>> = {
  bash: 'git-owl.bash',
  zsh: '_git-owl',
  fish: 'git-owl.fish',
};

/** True when the command line was answered here. Everything that is not exactly one of the two is left to `run`. */
export function answerFast(argv: readonly string[], root: string): boolean {
  const file = argv.length === 2 && argv[0] === 'completion' ? COMPLETION_FILES[argv[1] ?? ''] : undefined;
  if (file !== undefined) return print(readFileSync(join(root, 'completions', file)));
  return argv.length === 1 && argv[0] === '--version' && print(Buffer.from(`git-owl version ${OWL_VERSION}\n`));
}

/** A reader that went away is no fault. */
function print(bytes: Buffer): boolean {
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return true;
    throw error;
  }
}
