// Pure parser of `git diff-tree -p -U0 --full-index`: the changed lines, by the ids of the two contents. Names are not read.

import { createHash } from 'node:crypto';
import type { Hunk } from '../../domain/collision.js';

const INDEX = /^index ([0-9a-f]{40,64})\.\.([0-9a-f]{40,64})(?: \d{6})?$/;
const HEAD = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/** Hunks in the order of their lines, under `<old id> <new id>`. Contents that Git takes for binary have none. */
export function parseZeroContextPatch(output: Buffer): ReadonlyMap<string, readonly Hunk[]> {
  const found = new Map<string, Hunk[]>();
  let hunks: Hunk[] = [];
  // As bytes: a line may be in any encoding, and is as long as its author liked.
  const lines = output.toString('latin1').split('\n');
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as string;
    at += 1;
    const index = INDEX.exec(line);
    if (index !== null) {
      hunks = [];
      const key = `${index[1]} ${index[2]}`;
      // Named again by another tree, it has the same hunks: the last ones are as good.
      found.set(key, hunks);
      continue;
    }
    const head = HEAD.exec(line);
    if (head === null) {
      // A name may say so too, but only in a line of its own kind.
      if (line.startsWith('Binary files ')) dropLast(found, hunks);
      continue;
    }
    const count = Number(head[2] ?? 1);
    const added = Number(head[3] ?? 1);
    const text = createHash('sha1');
    for (let left = count + added; left > 0; at += 1) {
      const body = lines[at] ?? '';
      // A line without an end has a remark below it, and is another line than one with an end.
      const endless = lines[at + 1]?.startsWith('\\') === true;
      if (body.startsWith('+')) text.update(`${body}${endless ? '' : '\n'}`, 'latin1');
      left -= 1;
      if (endless) at += 1;
    }
    // Git counts from 1; where nothing was taken away it names the line before.
    const from = Number(head[1]) - (count === 0 ? 0 : 1);
    hunks.push({ from, count, text: `${added} ${text.digest('base64')}` });
  }
  return found;
}

function dropLast(found: Map<string, Hunk[]>, hunks: Hunk[]): void {
  for (const [key, value] of found) if (value === hunks) found.delete(key);
}
