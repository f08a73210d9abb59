// A commit as the bytes it consists of, so that it can be made again elsewhere with author, date and message untouched (J11).

import type { ObjectFormat, Oid } from '../domain/git.js';
import type { NewObject } from './engine.js';
import { newCommit } from './objects.js';

/** Header values and message are latin1 ("binary") strings: one character is one byte. */
export interface RawCommit {
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly author: string;
  readonly encoding: string | undefined;
  readonly message: string;
}

/** What a commit that is made by us consists of; `committer` is UTF-8 text, the rest is as in `RawCommit`. */
export interface CommitParts extends RawCommit {
  readonly committer: string;
}

/** Reads a commit object. Signatures and other headers are left behind, as `git rebase` leaves them. Throws a TypeError. */
export function parseRawCommit(data: Buffer): RawCommit {
  const text = data.toString('latin1');
  const end = text.indexOf('\n\n');
  const head = (end < 0 ? text : text.slice(0, end)).split('\n');
  // A line of a signature begins with a blank, so it is never taken for a header.
  const field = (name: string): string[] =>
    head.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  const tree = field('tree')[0];
  if (tree === undefined) throw new TypeError('malformed commit object');
  return {
    tree: tree as Oid,
    parents: field('parent') as Oid[],
    author: field('author')[0] ?? '',
    encoding: field('encoding')[0],
    message: end < 0 ? '' : text.slice(end + 2),
  };
}

/** The commit object, unsigned. */
export const encodeCommit = (format: ObjectFormat, parts: CommitParts): NewObject =>
  newCommit(format, { ...parts, committer: inEncodingOf(parts.encoding, parts.committer) }, 'latin1');

/** UTF-8 text as a binary string. */
export const utf8Bytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** The header says how all of the commit is encoded, the name of its committer included. */
const inEncodingOf = (encoding: string | undefined, text: string): string =>
  encoding !== undefined && /^(?:iso-?8859-1|latin-?1)$/i.test(encoding) && /^[\x00-\xff]*$/.test(text)
    ? text
    : utf8Bytes(text);
