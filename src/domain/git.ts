// Git's own things as types: object ids, ref names, the answers that looking can give. No I/O.

declare const oid: unique symbol;
declare const ref: unique symbol;

/** A full object id in lower-case hexadecimal, 40 or 64 digits. */
export type Oid = string & { readonly [oid]: true };

/** A full ref name, such as `refs/heads/main`. */
export type RefName = string & { readonly [ref]: true };

export type ObjectFormat = 'sha1' | 'sha256';
export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag';

/** "Not an ancestor", "missing object" and "could not look" are three results (01, "Reading the repository"). */
export type Ancestry = 'ancestor' | 'not-ancestor' | 'missing' | 'unknown';

export const isOid = (text: string): text is Oid => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

export const isRefName = (text: string): text is RefName =>
  /^refs\/[^\s~^:?*[\\\x00-\x1f\x7f]+$/.test(text) &&
  !text.includes('..') &&
  !text.includes('@{') &&
  !text.includes('//') &&
  !/(?:^|\/)\.|\.lock(?:\/|$)|[./]$/.test(text);

/** Reads an object id from text. Throws a TypeError: call it only on what Git printed or on validated records. */
export function parseOid(text: string): Oid {
  if (!isOid(text)) throw new TypeError(`not a full object id: ${JSON.stringify(text.slice(0, 80))}`);
  return text;
}

/** Reads a full ref name from text. Throws a TypeError: for user input, check with `isRefName` first. */
export function parseRefName(text: string): RefName {
  if (!isRefName(text)) throw new TypeError(`not a full ref name: ${JSON.stringify(text.slice(0, 200))}`);
  return text;
}

export const branchRef = (name: string): RefName => parseRefName(`refs/heads/${name}`);
export const remoteRef = (remote: string, name: string): RefName => parseRefName(`refs/remotes/${remote}/${name}`);

/** The branch name in a `refs/heads/…` ref; null for any other ref. */
export const branchName = (name: RefName): string | null =>
  name.startsWith('refs/heads/') ? name.slice('refs/heads/'.length) : null;

/** How people read a branch or remote-tracking ref: `main`, `origin/main`. */
export const shortRef = (ref: string): string => ref.replace(/^refs\/(?:heads|remotes)\//, '');

export const shortOid = (id: Oid): string => id.slice(0, 10);
