// Chains of commits behind one ref that keep things alive: link after link, the kept commit as second parent (01, Refs). Pure building and reading.

import { OwlError } from '../domain/errors.js';
import type { Oid } from '../domain/git.js';
import type { Commit, NewObject } from '../git/engine.js';
import { newBlob, newCommit, newTree } from '../git/objects.js';
import { oneLine } from './message.js';
import type { Objects } from './objects.js';
import { editTree } from './tree.js';
import type { KeptLink } from './types.js';

const NOBODY = 'git-owl <git-owl@localhost> 0 +0000';

/** First commit of every chain, always the same: so that a first parent is always a link, and a second always what is kept. */
export function anchorOf(format: Objects['format']): readonly [commit: NewObject, tree: NewObject] {
  const tree = newTree(format, []);
  const commit = newCommit(format, {
    tree: tree.oid,
    parents: [],
    author: NOBODY,
    committer: NOBODY,
    message: 'beginning of a chain\n',
  });
  return [commit, tree];
}

export interface LinkDraft {
  readonly tree: Oid;
  readonly previous: Oid;
  readonly kept: Oid | null;
  readonly subject: string;
  readonly identity: string;
}

export const newLink = (format: Objects['format'], draft: LinkDraft): NewObject =>
  newCommit(format, {
    tree: draft.tree,
    parents: draft.kept === null ? [draft.previous] : [draft.previous, draft.kept],
    author: draft.identity,
    committer: draft.identity,
    message: `${linkSubject(draft.subject)}\n`,
  });

export const linkSubject = (subject: string): string => oneLine(subject, 200) || 'kept';

/** The tree of a link's files, with its objects. Throws OwlError `defect` for a path that is not a plain relative one. */
export async function fileTree(
  objects: Objects,
  files: ReadonlyMap<string, Buffer>,
): Promise<{ readonly tree: Oid; readonly made: readonly NewObject[] }> {
  const editor = editTree(objects, null);
  const made: NewObject[] = [];
  for (const [path, data] of files) {
    const parts = path.split('/');
    if (
      parts.some((part) => part === '' || part === '.' || part === '..' || /^\.git$/i.test(part) || part.includes('\0'))
    ) {
      throw new OwlError('defect', `${JSON.stringify(path.slice(0, 80))} cannot be the name of a kept file`);
    }
    const blob = newBlob(objects.format, data);
    made.push(blob);
    await editor.put(Buffer.from(path, 'utf8').toString('latin1'), { mode: '100644', oid: blob.oid });
  }
  const empty = newTree(objects.format, []);
  const tree = (await editor.seal()) ?? empty.oid;
  return { tree, made: [...made, ...editor.made, ...(tree === empty.oid ? [empty] : [])] };
}

const isAnchor = (commit: Commit): boolean => commit.parents.length === 0;

/** Links from a tip on, newest first, at most `limit`, ending before `known` ones. Throws OwlError `unreadable-object`. */
export async function readChain(
  objects: Objects,
  tip: Oid,
  limit = Number.POSITIVE_INFINITY,
  known?: ReadonlySet<Oid>,
): Promise<KeptLink[]> {
  const links: KeptLink[] = [];
  let at: Oid | undefined = tip;
  while (at !== undefined && links.length < limit && known?.has(at) !== true) {
    const commit: Commit = await objects.commit(at);
    if (isAnchor(commit)) break;
    links.push({
      link: commit.oid,
      kept: commit.parents[1] ?? null,
      subject: commit.message.split('\n', 1)[0] ?? '',
      time: commit.time,
      tree: commit.tree,
    });
    at = commit.parents[0];
  }
  return links;
}
