// A diff on a page, one part a file, each line with a class and its own first character: the meaning is not in the colour alone. Pure.

import { type DiffLine, parseDiff } from '../diff-lines.js';
import { type Html, markup, none } from './markup.js';

/** Characters of a diff that a page shows: a browser is slow with much more. */
const LIMIT = 2 * 1024 * 1024;

/** `command` prints all of it, where it is cut. */
export function diffHtml(text: string, command: string): Html {
  if (text === '') return markup`<p class="dim">no change</p>`;
  const cut = text.length > LIMIT;
  const shown = cut ? text.slice(0, text.lastIndexOf('\n', LIMIT) + 1) : text;
  const note = markup`<p class="box look">The rest is not shown here: <code>${command}</code> prints all of it.</p>`;
  return markup`${byFile(parseDiff(shown)).map(fileHtml)}${cut ? note : none}`;
}

function byFile(lines: readonly DiffLine[]): readonly (readonly DiffLine[])[] {
  const files: DiffLine[][] = [];
  for (const line of lines) {
    const begins = line.kind === 'header' && line.text.startsWith('diff ');
    const last = files.at(-1);
    if (last === undefined || begins) files.push([line]);
    else last.push(line);
  }
  return files;
}

/** `diff --git a/x b/x` names the file; quoted names stay quoted. */
function fileHtml(lines: readonly DiffLine[]): Html {
  const [first] = lines;
  const title = first?.text.replace(/^diff --git /, '') ?? '';
  const rows = lines.slice(1).map(({ kind, text }) => markup`<span class="${kind}">${text === '' ? ' ' : text}</span>`);
  return markup`<details open><summary><code>${title}</code></summary><pre class="diff">${rows}</pre></details>
`;
}
