// Pure parser of `git merge-tree --write-tree -z` for a merge with conflicts.

import { isOid, type Oid } from '../../domain/git.js';

export interface MergeTreeOutput {
  /** The tree with conflict markers. */
  readonly tree: Oid;
  /** Every path in conflict once, as a latin1 ("binary") string, in the order of names. */
  readonly paths: readonly string[];
  readonly messages: readonly { readonly type: string; readonly text: string }[];
}

/** `sides` are the names the two sides were given: Git puts them behind a file that cannot have its own name (`path~side`). */
export function parseMergeTree(output: Buffer, sides: readonly string[]): MergeTreeOutput {
  const fields = output.toString('latin1').split('\0');
  const tree = fields[0] ?? '';
  if (!isOid(tree)) throw new TypeError('not the output of git merge-tree');
  const staged: string[] = [];
  let at = 1;
  for (; at < fields.length && fields[at] !== ''; at += 1) {
    const path = /^[0-7]{6} [0-9a-f]+ [0-3]\t([\s\S]+)$/.exec(fields[at] ?? '')?.[1];
    if (path !== undefined) staged.push(path);
  }
  const messages: { type: string; text: string }[] = [];
  const named: string[] = [];
  for (at += 1; at < fields.length; ) {
    const count = Number(fields[at]);
    if (fields[at] === '' || !Number.isInteger(count)) break;
    const type = fields[at + 1 + count] ?? '';
    messages.push({ type, text: (fields[at + 2 + count] ?? '').trimEnd() });
    if (type.startsWith('CONFLICT')) named.push(...fields.slice(at + 1, at + 1 + count));
    at += count + 3;
  }
  const plain = (path: string): string => {
    const side = sides.find((name) => path.includes(`~${name}`));
    return side === undefined ? path : path.slice(0, path.lastIndexOf(`~${side}`));
  };
  return { tree, paths: [...new Set((staged.length > 0 ? staged : named).map(plain))].sort(), messages };
}
