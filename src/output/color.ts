// Decides how many colours a stream gets: the option, then the two variables, then Git's configuration, then the terminal (06).

import type { ColorLevel } from './theme.js';

export type ColorChoice = 'auto' | 'always' | 'never';

export interface ColorFacts {
  readonly choice: ColorChoice | undefined;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly terminal: boolean;
  /** Bits for each colour that the terminal can show, as Node finds them; asked only when colours are wanted. */
  readonly depth: () => number;
  /** What `color.owl` or `color.ui` says for a terminal; asked only for a terminal and when nothing before it decides. */
  readonly configured: () => boolean;
}

const fromDepth = (bits: number): ColorLevel => (bits >= 24 ? 3 : bits >= 8 ? 2 : bits >= 4 ? 1 : 0);
const atLeastSome = (level: ColorLevel): ColorLevel => (level === 0 ? 1 : level);

/** 0: none, 1: sixteen, 2: 256, 3: 16 million. `--color` > `FORCE_COLOR` > `NO_COLOR` > `color.owl`/`color.ui` > what the stream can. */
export function decideColor(facts: ColorFacts): ColorLevel {
  const { choice, variables } = facts;
  if (choice === 'never') return 0;
  if (choice === 'always') return facts.terminal ? atLeastSome(fromDepth(facts.depth())) : 1;
  if (choice === undefined || choice === 'auto') {
    const forced = variables['FORCE_COLOR'];
    if (forced !== undefined) return forceLevel(forced);
    if (variables['NO_COLOR']) return 0;
  }
  if (!facts.terminal || variables['TERM'] === 'dumb' || !facts.configured()) return 0;
  return fromDepth(facts.depth());
}

/** As Node reads it: empty, `1` or `true`: sixteen; `2`, `3`: more; `0` and `false`: none. */
function forceLevel(text: string): ColorLevel {
  switch (text) {
    case '0':
    case 'false':
      return 0;
    case '2':
      return 2;
    case '3':
      return 3;
    default:
      return 1;
  }
}

/** May signs outside ASCII be printed? Decided by the locale, as the C library does. */
export const isUnicode = (variables: Readonly<Record<string, string | undefined>>): boolean =>
  /utf-?8/i.test(variables['LC_ALL'] || variables['LC_CTYPE'] || variables['LANG'] || '');
