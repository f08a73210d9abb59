// Git objects as bytes: encode, decode and name them in memory. Pure but for the hash.

import { createHash } from 'node:crypto';
import type { ObjectFormat, ObjectType, Oid } from '../domain/git.js';
import type { Commit, NewObject, TreeEntry, TreeMode } from './engine.js';

/** The object with its id: the hash of `<type> <size>\0<data>` in the repository's format. */
export function newObject(format: ObjectFormat, type: ObjectType, data: Buffer): NewObject {
  const hash = createHash(format);
  hash.update(`${type} ${data.length}\0`).update(data);
  return { type, data, oid: hash.digest('hex') as Oid };
}

export const newBlob = (format: ObjectFormat, data: Buffer | string): NewObject =>
  newObject(format, 'blob', typeof data === 'string' ? Buffer.from(data, 'utf8') : data);

/** Git's order of tree entries: by bytes, with directories as if they ended in `/`. */
export function compareEntries(one: TreeEntry, two: TreeEntry): number {
  const a = one.mode === '040000' ? `${one.name}/` : one.name;
  const b = two.mode === '040000' ? `${two.name}/` : two.name;
  return a < b ? -1 : a > b ? 1 : 0;
}

export function newTree(format: ObjectFormat, entries: readonly TreeEntry[]): NewObject {
  const parts: Buffer[] = [];
  for (const entry of [...entries].sort(compareEntries)) {
    const mode = entry.mode === '040000' ? '40000' : entry.mode;
    parts.push(Buffer.from(`${mode} ${entry.name}\0`, 'latin1'), Buffer.from(entry.oid, 'hex'));
  }
  return newObject(format, 'tree', Buffer.concat(parts));
}

export function parseTree(format: ObjectFormat, data: Buffer): readonly TreeEntry[] {
  const width = format === 'sha1' ? 20 : 32;
  const entries: TreeEntry[] = [];
  let at = 0;
  while (at < data.length) {
    const space = data.indexOf(0x20, at);
    const nul = data.indexOf(0, space);
    if (space < 0 || nul < 0 || nul + 1 + width > data.length) throw new TypeError('malformed tree object');
    entries.push({
      mode: data.toString('latin1', at, space).padStart(6, '0') as TreeMode,
      name: data.toString('latin1', space + 1, nul),
      oid: data.toString('hex', nul + 1, nul + 1 + width) as Oid,
    });
    at = nul + 1 + width;
  }
  return entries;
}

export interface Signature {
  readonly name: string;
  readonly email: string;
  /** Seconds since the epoch. */
  readonly time: number;
  /** Minutes east of UTC. */
  readonly offset: number;
}

/** `Name <mail> 1700000000 +0000`, with what Git forbids in a name left out. */
export function formatSignature(who: Signature): string {
  const clean = (text: string): string => text.replace(/[\x00-\x1f\x7f<>]/g, '').trim();
  const sign = who.offset < 0 ? '-' : '+';
  const minutes = Math.abs(who.offset);
  const zone = `${sign}${String(Math.floor(minutes / 60)).padStart(2, '0')}${String(minutes % 60).padStart(2, '0')}`;
  return `${clean(who.name) || 'git-owl'} <${clean(who.email)}> ${Math.floor(who.time)} ${zone}`;
}

export interface CommitDraft {
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  /** As in the object: `Name <mail> time zone`. */
  readonly author: string;
  readonly committer: string;
  readonly message: string;
  /** The original `encoding` header, where a commit is made again. */
  readonly encoding?: string | undefined;
}

/** The message is bytes: pass text that is not UTF-8 as latin1 through `encodeMessage: 'latin1'`. */
export function newCommit(format: ObjectFormat, draft: CommitDraft, message: 'utf8' | 'latin1' = 'utf8'): NewObject {
  const head = [
    `tree ${draft.tree}`,
    ...draft.parents.map((parent) => `parent ${parent}`),
    `author ${draft.author}`,
    `committer ${draft.committer}`,
    ...(draft.encoding === undefined ? [] : [`encoding ${draft.encoding}`]),
  ].join('\n');
  const data = Buffer.concat([Buffer.from(`${head}\n\n`, message), Buffer.from(draft.message, message)]);
  return newObject(format, 'commit', data);
}

/** Reads a commit object. Header values and message are decoded as UTF-8. */
export function parseCommit(oid: Oid, data: Buffer): Commit {
  const text = data.toString('utf8');
  const end = text.indexOf('\n\n');
  const head = end < 0 ? text : text.slice(0, end);
  const field = (name: string): string[] =>
    head
      .split('\n')
      .filter((line) => line.startsWith(`${name} `))
      .map((line) => line.slice(name.length + 1));
  const committer = field('committer')[0] ?? '';
  const tree = field('tree')[0];
  if (tree === undefined) throw new TypeError(`malformed commit object ${oid}`);
  return {
    oid,
    tree: tree as Oid,
    parents: field('parent') as Oid[],
    author: field('author')[0] ?? '',
    committer,
    time: Number(/ (\d+) [+-]\d{4}$/.exec(committer)?.[1] ?? 0),
    message: end < 0 ? '' : text.slice(end + 2),
  };
}
