// What fsck says of a path, and how it looks without stopping at what cannot be read.

import type { Oid } from '../domain/git.js';
import type { ContestedRecord } from './contested.js';
import type { Finding } from './finding.js';
import { isUnreadable, listFolder, type Tree } from './objects.js';
import type { StateSnapshot } from './snapshot.js';

export const history = (path: string): string => `git log --oneline refs/heads/refine/state -- ${path}`;

export const lost = (path: string, what: string): Finding => ({
  severity: 'error',
  kind: 'record',
  where: path,
  what,
  repair: 'an earlier version in the history of refine/state can be put back',
  next: history(path),
});

/** What a record that cannot be read has: nothing is to be repaired where two clones only decided differently (S3). */
export const unread = (row: {
  readonly path: string;
  readonly why: string;
  readonly contested?: ContestedRecord;
}): Finding =>
  row.contested === undefined
    ? lost(row.path, row.why)
    : {
        severity: 'error',
        kind: 'look',
        where: row.path,
        what: row.why,
        repair: 'both versions are kept; a person says which one counts',
        next: `git owl sync --take local --record ${row.contested.id}`,
      };

export const newer = (path: string, what: string): Finding => ({
  severity: 'error',
  kind: 'look',
  where: path,
  what,
  repair: 'use a git owl that knows this schema; this one leaves the record alone',
  next: 'npm install --global git-owl@latest',
});

export const derived = (where: string, what: string): Finding => ({
  severity: 'warning',
  kind: 'derived',
  where,
  what,
  repair: 'it is made anew from the records; no reader believes it as it is',
  next: null,
});

export async function listSafely(snapshot: StateSnapshot, path: string, findings: Finding[]): Promise<Tree> {
  try {
    return await listFolder(snapshot.objects, snapshot.root, path);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    findings.push(lost(path, error.message));
    return new Map();
  }
}

export async function treeSafely(
  snapshot: StateSnapshot,
  path: string,
  oid: Oid,
  findings: Finding[],
): Promise<Tree | null> {
  try {
    return await snapshot.objects.tree(oid);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    findings.push(lost(path, error.message));
    return null;
  }
}

/** The folders at these paths together; null for one that cannot be read, which is told. */
export async function treesSafely(
  snapshot: StateSnapshot,
  folders: readonly { readonly path: string; readonly oid: Oid }[],
  findings: Finding[],
): Promise<readonly (Tree | null)[]> {
  try {
    return await snapshot.objects.trees(folders.map(({ oid }) => oid));
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  }
  const trees: (Tree | null)[] = [];
  for (const { path, oid } of folders) trees.push(await treeSafely(snapshot, path, oid, findings));
  return trees;
}
