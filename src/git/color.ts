// Does Git's configuration want colour on a terminal? Asked before a repository is opened, and only for a terminal.

import { spawnSync } from 'node:child_process';
import { discoveryEnvironment, type Variables } from './env.js';

/** The first that is set decides: ours, Git's name for ours, then Git's own. */
const KEYS = ['owl.color', 'color.owl', 'color.ui'] as const;

/** True unless `owl.color`, `color.owl` or `color.ui` says `never` or a false value. No Git, no answer: true. */
export function readColorWish(cwd: string, variables: Variables): boolean {
  const result = spawnSync('git', ['config', '--null', '--get-regexp', '^(owl\\.color|color\\.(owl|ui))$'], {
    cwd,
    env: discoveryEnvironment(variables),
    encoding: 'utf8',
    timeout: 5_000,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return result.status === 0 ? parseColorWish(result.stdout) : true;
}

/** `<key> LF <value> NUL`, repeated; of one key the last value counts. A key without a value is true, as in Git. */
export function parseColorWish(text: string): boolean {
  const values = new Map<string, string>();
  for (const entry of text.split('\0')) {
    const [key, value] = entry.split('\n', 2);
    if (key !== undefined && key !== '') values.set(key, value ?? 'true');
  }
  const wish = KEYS.map((key) => values.get(key)).find((value) => value !== undefined);
  return wish === undefined || !['never', 'false', 'no', 'off', '0', ''].includes(wish.toLowerCase());
}
