// How a preset's arguments and the configuration's `command:` become one argv.

import type { AgentRequest } from '../types.js';

/**
 * The executable with the preset's arguments. A `command:` beside `preset:` takes the executable's place; further words
 * of it come first, so that they can be global options. A budget that is no number is left out by presets that need one.
 */
export const presetArgv = (request: AgentRequest, executable: string, args: readonly string[]): readonly string[] => [
  ...(request.definition.command.length > 0 ? request.definition.command : [executable]),
  ...args,
];

/** `[flag, value]`, or nothing when there is no value. */
export const option = (flag: string, value: string | null | undefined): readonly string[] =>
  value === null || value === undefined || value === '' ? [] : [flag, value];

/** Does this Run plan in a mode that cannot write (09, rule 12)? Then its last message becomes the Handoff. */
export const plansReadOnly = (request: AgentRequest): boolean =>
  request.phase === 'plan' && request.definition.plan === 'last-message';

/** An amount in a budget such as `5`, `5.50`, `$5` or `5 USD`; null when it is something else. */
export const budgetNumber = (budget: string | null): string | null =>
  /^\s*\$?\s*(\d+(?:\.\d+)?)\s*(?:USD)?\s*$/i.exec(budget ?? '')?.[1] ?? null;
