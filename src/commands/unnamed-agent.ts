// What is queued where nobody would work on it: the first stumble of who has no configuration yet (11, Jobs).

import type { LoadedPolicy } from '../domain/policy.js';

/** `named`: by `--agent`. Whether one that is named can be had is another question, and of the machine that runs it (J16). */
export function sayUnnamed(
  { policy, path }: Pick<LoadedPolicy, 'policy' | 'path'>,
  named: string | null,
): readonly string[] {
  if (named !== null || policy.agent !== null) return [];
  const waits = 'it waits until the configuration of the base names an agent';
  return [path === null ? `${waits}: git owl init writes one` : waits];
}
