// The lines of a diff by kind, and as a terminal gets them: every line escaped, then coloured. Pure.

import type { Lines, Theme } from './theme.js';

export type DiffLineKind = 'header' | 'hunk' | 'added' | 'removed' | 'context';

export interface DiffLine {
  readonly kind: DiffLineKind;
  readonly text: string;
}

/**
 * What `git diff` printed, line by line. Inside a hunk, whose header counts its lines, `--- a` is a removed line; what is not a
 * patch (`--stat`) is context.
 */
export function parseDiff(text: string): readonly DiffLine[] {
  if (text === '') return [];
  const lines: DiffLine[] = [];
  let [old, now] = [0, 0];
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    if (old > 0 || now > 0) {
      const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'context';
      lines.push({ kind, text: line });
      if (line.startsWith('\\')) continue;
      if (kind !== 'added') old -= 1;
      if (kind !== 'removed') now -= 1;
    } else if (hunk !== null) {
      [old, now] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
      lines.push({ kind: 'hunk', text: line });
    } else lines.push({ kind: kindOutside(line), text: line });
  }
  return lines;
}

/** Combined diffs and colour words have other hunks: there the first character says it. */
function kindOutside(line: string): DiffLineKind {
  if (/^(?:\+\+\+|---|diff |index )/.test(line)) return 'header';
  if (line.startsWith('@@')) return 'hunk';
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'context';
}

/** The lines of `git diff`, safe to print. */
export const diffLines = (text: string, theme: Theme): Lines => {
  const roles = {
    header: theme.strong,
    hunk: theme.ref,
    added: theme.added,
    removed: theme.removed,
    context: theme.text,
  } as const;
  return parseDiff(text).map(({ kind, text: line }) => roles[kind](line));
};
