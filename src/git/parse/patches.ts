// Pure: what a patch changes, as one digest, wherever its lines lie and whatever commit it is. As `git patch-id --verbatim`, but a
// binary file counts by its new content, which Git's own leaves out; white space counts, since a change may be just that.

import { createHash } from 'node:crypto';

/** Cuts the output of `git log -p --format=%x00%H` into commits and their patches. */
export function splitPatches(output: Buffer): readonly { readonly oid: string; readonly patch: string }[] {
  const text = output.toString('latin1');
  const heads = [...text.matchAll(/(?:^|\n)\0([0-9a-f]{40}|[0-9a-f]{64})(?:\n|$)/g)];
  return heads.map((head, index) => ({
    oid: head[1] ?? '',
    patch: text.slice(head.index + head[0].length, heads[index + 1]?.index ?? text.length),
  }));
}

/** The digest of a patch made with `--full-index`; null when it changes nothing. */
export function patchDigest(patch: string): string | null {
  const files = patch.split(/^(?=diff --git )/m).filter((file) => file.startsWith('diff --git '));
  if (files.length === 0) return null;
  // The order of files is the user's taste (`diff.orderFile`).
  const digests = files.map((file) => createHash('sha256').update(essence(file), 'latin1').digest('hex')).sort();
  return createHash('sha256').update(digests.join('\n')).digest('hex');
}

/** Headers, and the lines of the hunks without their places. */
function essence(file: string): string {
  const kept: string[] = [];
  const binary = /^(?:Binary files |GIT binary patch$)/m.test(file);
  let inHunk = false;
  for (const line of file.split('\n')) {
    if (line.startsWith('@@ ')) {
      inHunk = true;
      continue;
    }
    if (!inHunk && line.startsWith('index ')) {
      if (binary) kept.push(`content ${/\.\.([0-9a-f]+)/.exec(line)?.[1] ?? ''}`);
      continue;
    }
    if (!inHunk && /^(?:similarity|dissimilarity) index /.test(line)) continue;
    if (binary && !inHunk && line.startsWith('Binary files ')) continue;
    kept.push(line);
  }
  return kept.join('\n');
}
