// Pure parser of `git diff-tree -r -z --raw --no-abbrev`.

import type { Oid } from '../../domain/git.js';
import { shownName } from '../path-bytes.js';

export interface ChangedFile {
  readonly status: 'added' | 'copied' | 'deleted' | 'modified' | 'renamed' | 'type-changed' | 'unknown';
  /** UTF-8; bytes that are not are replaced. The exact bytes are in `name`. */
  readonly path: string;
  /** The path as a latin1 ("binary") string. */
  readonly name: string;
  readonly oldPath?: string;
  readonly oldMode: string;
  readonly newMode: string;
  /** Null where there is no file on that side. */
  readonly oldOid: Oid | null;
  readonly newOid: Oid | null;
}

const STATUS: Readonly<Record<string, ChangedFile['status']>> = {
  A: 'added',
  C: 'copied',
  D: 'deleted',
  M: 'modified',
  R: 'renamed',
  T: 'type-changed',
};

export function parseRawDiff(output: Buffer): readonly ChangedFile[] {
  const fields = output.toString('latin1').split('\0');
  const files: ChangedFile[] = [];
  for (let at = 0; at < fields.length; ) {
    const head = /^:([0-7]{6}) ([0-7]{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*$/.exec(fields[at] ?? '');
    if (head === null) {
      at += 1;
      continue;
    }
    const [, oldMode = '', newMode = '', oldOid = '', newOid = '', letter = ''] = head;
    const two = letter === 'R' || letter === 'C';
    const first = fields[at + 1] ?? '';
    const name = two ? (fields[at + 2] ?? '') : first;
    const present = (oid: string): Oid | null => (/^0+$/.test(oid) ? null : (oid as Oid));
    files.push({
      status: STATUS[letter] ?? 'unknown',
      path: shownName(name),
      name,
      ...(two ? { oldPath: shownName(first) } : {}),
      oldMode,
      newMode,
      oldOid: present(oldOid),
      newOid: present(newOid),
    });
    at += two ? 3 : 2;
  }
  return files;
}
