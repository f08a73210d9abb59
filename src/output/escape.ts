// Makes text that we did not write safe to print: control and bidirectional characters become visible escapes (06). Pure.

import { visible } from '../domain/visible.js';

// C0 without newline, DEL, C1, the bidirectional marks, embeddings, overrides and isolates, line and paragraph separators,
// the byte order mark, tag characters and lone surrogates: what can move a cursor, reorder a line or hide in it.
const UNSAFE =
  /[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff]|[\u{e0000}-\u{e007f}]|[\ud800-\udfff]/gu;

/** One line: newlines are shown as `\n` too. */
export const escapeLine = (text: string): string => text.replace(UNSAFE, visible).replaceAll('\n', '\\n');

/** Text of several lines: newlines stay, tabs become blanks up to the next multiple of eight, the rest is as in `escapeLine`. */
export const escapeText = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => expandTabs(line).replace(UNSAFE, visible))
    .join('\n');

/** The lines of a text, each escaped; a last newline does not make a line of its own. */
export const escapeLines = (text: string): readonly string[] => escapeText(text.replace(/\r?\n$/, '')).split('\n');

function expandTabs(line: string): string {
  if (!line.includes('\t')) return line;
  let out = '';
  for (const part of line.split(/(\t)/)) out += part === '\t' ? ' '.repeat(8 - (out.length % 8)) : part;
  return out;
}

/**
 * A line as it may be printed in a job of GitHub Actions: `::name::` at its beginning and `##[name]` anywhere would be
 * obeyed as workflow commands, whoever wrote them (06).
 */
export const guardActions = (line: string): string =>
  line.replace(/^(\s*):(?=:)/, '$1\\x3a').replaceAll('##[', '#\\x23[');

/** JSON text with DEL, C1 and bidirectional characters as `\u` escapes: the value is the same, a terminal is safe. */
export const escapeJson = (json: string): string =>
  json.replace(UNSAFE, (char) =>
    char === '\n' || char === '\t' || char === '\r'
      ? char
      : Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
          '',
        ),
  );
